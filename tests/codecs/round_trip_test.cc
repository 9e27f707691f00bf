// What is encoded comes back, for every encoding, width, count and shape of data.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

const std::vector<size_t> kCounts = {1, 2, 3, 63, 64, 65, 1023, 1024, 1025, 2047, 4096, 65536};

std::vector<EncodePlan> PlansToForce(int width) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan zstd = Plan(Encoding::kCompressed, {raw}, 1);
  const EncodePlan lz4 = Plan(Encoding::kCompressed, {raw}, 2);
  std::vector<EncodePlan> plans = {
      raw,
      Plan(Encoding::kConstant),
      packed,
      Plan(Encoding::kDelta, {packed}),
      Plan(Encoding::kDelta, {raw}),
      Plan(Encoding::kRuns, {packed, packed}),
      Plan(Encoding::kRuns, {raw, raw}),
      Plan(Encoding::kDictionary, {raw, packed}),
      Plan(Encoding::kDictionary, {Plan(Encoding::kDelta, {packed}), raw}),
      Plan(Encoding::kDictionary, {packed, zstd}),
      Plan(Encoding::kSparse, {packed, raw}),
      Plan(Encoding::kSparse, {Plan(Encoding::kDelta, {packed}), packed}),
      zstd,
      lz4,
      Plan(Encoding::kSkewed, {packed, raw}),
  };
  plans.push_back(Plan(Encoding::kDictionary, {raw, Plan(Encoding::kSkewed, {packed, raw})}));
  plans.back().by_use = true;
  for (const int exponent : {0, 2, 10, 22})
    plans.push_back(Plan(Encoding::kDecimal, {packed, packed, raw}, exponent));
  for (const int low_bits : {0, 1, 5, 8, 12, 16, 33}) {
    for (const int shift : {0, 4 * width}) {
      if (low_bits + shift < 8 * width)
        plans.push_back(Plan(Encoding::kSplit, {packed, packed}, low_bits, shift));
      if (low_bits >= 1 && low_bits + shift < 8 * width) {
        plans.push_back(plans.back());
        plans.back().sign_low = true;
      }
    }
  }
  return plans;
}

class RoundTripTest : public testing::TestWithParam<int> {};

TEST_P(RoundTripTest, EveryPlanCountAndShape) {
  const int width = GetParam();
  DecodeScratch scratch;
  std::vector<size_t> kept(256);
  for (const size_t count : kCounts) {
    for (const Shape& shape : Shapes()) {
      const Array array(width, shape.make(count, width, count));
      for (const EncodePlan& plan : PlansToForce(width)) {
        SCOPED_TRACE(plan.ToString() + " of " + shape.name + ", count " + std::to_string(count));
        const Bytes node = Encode(array, plan);
        ASSERT_EQ(node.size() % 8, 0U);
        kept[static_cast<size_t>(node[0])] +=
            static_cast<Encoding>(node[0]) == plan.encoding ? 1 : 0;
        const Result<size_t> size = NodeSize(node);
        ASSERT_TRUE(size.ok()) << size.status().ToString();
        ASSERT_EQ(*size, node.size());
        std::vector<uint64_t> out(count + 1, 0xA5A5A5A5A5A5A5A5);
        const Status status = DecodeNode(node, width, count, {}, &scratch, out.data());
        ASSERT_TRUE(status.ok()) << status.ToString();
        ASSERT_EQ(std::memcmp(out.data(), array.bytes(), array.size()), 0);
        const auto* after = reinterpret_cast<const uint8_t*>(out.data()) + array.size();
        ASSERT_EQ(*after, 0xA5) << "a byte after the values was written";
      }
    }
  }
  // Falling back must not hide that an encoding is never used.
  for (const EncodingRow* row : EncodingTable()) {
    const bool never =
        row->id == Encoding::kSharedDictionary || (row->id == Encoding::kDecimal && width < 4);
    EXPECT_EQ(kept[static_cast<size_t>(row->id)] == 0, never) << row->name;
  }
}

TEST_P(RoundTripTest, ChosenPlanIsDeterministicAndComesBack) {
  const int width = GetParam();
  for (const size_t count : kCounts) {
    for (const Shape& shape : Shapes()) {
      for (const double ns_per_byte : {0.1, 0.5, 20.0}) {
        SCOPED_TRACE(shape.name + ", count " + std::to_string(count));
        EncodeTuning tuning;
        tuning.ns_per_byte = ns_per_byte;
        const Array array(width, shape.make(count, width, 7 * count));
        const EncodePlan plan = ChoosePlan(array.view(), tuning);
        EXPECT_EQ(plan.ToString(), ChoosePlan(array.view(), tuning).ToString());
        const Bytes node = Encode(array, plan, tuning);
        EXPECT_EQ(node, Encode(array, plan, tuning));
        EXPECT_LE(node.size(), 16 + AlignUp(array.size(), 8));
        std::vector<uint8_t> decoded;
        const Status status = Decode(node, width, count, &decoded);
        ASSERT_TRUE(status.ok()) << status.ToString();
        ASSERT_TRUE(SameBytes(decoded, array));
      }
    }
  }
}

// What an encoder keeps from a choice and from other encodings changes no byte.
TEST_P(RoundTripTest, OneEncoderForAllPlans) {
  const int width = GetParam();
  const EncodeTuning tuning;
  EncodePlan by_use = Plan(Encoding::kDictionary);
  by_use.by_use = true;
  for (const size_t count : {size_t{3000}, size_t{20000}}) {
    for (const Shape& shape : Shapes()) {
      const Array array(width, shape.make(count, width, 7));
      ArrayEncoder encoder(array.view(), tuning);
      std::vector<EncodePlan> plans = PlansToForce(width);
      plans.push_back(by_use);
      plans.push_back(encoder.Choose());
      plans.insert(plans.end(), {by_use, Plan(Encoding::kDictionary)});
      for (const EncodePlan& plan : plans) {
        Bytes node;
        encoder.Encode(plan, &node);
        EXPECT_EQ(node, Encode(array, plan, tuning)) << plan.ToString() << " of " << shape.name;
      }
    }
  }
}

// A plan chosen on one page is replayed on others that it may not fit.
TEST_P(RoundTripTest, PlansOfOtherData) {
  const int width = GetParam();
  for (const Shape& chosen_on : Shapes()) {
    EncodeTuning tuning;
    tuning.ns_per_byte = 20;
    const Array first(width, chosen_on.make(4096, width, 1));
    const EncodePlan plan = ChoosePlan(first.view(), tuning);
    for (const Shape& shape : Shapes()) {
      for (const size_t count : {size_t{1}, size_t{2}, size_t{700}, size_t{5000}}) {
        const Array array(width, shape.make(count, width, 2));
        std::vector<uint8_t> decoded;
        const Status status = Decode(Encode(array, plan, tuning), width, count, &decoded);
        ASSERT_TRUE(status.ok()) << status.ToString();
        ASSERT_TRUE(SameBytes(decoded, array)) << plan.ToString() << " on " << shape.name;
      }
    }
  }
}

// Plans that no choice makes end in another one, never in a node that is refused.
TEST(OddPlansTest, ComeBack) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  EncodePlan no_place_for_signs = Plan(Encoding::kSplit, {raw}, 0);  // E-080
  no_place_for_signs.sign_low = true;
  EncodePlan too_deep = Plan(Encoding::kDelta);  // E-003: its differences would stand at depth 7.
  for (int depth = 5; depth >= 1; --depth) too_deep = Plan(Encoding::kDelta, {too_deep});
  const Array array(8, Generate(300, [](size_t i) { return i * i * i * i * i * i; }));
  const Array zeros(8, std::vector<uint64_t>(300));
  for (const EncodePlan& plan :
       {no_place_for_signs, too_deep, Plan(Encoding::kCompressed, {raw}, 0),  // E-100
        Plan(Encoding::kCompressed, {raw}, 3)}) {
    for (const Array* values : {&array, &zeros}) {
      std::vector<uint8_t> decoded;
      const Status status = Decode(Encode(*values, plan), 8, 300, &decoded);
      EXPECT_TRUE(status.ok()) << plan.ToString() << ": " << status.ToString();
      EXPECT_TRUE(SameBytes(decoded, *values)) << plan.ToString();
    }
  }
}

// Pages are read from memory of any alignment.
TEST_P(RoundTripTest, NodesAtOddAddresses) {
  const int width = GetParam();
  const Array array(width, Shapes()[7].make(3000, width, 5));
  for (const EncodePlan& plan : PlansToForce(width)) {
    const Bytes node = Encode(array, plan);
    Bytes moved(node.size() + 1);
    std::memcpy(moved.data() + 1, node.data(), node.size());
    std::vector<uint8_t> decoded;
    const Status status = Decode(std::span(moved).subspan(1), width, array.count, &decoded);
    ASSERT_TRUE(status.ok()) << plan.ToString() << ": " << status.ToString();
    ASSERT_TRUE(SameBytes(decoded, array)) << plan.ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, RoundTripTest, testing::Values(1, 2, 4, 8));

// E-051.
TEST(SharedDictionaryTest, ValuesAndCodesComeBack) {
  EncodeTuning tuning;
  std::mt19937_64 random(3);
  for (const int width : {1, 2, 4, 8}) {
    for (const size_t entries :
         {size_t{1}, size_t{200}, size_t{256}, size_t{257}, size_t{65536}, size_t{70000}}) {
      const Array dictionary(width, Generate(entries, [&](size_t) { return random(); }));
      const SharedDictionary shared{dictionary.words.data(), entries, width};
      for (const size_t count : kCounts) {
        // The code behind the last entry stands for the next literal.
        const size_t most = count % 2 == 0 ? entries : entries + 1 + entries / 8;
        std::vector<uint32_t> codes(count);
        std::vector<uint64_t> expected_values(count);
        std::vector<uint64_t> literal_values;
        for (size_t i = 0; i < count; ++i) {
          codes[i] = static_cast<uint32_t>(std::min<uint64_t>(random() % most, entries));
          if (codes[i] == entries) literal_values.push_back(random());
          expected_values[i] =
              codes[i] == entries ? literal_values.back() : dictionary.at(codes[i]);
        }
        const Array literals(width, literal_values);
        const Array expected(width, expected_values);
        const ArrayView codes_view{codes.data(), count, 4};
        for (const EncodePlan& plan :
             {ChoosePlan(codes_view, tuning), Plan(Encoding::kRaw), Plan(Encoding::kPacked),
              Plan(Encoding::kCompressed, {Plan(Encoding::kRaw)}, 1),
              Plan(Encoding::kSplit, {Plan(Encoding::kPacked)})}) {
          Bytes node;
          EncodeSharedCodes(codes, ByPlan(plan, tuning), literals.view(),
                            ByPlan(Plan(Encoding::kPacked), tuning), &node);
          ASSERT_EQ(node[0], std::byte{6});
          std::vector<uint8_t> decoded;
          const Status status = Decode(node, width, count, &decoded, shared);
          ASSERT_TRUE(status.ok()) << status.ToString();
          ASSERT_TRUE(SameBytes(decoded, expected)) << plan.ToString();
          std::vector<uint32_t> back(count);
          DecodeScratch scratch;
          ASSERT_TRUE(DecodeSharedCodes(node, width, count, entries, &scratch, back.data()).ok());
          ASSERT_EQ(back, codes);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsi::internal
