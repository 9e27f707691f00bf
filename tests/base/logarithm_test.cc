// Logarithms of our own are as good as libm's where choices use them, and pinned to the last bit,
// as bytes of files hang on them.
#include "dsi/base/logarithm_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dsi::internal {
namespace {

TEST(Logarithm, AgreesWithLibm) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponents(-60, 60);
  for (int i = 0; i < 100'000; ++i) {
    const double y = exponents(random);
    const double x = std::exp2(y);
    EXPECT_NEAR(Log2(x), std::log2(x), 1e-12 * std::max(1.0, std::abs(y)));
    EXPECT_NEAR(Exp2(y) / x, 1, 1e-12);
    EXPECT_NEAR(Exp(y / 2) / std::exp(y / 2), 1, 1e-12);
    EXPECT_NEAR(Pow(x, 0.3) / std::pow(x, 0.3), 1, 1e-12);
  }
}

TEST(Logarithm, PowersOfTwoAreExact) {
  for (int n = -1022; n <= 1023; ++n) {
    const double x = std::ldexp(1.0, n);
    EXPECT_EQ(Log2(x), n);
    EXPECT_EQ(Exp2(n), x);
  }
}

TEST(Logarithm, EndsOfTheRange) {
  EXPECT_EQ(Log2(0), -1023);
  EXPECT_EQ(Exp2(-5000), 0);
  EXPECT_EQ(Exp2(5000), std::ldexp(1.0, 1023));
}

}  // namespace
}  // namespace dsi::internal
