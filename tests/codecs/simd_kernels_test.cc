// Kernels of deltas, runs, bits and dictionaries, on every SIMD target that this CPU runs, against
// plain loops: every width at every length up to 3,000, unaligned starts, and not a byte written
// past the end. The simd_*_test.cc beside this one do the same for the other kernels.
#include <limits>
#include <vector>

#include "dsi/codecs/delta/delta_internal.h"
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/runs/runs_internal.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using test::Numbers;

class SimdKernelsTest : public test::SimdTest {};
DSI_ON_EVERY_SIMD_TARGET(SimdKernelsTest);

TEST_P(SimdKernelsTest, ZigZag) {
  OnEveryLength([&](size_t count, size_t width) {
    // One value more than differences.
    const Numbers values = Random(count + 1, width, 64);
    Numbers coded = ToRead(count, width);
    Numbers sums = ToRead(count, width);
    for (size_t i = 0; i < count; ++i) {
      VisitWidth(width, [&](auto zero) {
        const auto difference = static_cast<decltype(zero)>(values[i + 1] - values[i]);
        const bool negative = difference >> (8 * width - 1) != 0;
        const uint64_t doubled = uint64_t{difference} << 1;
        coded.Set(i, negative ? ~doubled : doubled);
      });
      sums.Set(i, values[i + 1]);
    }
    if (count != 0) {
      Numbers differences = ToWrite(count, width);
      ZigZagDifferences(values.data(), count + 1, width, differences.data());
      ASSERT_TRUE(differences.Holds(coded));
    }
    Numbers out = ToWrite(count, width);
    ASSERT_EQ(SumZigZag(coded.data(), count, width, values[0], out.data()), values[count]);
    ASSERT_TRUE(out.Holds(sums));
  });
}

TEST_P(SimdKernelsTest, ExpandRuns) {
  OnEveryLength([&](size_t count, size_t width) {
    const size_t longest = 1 + random_.Below(70);
    std::vector<uint32_t> lengths;
    for (size_t left = count; left != 0; left -= lengths.back())
      lengths.push_back(static_cast<uint32_t>(std::min(left, 1 + random_.Below(longest))));
    const Numbers values = Random(lengths.size(), width, 64);
    Numbers expected = ToRead(count, width);
    size_t at = 0;
    for (size_t run = 0; run < lengths.size(); ++run) {
      for (uint32_t k = 0; k < lengths[run]; ++k) expected.Set(at++, values[run]);
    }
    Numbers out = ToWrite(count, width);
    ExpandRuns(lengths.data(), values.data(), lengths.size(), width, out.data(), count);
    ASSERT_TRUE(out.Holds(expected));
  });
}

TEST_P(SimdKernelsTest, SummarizeLengths) {
  OnEveryLength([&](size_t count, size_t width) {
    if (count == 0 || width != sizeof(uint32_t)) return;
    Numbers lengths = Random(count, width, 32);
    // Wherever the smallest stands, alone, it counts.
    for (const size_t place : {size_t{0}, count - 1, random_.Below(count)}) {
      lengths.Set(place, random_() % 64);
      uint64_t sum = 0;
      uint64_t smallest = std::numeric_limits<uint64_t>::max();
      for (size_t i = 0; i < count; ++i) {
        sum += lengths[i];
        smallest = std::min(smallest, lengths[i]);
      }
      const LengthsSummary summary = SummarizeLengths(lengths.u32(), count);
      ASSERT_EQ(summary.sum, sum);
      ASSERT_EQ(summary.smallest, smallest);
      lengths.Set(place, random_());
    }
  });
}

TEST_P(SimdKernelsTest, Gather) {
  OnEveryLength([&](size_t count, size_t width) {
    for (const size_t code_width : {1, 2, 4}) {
      const int code_bits = Bits(code_width == 1 ? 8 : 12);
      const Numbers entries = Random(size_t{1} << code_bits, width, 64);
      const Numbers codes = Random(count, code_width, code_bits);
      Numbers expected = ToRead(count, width);
      for (size_t i = 0; i < count; ++i) expected.Set(i, entries[codes[i]]);
      Numbers out = ToWrite(count, width);
      Gather(entries.data(), width, codes.data(), code_width, count, out.data());
      ASSERT_TRUE(out.Holds(expected)) << "codes of width " << code_width;
    }
  });
}

TEST_P(SimdKernelsTest, GatherOrNext) {
  OnEveryLength([&](size_t count, size_t width) {
    for (const size_t code_width : {1, 2, 4}) {
      const size_t num_entries = 1 + random_.Below(code_width == 1 ? 255 : 5000);
      const size_t share = 1 + random_.Below(20);  // One of so many is a literal.
      Numbers codes = ToRead(count, code_width);
      size_t num_literals = 0;
      for (size_t i = 0; i < count; ++i) {
        const bool is_literal = random_.Below(share) == 0;
        codes.Set(i, is_literal ? num_entries : random_.Below(num_entries));
        num_literals += is_literal ? 1 : 0;
      }
      const Numbers entries = Random(num_entries, width, 64);
      const Numbers literals = Random(num_literals, width, 64);
      Numbers expected = ToRead(count, width);
      size_t used = 0;
      for (size_t i = 0; i < count; ++i)
        expected.Set(i, codes[i] == num_entries ? literals[used++] : entries[codes[i]]);
      Numbers out = ToWrite(count, width);
      GatherOrNext(entries.data(), literals.data(), num_literals, width, codes.data(), code_width,
                   static_cast<uint32_t>(num_entries), count, out.data());
      ASSERT_TRUE(out.Holds(expected)) << "codes of width " << code_width;
    }
  });
}

TEST_P(SimdKernelsTest, LargestCodeAndCountCode) {
  OnEveryLength([&](size_t count, size_t width) {
    if (width == 8) return;
    const int code_bits = Bits(static_cast<int>(8 * width) - 1);
    Numbers codes = Random(count, width, code_bits);
    const auto sought = static_cast<uint32_t>(random_() & LowMask(std::min(code_bits, 5)));
    // Wherever the largest stands, alone, it counts.
    for (size_t k = 0; count != 0 && k < 3; ++k) {
      const size_t place = k == 0 ? 0 : k == 1 ? count - 1 : random_.Below(count);
      const uint64_t before = codes[place];
      codes.Set(place, (uint64_t{1} << code_bits) + k);
      uint64_t largest = 0;
      for (size_t i = 0; i < count; ++i) largest = std::max(largest, codes[i]);
      ASSERT_EQ(LargestCode(codes.data(), width, count), largest);
      codes.Set(place, k == 2 ? sought : before);
    }
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) found += codes[i] == sought ? 1 : 0;
    ASSERT_EQ(CountCode(codes.data(), width, count, sought), found);
    // A code that the width cannot hold is not there, whatever its low bits.
    if (width < 4) {
      ASSERT_EQ(CountCode(codes.data(), width, count, sought + (1U << (8 * width))), 0U);
    }
  });
}

}  // namespace
}  // namespace dsi::internal
