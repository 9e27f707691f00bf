// How a split made from a sample fits values that the sample did not show (E-080): where the high
// part would be compressed and has a bit or two more than a byte, its lowest bits go to the low
// one.
#include <gtest/gtest.h>

#include <random>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

struct Fitted {
  int low_bits = 0;
  int high_width = 0;
};

// Values of `bits` bits above `shift`, seldom more than six of which are used above the low ones.
Array Values(int width, int bits, int shift) {
  std::mt19937_64 random(1);
  return Array(width, Generate(2000, [&](size_t i) {
                 const uint64_t top = i % 200 == 7 ? uint64_t{1} << (bits - 1) : 0;
                 return ((random() % 64) | top) << shift;
               }));
}

// Encodes by the plan, checks that it was followed and that the values come back.
Fitted Fit(const Array& array, const EncodePlan& plan) {
  EncodeTuning tuning;
  tuning.accept_ratio = 1.0;
  const Bytes node = Encode(array, plan, tuning);
  EXPECT_EQ(node[0], static_cast<std::byte>(Encoding::kSplit)) << plan.ToString();
  std::vector<uint8_t> decoded;
  const Status status = Decode(node, array.width, array.count, &decoded);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(SameBytes(decoded, array));
  return {static_cast<int>(node[2]), static_cast<int>(node[kNodeHeaderSize + 1])};
}

EncodePlan SplitPlan(Encoding high, int low_bits, int shift) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const bool has_child = high == Encoding::kCompressed;
  const EncodePlan child = has_child ? Plan(high, {raw}, 1) : Plan(high);
  return Plan(Encoding::kSplit, {child, Plan(Encoding::kPacked)}, low_bits, shift);
}

TEST(SplitFit, E080HighPartsOfALittleMoreThanAByteFitIntoOne) {
  for (const int width : {2, 4, 8}) {
    for (const int shift : {0, 3}) {
      for (int low_bits = 1; low_bits <= 3; ++low_bits) {
        for (int excess = -2; excess <= 4 && low_bits + 8 + excess + shift < 8 * width; ++excess) {
          const Array array = Values(width, low_bits + 8 + excess, shift);
          const Fitted fitted = Fit(array, SplitPlan(Encoding::kCompressed, low_bits, shift));
          const bool moves = excess == 1 || excess == 2;
          EXPECT_EQ(fitted.low_bits, moves ? low_bits + excess : low_bits)
              << "width " << width << ", low bits " << low_bits << ", excess " << excess;
          EXPECT_EQ(fitted.high_width, excess <= 2 ? 1 : 2);
        }
      }
    }
  }
}

TEST(SplitFit, E080OtherHighPartsStayAsPlanned) {
  const Array array = Values(4, 3 + 9, 0);
  EXPECT_EQ(Fit(array, SplitPlan(Encoding::kPacked, 3, 0)).low_bits, 3);
  // Without a low part there is none to take the bits.
  EXPECT_EQ(Fit(Values(4, 9, 2), SplitPlan(Encoding::kCompressed, 0, 2)).low_bits, 0);
  // Where the sign moved into the low part its size is that of the mantissa.
  EncodePlan plan = SplitPlan(Encoding::kCompressed, 24, 0);
  plan.sign_low = true;
  const Array floats(4, Generate(2000, [](size_t i) {
                       return std::bit_cast<uint32_t>(static_cast<float>(i % 50) - 20);
                     }));
  EXPECT_EQ(Fit(floats, plan).low_bits, 24);
}

}  // namespace
}  // namespace dsi::internal
