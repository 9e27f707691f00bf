// Kernels of the skewed encoding, on every SIMD target that this CPU runs, against plain loops:
// every width at every length up to 3,000, for classes of all sizes.
#include "dsi/codecs/skewed/skewed_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using test::Numbers;

class SimdSkewedTest : public test::SimdTest {
 protected:
  // Two to eight classes, anywhere, that need not be in order; the widest that can be are frequent,
  // because sums of widths are kept in bytes.
  SkewedClasses RandomClasses(size_t width) {
    SkewedClasses classes;
    classes.count = 2 + random_.Below(kMaxClasses - 1);
    const int most = Bits(MostOffsetBits(width));
    const bool all_widest = random_.Below(4) == 0;
    for (size_t c = 0; c < kMaxClasses && c < classes.count; ++c) {
      classes.base[c] = random_() & LowMask(static_cast<int>(8 * width));
      classes.bits[c] = static_cast<uint8_t>(all_widest ? most : Bits(most));
    }
    return classes;
  }
  Numbers RandomSelectors(const SkewedClasses& classes, size_t count) {
    Numbers selectors = ToRead(count, 1);
    for (size_t i = 0; i < count; ++i) selectors.Set(i, random_.Below(classes.count));
    return selectors;
  }
  static size_t PlainSumOfBits(const SkewedClasses& classes, const Numbers& selectors) {
    size_t sum = 0;
    for (size_t i = 0; i < selectors.count(); ++i) sum += classes.bits[selectors[i]];
    return sum;
  }
};
DSI_ON_EVERY_SIMD_TARGET(SimdSkewedTest);

TEST_P(SimdSkewedTest, SumOfBits) {
  OnEveryLength([&](size_t count, size_t width) {
    const SkewedClasses classes = RandomClasses(width);
    const Numbers selectors = RandomSelectors(classes, count);
    ASSERT_EQ(SumOfBits(classes, selectors.u8(), count), PlainSumOfBits(classes, selectors));
  });
}

// E-110.
TEST_P(SimdSkewedTest, JoinSkewed) {
  OnEveryLength([&](size_t count, size_t width) {
    const SkewedClasses classes = RandomClasses(width);
    const Numbers selectors = RandomSelectors(classes, count);
    const size_t sum = PlainSumOfBits(classes, selectors);
    // Words after the last offset change nothing; without them the last numbers are read with care.
    const size_t extra = random_.Below(2) == 0 ? 0 : random_.Below(40);
    Numbers words = ToRead((sum + 63) / 64 + extra, 8);
    words.Clear();
    Numbers expected = ToRead(count, width);
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t c = selectors[i];
      const uint64_t offset = random_() & LowMask(classes.bits[c]);
      words.PutBits(at, offset, classes.bits[c]);
      at += classes.bits[c];
      expected.Set(i, classes.base[c] + offset);
    }
    for (; at < 64 * words.count(); ++at) words.PutBits(at, 1, 1);
    Numbers out = ToWrite(count, width);
    JoinSkewed(classes, selectors.u8(), count, words.u64(), words.count(), width, out.data());
    ASSERT_TRUE(out.Holds(expected)) << classes.count << " classes, " << sum << " bits";
  });
}

}  // namespace
}  // namespace dsi::internal
