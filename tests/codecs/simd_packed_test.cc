// Kernels of the packed encoding, on every SIMD target that this CPU runs, against plain loops: all
// bit widths, bases, and packed bytes that start anywhere.
#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using test::Numbers;

constexpr size_t kBlock = 1024;

class SimdPackedTest : public test::SimdTest {
 protected:
  static Numbers PlusBase(const Numbers& numbers, size_t width, uint64_t base, size_t offset) {
    Numbers values = Numbers::ToRead(numbers.count(), width, offset);
    for (size_t i = 0; i < numbers.count(); ++i) values.Set(i, numbers[i] + base);
    return values;
  }

  void CheckLinear(size_t count, size_t width, int bits) {
    // Half of them without a base; which half changes with the length.
    const uint64_t base = (count + static_cast<size_t>(bits)) % 2 == 0 ? 0 : random_();
    const Numbers numbers = Random(count, width, bits);
    const Numbers values = PlusBase(numbers, width, base, Offset(width));
    const auto step = static_cast<size_t>(bits);
    Numbers stream = ToRead((count * step + 63) / 64 * 8, 1);
    stream.Clear();
    for (size_t i = 0; i < count; ++i) stream.PutBits(i * step, numbers[i], bits);
    Numbers packed = ToWrite(stream.count(), 1);
    PackLinear(values.data(), base, bits, count, width, packed.data());
    ASSERT_TRUE(packed.Holds(stream)) << bits << " bits, base " << base;
    Numbers out = ToWrite(count, width);
    UnpackLinear(stream.data(), base, bits, count, width, out.data());
    ASSERT_TRUE(out.Holds(values)) << bits << " bits, base " << base;
  }
};
DSI_ON_EVERY_SIMD_TARGET(SimdPackedTest);

// E-022. Linear blocks are shorter than a full one.
TEST_P(SimdPackedTest, LinearBlocks) {
  OnEveryLength([&](size_t count, size_t width) {
    if (count >= kBlock) return;
    for (int bits = 0; bits <= static_cast<int>(8 * width) && !HasFailure(); ++bits)
      CheckLinear(count, width, bits);
  });
}

// E-021: number i is number i / L of lane i mod L; word w of lane j stands at byte (w * L + j) *
// width. Full blocks have one length.
TEST_P(SimdPackedTest, FullBlocks) {
  for (const size_t width : kWidths) {
    const size_t lanes = 128 / width;
    for (int bits = 0; bits <= static_cast<int>(8 * width); ++bits) {
      const auto step = static_cast<size_t>(bits);
      // More often than there are alignments of the packed side in a cache line of 64 bytes.
      for (size_t round = 0; round < 80; ++round) {
        const size_t offset = round % 64;
        SCOPED_TRACE(testing::Message()
                     << "width " << width << ", " << bits << " bits, at byte " << offset);
        const uint64_t base = round % 4 == 0 ? 0 : random_();
        const Numbers numbers = Random(kBlock, width, bits);
        const Numbers values = PlusBase(numbers, width, base, Offset(width));
        Numbers block = Numbers::ToRead(128 * step, 1, offset);
        block.Clear();
        for (size_t i = 0; i < kBlock; ++i) {
          uint64_t number = numbers[i];
          size_t in_lane = i / lanes * step;
          for (size_t left = step; left != 0;) {
            const size_t word = in_lane / (8 * width);
            const size_t in_word = in_lane % (8 * width);
            const size_t taken = std::min(left, 8 * width - in_word);
            block.PutBits((word * lanes + i % lanes) * width * 8 + in_word, number,
                          static_cast<int>(taken));
            number = taken == 64 ? 0 : number >> taken;
            in_lane += taken;
            left -= taken;
          }
        }
        if (bits != 0) {
          Numbers packed = Numbers::ToWrite(128 * step, 1, offset);
          PackBlock(values.data(), base, bits, width, packed.data());
          ASSERT_TRUE(packed.Holds(block)) << "base " << base;
        }
        Numbers out = ToWrite(kBlock, width);
        UnpackTable(width)[bits](block.data(), base, out.data());
        ASSERT_TRUE(out.Holds(values)) << "base " << base;
      }
    }
  }
}

TEST_P(SimdPackedTest, MeasureRange) {
  OnEveryLength([&](size_t count, size_t width) {
    if (count == 0) return;
    const int top = static_cast<int>(8 * width) - 1;
    const uint64_t sign = uint64_t{1} << top;
    // Few values, away from all four ends, around either of the places where numbers wrap.
    Numbers values = Random(count, width, 4);
    const uint64_t base = random_() % 2 == 0 ? 8 : sign + 8;
    for (size_t i = 0; i < count; ++i) values.Set(i, values[i] + base);
    // Wherever an extreme stands, alone, it counts.
    for (const uint64_t extreme : {uint64_t{0}, ~uint64_t{0}, sign - 1, sign, random_()}) {
      const size_t places[] = {0, count - 1, random_.Below(count), random_.Below(count)};
      const size_t place = places[random_.Below(4)];
      const uint64_t before = values[place];
      values.Set(place, extreme);
      // Signed order is unsigned order with the sign turned over.
      uint64_t low = values[0];
      uint64_t high = values[0];
      uint64_t turned_low = values[0] ^ sign;
      uint64_t turned_high = values[0] ^ sign;
      for (size_t i = 1; i < count; ++i) {
        const uint64_t value = values[i];
        low = std::min(low, value);
        high = std::max(high, value);
        turned_low = std::min(turned_low, value ^ sign);
        turned_high = std::max(turned_high, value ^ sign);
      }
      const ValueRange range = MeasureRange(values.data(), count, width);
      ASSERT_EQ(range.unsigned_min, low);
      ASSERT_EQ(range.unsigned_max, high);
      ASSERT_EQ(range.signed_min, turned_low ^ sign);
      ASSERT_EQ(range.signed_max, turned_high ^ sign);
      values.Set(place, before);
    }
  });
}

}  // namespace
}  // namespace dsi::internal
