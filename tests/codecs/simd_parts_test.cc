// Kernels that put values together from parts, on every SIMD target that this CPU runs, against
// plain loops: every width at every length up to 3,000, with parts of every width.
#include <vector>

#include "dsi/codecs/decimal/decimal_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using test::Numbers;

class SimdPartsTest : public test::SimdTest {
 protected:
  // Whether loops over vectors or blocks of a power of two values begin or end about here.
  static bool IsNearBlockEnd(size_t count) {
    return count <= 140 || (count + 2) % 256 <= 4 || count + 2 >= kLongest;
  }

  void CheckSplit(size_t count, size_t width, size_t high_width, size_t low_width, bool has_sign) {
    const int bits = static_cast<int>(8 * width);
    const int sign_bits = has_sign ? 1 : 0;
    SplitParts parts;
    parts.high_width = high_width;
    parts.low_width = low_width;
    parts.low_bits =
        low_width == 0 ? 0 : Bits(std::min(static_cast<int>(8 * low_width) - sign_bits, bits - 1));
    parts.shift = Bits(bits - 1 - parts.low_bits);
    const int high_bits =
        std::min(static_cast<int>(8 * high_width), bits - parts.low_bits - parts.shift - sign_bits);
    const Numbers high = Random(count, high_width, high_bits);
    const Numbers low = Random(low_width == 0 ? 0 : count, std::max<size_t>(low_width, 1),
                               parts.low_bits + sign_bits);
    parts.high = high.data();
    parts.low = low_width == 0 ? nullptr : low.data();
    Numbers expected = ToRead(count, width);
    for (size_t i = 0; i < count; ++i) {
      uint64_t value = high[i] << parts.low_bits;
      if (low_width != 0) value |= low[i] & LowMask(parts.low_bits);
      value <<= parts.shift;
      if (has_sign && (low[i] >> parts.low_bits) != 0) value |= uint64_t{1} << (bits - 1);
      expected.Set(i, value);
    }
    Numbers out = ToWrite(count, width);
    JoinSplit(parts, count, width, out.data());
    ASSERT_TRUE(out.Holds(expected))
        << "parts of " << high_width << " and " << low_width << " bytes, " << parts.low_bits
        << " low bits, shift " << parts.shift << (has_sign ? ", sign" : "");
  }
};
DSI_ON_EVERY_SIMD_TARGET(SimdPartsTest);

// E-080. Parts are at most as wide as the value; those of all widths at all lengths would take
// too long.
TEST_P(SimdPartsTest, JoinSplit) {
  constexpr size_t kLowWidths[] = {0, 1, 2, 4, 8};
  OnEveryLength([&](size_t count, size_t width) {
    const size_t num_widths = static_cast<size_t>(std::bit_width(width));
    if (!IsNearBlockEnd(count)) {
      CheckSplit(count, width, kWidths[random_.Below(num_widths)],
                 kLowWidths[random_.Below(num_widths + 1)], false);
      CheckSplit(count, width, kWidths[random_.Below(num_widths)],
                 kLowWidths[1 + random_.Below(num_widths)], true);
      return;
    }
    for (size_t h = 0; h < num_widths; ++h) {
      for (size_t l = 0; l <= num_widths; ++l) {
        CheckSplit(count, width, kWidths[h], kLowWidths[l], false);
        if (l != 0) CheckSplit(count, width, kWidths[h], kLowWidths[l], true);
      }
    }
  });
}

TEST_P(SimdPartsTest, UnionOfBits) {
  OnEveryLength([&](size_t count, size_t width) {
    // A bit that only one value has, wherever it stands.
    const uint64_t bit = uint64_t{1} << random_.Below(8 * width);
    Numbers values = Random(count, width, static_cast<int>(8 * width));
    uint64_t others = 0;
    for (size_t i = 0; i < count; ++i) {
      values.Set(i, values[i] & ~bit);
      others |= values[i];
    }
    ASSERT_EQ(UnionOfBits(values.data(), width, count), others);
    if (count == 0) return;
    for (const size_t place : {size_t{0}, count - 1, random_.Below(count)}) {
      const uint64_t before = values[place];
      values.Set(place, before | bit);
      ASSERT_EQ(UnionOfBits(values.data(), width, count), others | bit);
      values.Set(place, before);
    }
  });
}

// E-120. Integers up to both ends of their range, and one past either.
TEST_P(SimdPartsTest, JoinDecimal) {
  OnEveryLength([&](size_t count, size_t width) {
    if (width < 4) return;
    const int bits = DecimalIntegerBits(static_cast<int>(width));
    const uint64_t least = uint64_t{0} - (uint64_t{1} << bits);
    for (size_t code_width = 1; code_width <= width; code_width *= 2) {
      const int code_bits = 1 + Bits(std::min(static_cast<int>(8 * code_width), bits + 1) - 1);
      const uint64_t most_code = LowMask(code_bits);
      Numbers codes = Random(count, code_width, code_bits);
      DecimalParts parts = {.codes = codes.data(), .code_width = code_width};
      parts.exponent = Bits(MaxDecimalExponent(static_cast<int>(width)));
      const double power = kPowersOfTen[static_cast<size_t>(parts.exponent)];
      const uint64_t highest_base = (uint64_t{1} << bits) - 1 - most_code;
      const uint64_t any_base = least + random_() % (highest_base - least + 1);
      for (const uint64_t base : {any_base, least, highest_base}) {
        parts.base = base & LowMask(static_cast<int>(8 * width));
        Numbers expected = ToRead(count, width);
        for (size_t i = 0; i < count; ++i) {
          const auto integer = static_cast<int64_t>(base + codes[i]);
          if (width == 4) {
            const float value = static_cast<float>(integer) / static_cast<float>(power);
            expected.Set(i, std::bit_cast<uint32_t>(value));
          } else {
            expected.Set(i, std::bit_cast<uint64_t>(static_cast<double>(integer) / power));
          }
        }
        Numbers out = ToWrite(count, width);
        ASSERT_TRUE(JoinDecimal(parts, count, width, out.data()));
        ASSERT_TRUE(out.Holds(expected))
            << "codes of width " << code_width << ", exponent " << parts.exponent;
      }
      if (count == 0) continue;
      // All but one in range, which stands anywhere.
      const size_t place = random_.Below(3) == 0 ? count - 1 : random_.Below(count);
      const bool below = random_.Below(2) == 0;
      for (size_t i = 0; i < count; ++i) {
        if (below) codes.Set(i, std::max<uint64_t>(codes[i], 1));
        if (!below) codes.Set(i, std::min(codes[i], most_code - 1));
      }
      parts.base = (below ? least - 1 : highest_base + 1) & LowMask(static_cast<int>(8 * width));
      Numbers out = ToWrite(count, width);
      ASSERT_TRUE(JoinDecimal(parts, count, width, out.data()));
      codes.Set(place, below ? 0 : most_code);
      ASSERT_FALSE(JoinDecimal(parts, count, width, out.data()))
          << "codes of width " << code_width << ", place " << place;
    }
  });
}

}  // namespace
}  // namespace dsi::internal
