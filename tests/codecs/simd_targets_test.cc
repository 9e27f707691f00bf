// Every SIMD target that this CPU runs gives the bytes of the fallback without SIMD, both ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dsi/codecs/simd_internal.h"
#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

class SimdTargetsTest : public testing::Test {
 protected:
  void TearDown() override { ForceSimdTarget(0); }
};

struct Outcome {
  Bytes node;
  std::vector<uint8_t> values;
  bool operator==(const Outcome&) const = default;
};

// All data and all plans with kernels, one outcome after another.
std::vector<Outcome> RunAll(int width) {
  std::vector<Outcome> outcomes;
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan raw = Plan(Encoding::kRaw);
  const auto run = [&](const Array& array, const EncodePlan& plan) {
    Outcome outcome{Encode(array, plan), {}};
    const Status status = Decode(outcome.node, width, array.count, &outcome.values);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(SameBytes(outcome.values, array));
    outcomes.push_back(std::move(outcome));
  };
  std::mt19937_64 random(9);
  for (size_t bits = 0; bits <= 8 * static_cast<size_t>(width); ++bits) {
    const uint64_t mask = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    const uint64_t base = random();
    // A full block and a short one, with and without a base (E-021, E-022).
    run(Array(width, Generate(1024 + 321, [&](size_t) { return random() & mask; })), packed);
    run(Array(width, Generate(1024 + 321, [&](size_t) { return base + (random() & mask); })),
        packed);
  }
  // Skewed numbers of every size of class, around the ends of what is decoded at a time.
  for (const size_t count :
       {size_t{2}, size_t{15}, size_t{16}, size_t{17}, size_t{64}, size_t{3000}}) {
    for (int bits = 1; bits <= std::min(8 * width, 56); ++bits) {
      const uint64_t mask = ~uint64_t{0} >> (64 - bits);
      run(Array(width, Generate(count, [&](size_t) { return random() & mask & random(); })),
          Plan(Encoding::kSkewed, {raw, raw}));
      run(Array(width, Generate(count, [&](size_t) { return mask >> (random() % 64); })),
          Plan(Encoding::kSkewed, {raw, raw}));
    }
  }
  for (const Shape& shape : Shapes()) {
    for (const size_t count : {size_t{5}, size_t{1024}, size_t{2500}}) {
      const Array array(width, shape.make(count, width, 4));
      run(array, Plan(Encoding::kDictionary, {raw, packed}));
      run(array, Plan(Encoding::kDictionary, {raw, raw}));
      run(array, Plan(Encoding::kSplit, {packed, packed}, 3));
      run(array, Plan(Encoding::kSplit, {raw, raw}, 4 * width + 1));
      run(array, Plan(Encoding::kDelta, {packed}));
      run(array, Plan(Encoding::kSkewed, {raw, raw}));
      EncodePlan signs = Plan(Encoding::kSplit, {packed, packed}, 4 * width);
      signs.sign_low = true;
      run(array, signs);
      for (const int exponent : {0, 1, 2, 7, 10})
        run(array, Plan(Encoding::kDecimal, {packed, packed, raw}, exponent));
    }
  }
  return outcomes;
}

TEST_F(SimdTargetsTest, AllTargetsAgree) {
  const std::vector<int64_t> targets = RunnableSimdTargets();
  // The fallback is always there; on x86 with any vectors at all there is more.
  ASSERT_GE(targets.size(), 1U);
  std::string names;
  for (const int64_t target : targets) names += std::string(SimdTargetName(target)) + " ";
  RecordProperty("targets", names);
  ASSERT_TRUE(names.find("SCALAR") != std::string::npos ||
              names.find("EMU128") != std::string::npos)
      << names;
  for (const int width : {1, 2, 4, 8}) {
    ForceSimdTarget(targets.back());
    const std::vector<Outcome> expected = RunAll(width);
    for (const int64_t target : targets) {
      ForceSimdTarget(target);
      const std::vector<Outcome> outcomes = RunAll(width);
      ASSERT_EQ(outcomes.size(), expected.size());
      for (size_t i = 0; i < outcomes.size(); ++i) {
        ASSERT_EQ(outcomes[i] == expected[i], true)
            << SimdTargetName(target) << ", width " << width << ", case " << i;
      }
    }
  }
}

// Forcing a target does something, or the test above compares a kernel with itself.
TEST_F(SimdTargetsTest, ForcingChoosesOtherKernels) {
  const std::vector<int64_t> targets = RunnableSimdTargets();
  if (targets.size() < 2) GTEST_SKIP() << "one target only";
  std::set<int64_t> chosen;
  for (const int64_t target : targets) {
    ForceSimdTarget(target);
    chosen.insert(ChosenSimdTarget());
  }
  EXPECT_EQ(chosen.size(), targets.size());
}

}  // namespace
}  // namespace dsi::internal
