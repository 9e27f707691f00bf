// log1p, logit and boxcox: the same bits on every target, and close to libm.
#include <bit>
#include <cmath>

#include "dsi/tests/transform/chains.h"

namespace dsi {
namespace {

using namespace test;

const TransformStep kLog = {.op = TransformOp::kLog1p};
const TransformStep kLogit = {.op = TransformOp::kLogit};
TransformStep BoxCox(double lambda1, double lambda2) {
  return {.op = TransformOp::kBoxCox, .lambda1 = lambda1, .lambda2 = lambda2};
}

double ReferenceLogit(double x) {
  const double clamped = x < 1e-6 ? 1e-6 : x > 1 - 1e-6 ? 1 - 1e-6 : x;
  return std::log(clamped / (1 - clamped));
}
double ReferenceBoxCox(double x, double lambda1, double lambda2) {
  const double t = x + lambda2 < 1e-6 ? 1e-6 : x + lambda2;
  return lambda1 == 0 ? std::log(t) : (std::pow(t, lambda1) - 1) / lambda1;
}

// Within one unit in the last place of float32.
void ExpectClose(float found, double expected, double x) {
  const auto nearest = static_cast<float>(expected);
  if (std::isnan(expected)) {
    ASSERT_EQ(std::bit_cast<uint32_t>(found), 0x7fc00000U) << x;
  } else if (found != nearest) {
    ASSERT_TRUE(found == std::nextafter(nearest, INFINITY) ||
                found == std::nextafter(nearest, -INFINITY))
        << x << ": " << found << ", " << nearest;
  }
}

template <typename T>
void ExpectSame(const std::vector<T>& values, const std::vector<std::vector<float>>& results) {
  for (size_t target = 1; target < results.size(); ++target) {
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(results[target][i]), std::bit_cast<uint32_t>(results[0][i]))
          << "T-005: targets 0 and " << target << " differ at " << values[i];
    }
  }
}

template <typename T, typename Reference>
void Check(const TransformStep& step, const Reference& reference) {
  const std::vector<T> values = Samples<T>();
  std::vector<std::vector<float>> results;
  OnEveryTarget([&] { results.push_back(Apply<float, T>({step}, values)); });
  ExpectSame(values, results);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(values[i]);
    ExpectClose(results[0][i], reference(x), x);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(TransformLogTest, T025T026Log1p) {
  const auto reference = [](double x) { return std::log(x + 1); };
  Check<float>(kLog, reference);
  Check<double>(kLog, reference);
  Check<int32_t>(kLog, reference);
  Check<int64_t>(kLog, reference);
  const std::vector<float> ends = Apply<float, float>({kLog}, {-1, -2, INFINITY, 0});
  EXPECT_EQ(ends[0], -INFINITY);
  EXPECT_TRUE(std::isnan(ends[1]));
  EXPECT_EQ(ends[2], INFINITY);
  EXPECT_EQ(ends[3], 0);
}

TEST(TransformLogTest, T027Logit) {
  Check<float>(kLogit, ReferenceLogit);
  Check<double>(kLogit, ReferenceLogit);
  Check<int64_t>(kLogit, ReferenceLogit);
}

TEST(TransformLogTest, T028BoxCox) {
  for (const double lambda1 : {0.0, 0.5, 1.0, 2.0, -1.5}) {
    for (const double lambda2 : {0.0, 1.25}) {
      const auto reference = [&](double x) { return ReferenceBoxCox(x, lambda1, lambda2); };
      std::vector<std::vector<float>> results;
      const std::vector<float> values = Samples<float>();
      OnEveryTarget(
          [&] { results.push_back(Apply<float, float>({BoxCox(lambda1, lambda2)}, values)); });
      ExpectSame(values, results);
      for (size_t i = 0; i < values.size(); ++i) {
        const double expected = reference(values[i]);
        if (std::isnan(expected) || std::isinf(static_cast<float>(expected))) continue;
        // t^lambda - 1 loses what t^lambda and 1 share.
        ASSERT_NEAR(results[0][i], expected, 1e-7 * std::abs(expected) + 1e-12) << values[i];
      }
    }
  }
}

}  // namespace
}  // namespace dsi
