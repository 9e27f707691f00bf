// Doubles become the floats that a cast makes of them, on every CPU and for every length.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dsi/reader/decode/floats_of_doubles_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

constexpr double kMost = std::numeric_limits<float>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class FloatsOfDoublesTest : public test::SimdTest {};
DSI_ON_EVERY_SIMD_TARGET(FloatsOfDoublesTest);

std::vector<double> SomeDoubles(size_t count) {
  std::mt19937_64 random(count);
  std::vector<double> values = {
      0.0,    -0.0, 1.0 / 3,      1e-40,          -1e-46,   5e-324,   16'777'217.0,    kMost,
      -kMost, 1e38, std::nan(""), -std::nan("7"), 0x1p-149, 0x1p-150, 0x1.000001p-126, 1 + 0x1p-24};
  while (values.size() < count) {
    const auto value = std::bit_cast<double>(random());
    if (!(std::abs(value) > kMost)) values.push_back(value);
  }
  values.resize(count);
  return values;
}

TEST_P(FloatsOfDoublesTest, AreThoseOfACast) {
  for (size_t count = 0; count < 70; ++count) {
    const std::vector<double> values = SomeDoubles(count);
    std::vector<float> floats(count + 1, -7);
    ASSERT_TRUE(FloatsOfDoubles(values.data(), count, floats.data()));
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(floats[i]),
                std::bit_cast<uint32_t>(static_cast<float>(values[i])))
          << i << " of " << count;
    }
    EXPECT_EQ(floats[count], -7) << "written beyond the end";
  }
}

TEST_P(FloatsOfDoublesTest, WhatMayNotFitIsTold) {
  for (const double beyond :
       {std::nextafter(kMost, kInfinity), -1e39, 1e300, kInfinity, -kInfinity}) {
    for (size_t at = 0; at < 37; ++at) {
      std::vector<double> values = SomeDoubles(37);
      values[at] = beyond;
      std::vector<float> floats(values.size());
      EXPECT_FALSE(FloatsOfDoubles(values.data(), values.size(), floats.data())) << at;
      EXPECT_TRUE(FloatsOfDoubles(values.data(), at, floats.data())) << at;
    }
  }
}

}  // namespace
}  // namespace dsi::internal
