// Decimals (E-120): which floats are some, that a decimal number as text always is one, and that a
// choice finds the exponent.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "dsi/codecs/decimal/find_decimals_internal.h"
#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

template <typename T>
T BitsOf(double value) {
  return std::bit_cast<T>(static_cast<FloatOf<T>>(value));
}

template <typename T>
bool IsInteger(double value, int exponent, int64_t expected) {
  int64_t integer = 0;
  return IsDecimal<T>(BitsOf<T>(value), exponent, &integer) && integer == expected;
}

template <typename T>
void CheckLimits() {
  const double reach = std::ldexp(1, DecimalIntegerBits(sizeof(T)));
  int64_t integer = 0;
  EXPECT_TRUE(IsInteger<T>(0, 3, 0));
  EXPECT_TRUE(IsInteger<T>(reach - 2, 0, static_cast<int64_t>(reach) - 2));
  EXPECT_TRUE(IsInteger<T>(1 - reach, 0, 1 - static_cast<int64_t>(reach)));
  EXPECT_FALSE(IsDecimal<T>(BitsOf<T>(reach), 0, &integer));
  EXPECT_FALSE(IsDecimal<T>(BitsOf<T>(-2 * reach), 0, &integer));
  for (int exponent = 0; exponent <= MaxDecimalExponent(sizeof(T)); ++exponent) {
    for (const double value :
         {-0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), 1.0 / 3, M_PI * 1e30}) {
      EXPECT_FALSE(IsDecimal<T>(BitsOf<T>(value), exponent, &integer)) << value << exponent;
    }
    // A denormal, as small integers look.
    EXPECT_FALSE(IsDecimal<T>(T{1}, exponent, &integer)) << exponent;
  }
}

TEST(DecimalTest, Limits) {
  CheckLimits<uint32_t>();
  CheckLimits<uint64_t>();
}

// What a parser makes of digits is their decimal: 15 of them in float64, 7 below 2^24 in float32.
TEST(DecimalTest, NumbersFromTextAreDecimals) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const int digits = 1 + static_cast<int>(random() % 15);
    const int exponent = static_cast<int>(random() % 16);
    const auto integer =
        static_cast<int64_t>(random() % static_cast<uint64_t>(std::pow(10, digits)));
    const std::string text = std::to_string(integer) + "e-" + std::to_string(exponent);
    int64_t found = -1;
    ASSERT_TRUE(
        IsDecimal(std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)), exponent, &found))
        << text;
    ASSERT_EQ(found, integer) << text;
    if (integer >= (1 << 24) || exponent > MaxDecimalExponent(4)) continue;
    ASSERT_TRUE(
        IsDecimal(std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)), exponent, &found))
        << text;
    // Neighbouring integers may share a float.
    ASSERT_LE(std::abs(found - integer), 1) << text;
  }
}

template <typename T>
int ChosenExponent(const std::function<double(uint64_t)>& value) {
  std::mt19937_64 random(4);
  std::vector<T> sample(4096);
  for (T& bits : sample) bits = BitsOf<T>(value(random()));
  return ChooseExponent<T>(sample);
}

TEST(DecimalTest, ChoiceFindsTheExponent) {
  const auto cents = [](uint64_t r) { return static_cast<double>(r % 99999) / 100; };
  EXPECT_EQ(ChosenExponent<uint32_t>(cents), 2);
  EXPECT_EQ(ChosenExponent<uint64_t>(cents), 2);
  EXPECT_EQ(ChosenExponent<uint64_t>([](uint64_t r) { return static_cast<double>(r % 50); }), 0);
  // One wild value in ten does not decide.
  EXPECT_EQ(ChosenExponent<uint64_t>([&](uint64_t r) {
              return r % 10 == 0 ? std::sqrt(1.0 + static_cast<double>(r % 999)) : cents(r);
            }),
            2);
  EXPECT_EQ(ChosenExponent<uint64_t>(
                [](uint64_t r) { return std::sqrt(2.0 + static_cast<double>(r % 99999)); }),
            -1);
  EXPECT_EQ(ChosenExponent<uint32_t>(
                [](uint64_t r) { return std::sqrt(2.0 + static_cast<double>(r % 99999)); }),
            -1);
  EXPECT_EQ(ChosenExponent<uint64_t>([](uint64_t) { return 0.0; }), -1);
  // Integers are no floats: small ones are denormals, hashed ones anything.
  std::vector<uint64_t> ids(4096);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  EXPECT_EQ(ChooseExponent<uint64_t>(ids), -1);
  for (uint64_t& id : ids) id *= 0x9E3779B97F4A7C15ULL;
  EXPECT_EQ(ChooseExponent<uint64_t>(ids), -1);
}

// E-120: the example of the spec, byte by byte.
TEST(DecimalTest, ExampleOfTheSpec) {
  const HandMadeNode node{.encoding = 13,
                          .width = 4,
                          .param = 2,
                          .count = 3,
                          .aux = 1,
                          .payload = Number(0xFFFFFF1F) + RawNode(2, {375, 0, 0}) +
                                     RawNode(4, {2}) + RawNode(4, {0x7FC00000})};
  std::vector<uint8_t> values;
  ASSERT_TRUE(Decode(node.bytes(), 4, 3, &values).ok());
  EXPECT_TRUE(
      SameBytes(values, Array(4, {BitsOf<uint32_t>(1.5), BitsOf<uint32_t>(-2.25), 0x7FC00000})));
}

// Exceptions at the very start have no decimal before them.
TEST(DecimalTest, ExceptionsAnywhere) {
  for (const size_t at : {size_t{0}, size_t{1}, size_t{50}, size_t{98}, size_t{99}}) {
    std::vector<uint64_t> values(100, BitsOf<uint64_t>(12.5));
    values[at] = BitsOf<uint64_t>(-0.0);
    values[7] = BitsOf<uint64_t>(std::numeric_limits<double>::quiet_NaN());
    const Array array(8, values);
    const EncodePlan raw = Plan(Encoding::kRaw);
    const Bytes node = Encode(array, Plan(Encoding::kDecimal, {raw, raw, raw}, 1));
    ASSERT_EQ(node[0], std::byte{13});
    std::vector<uint8_t> decoded;
    ASSERT_TRUE(Decode(node, 8, 100, &decoded).ok());
    EXPECT_TRUE(SameBytes(decoded, array));
  }
}

}  // namespace
}  // namespace dsi::internal
