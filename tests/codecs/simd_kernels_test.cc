// Every kernel, on every SIMD target that this CPU runs, against a plain loop: all widths, all
// lengths up to 3,000, unaligned starts, and not a byte written past the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dsi/codecs/bitmap/bitmap_internal.h"
#include "dsi/codecs/byte_planes/planes_internal.h"
#include "dsi/codecs/delta/delta_internal.h"
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/runs/runs_internal.h"
#include "dsi/codecs/simd_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

constexpr size_t kLongest = 3000;
constexpr std::byte kGuard{0xA5};

// Numbers of one width at an offset of some values from a well-aligned start, with a guard after
// them. As long as they are, so that a sanitizer sees any excess too.
class Numbers {
 public:
  Numbers(size_t count, size_t width, size_t offset)
      : count_(count), width_(width), bytes_((count + offset) * width + 64, kGuard) {
    start_ = offset * width;
  }
  static Numbers Random(std::mt19937_64* random, size_t count, size_t width, size_t offset,
                        int bits) {
    Numbers numbers(count, width, offset);
    const uint64_t mask = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    for (size_t i = 0; i < count; ++i) numbers.Set(i, (*random)() & mask);
    return numbers;
  }

  std::byte* data() { return bytes_.data() + start_; }
  const std::byte* data() const { return bytes_.data() + start_; }
  const uint32_t* u32() const { return reinterpret_cast<const uint32_t*>(data()); }
  const uint8_t* u8() const { return reinterpret_cast<const uint8_t*>(data()); }
  size_t count() const { return count_; }
  uint64_t operator[](size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, data() + i * width_, width_);
    return value;
  }
  void Set(size_t i, uint64_t value) { std::memcpy(data() + i * width_, &value, width_); }
  bool GuardHolds() const {
    return std::all_of(bytes_.end() - 64, bytes_.end(), [](std::byte b) { return b == kGuard; });
  }
  // Values and guard are as they should be. One comparison for all, as there are millions.
  bool Holds(const Numbers& expected) const {
    return count_ == 0 ||
           (GuardHolds() && std::memcmp(data(), expected.data(), count_ * width_) == 0);
  }

 private:
  size_t count_;
  size_t width_;
  size_t start_;
  Bytes bytes_;
};

class SimdKernelsTest : public testing::Test {
 protected:
  void TearDown() override { ForceSimdTarget(0); }

  // Calls check(count, width, offset) on every target: all lengths, each with one width and
  // alignment; short ones with all widths.
  template <typename Check>
  void OnEveryTarget(const Check& check) {
    constexpr size_t kWidths[] = {1, 2, 4, 8};
    constexpr size_t kShort = 140;
    for (const int64_t target : RunnableSimdTargets()) {
      ForceSimdTarget(target);
      for (size_t count = 0; count <= kLongest && !HasFailure(); ++count) {
        for (size_t k = 0; k < (count < kShort ? 4 : 1); ++k) {
          const size_t width = kWidths[(count + k) % 4];
          SCOPED_TRACE(testing::Message()
                       << SimdTargetName(target) << ", " << count << " values of width " << width);
          check(count, width, random_() % 17);
        }
      }
    }
  }

  std::mt19937_64 random_{11};
};

TEST_F(SimdKernelsTest, UnpackLinear) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    if (count >= 1024) return;
    const int bits = static_cast<int>(random_() % (8 * width + 1));
    const uint64_t base = random_();
    const Numbers numbers = Numbers::Random(&random_, count, width, 0, bits);
    Bytes packed((count * static_cast<size_t>(bits) + 63) / 64 * 8);
    PackLinear(numbers.data(), 0, bits, count, width, packed.data());
    Numbers out(count, width, offset);
    UnpackLinear(packed.data(), base, bits, count, width, out.data());
    Numbers expected(count, width, 0);
    for (size_t i = 0; i < count; ++i) expected.Set(i, numbers[i] + base);
    ASSERT_TRUE(out.Holds(expected)) << bits << " bits";
  });
}

TEST_F(SimdKernelsTest, SumZigZag) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const Numbers values = Numbers::Random(&random_, count + 1, width, 0, 64);
    Numbers differences(count, width, random_() % 17);
    ZigZagDifferences(values.data(), count + 1, width, differences.data());
    ASSERT_TRUE(differences.GuardHolds());
    Numbers out(count, width, offset);
    const uint64_t last = SumZigZag(differences.data(), count, width, values[0], out.data());
    Numbers expected(count, width, 0);
    for (size_t i = 0; i < count; ++i) expected.Set(i, values[i + 1]);
    ASSERT_TRUE(out.Holds(expected));
    ASSERT_EQ(last, values[count]);
  });
}

TEST_F(SimdKernelsTest, ExpandRuns) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const uint64_t longest = 1 + random_() % 70;
    std::vector<uint32_t> lengths;
    for (size_t left = count; left != 0; left -= lengths.back())
      lengths.push_back(static_cast<uint32_t>(std::min<uint64_t>(left, 1 + random_() % longest)));
    const Numbers values = Numbers::Random(&random_, lengths.size(), width, 0, 64);
    Numbers out(count, width, offset);
    ExpandRuns(lengths.data(), values.data(), lengths.size(), width, out.data(), count);
    Numbers expected(count, width, 0);
    size_t at = 0;
    for (size_t run = 0; run < lengths.size(); ++run) {
      for (uint32_t k = 0; k < lengths[run]; ++k) expected.Set(at++, values[run]);
    }
    ASSERT_TRUE(out.Holds(expected));
  });
}

TEST_F(SimdKernelsTest, SummarizeLengths) {
  OnEveryTarget([&](size_t count, size_t, size_t offset) {
    if (count == 0) return;
    Numbers lengths = Numbers::Random(&random_, count, 4, offset, 32);
    const size_t least = random_() % count;
    lengths.Set(least, lengths[least] % 2);
    uint64_t sum = 0;
    uint64_t smallest = std::numeric_limits<uint64_t>::max();
    for (size_t i = 0; i < count; ++i) {
      sum += lengths[i];
      smallest = std::min(smallest, lengths[i]);
    }
    const LengthsSummary summary = SummarizeLengths(lengths.u32(), count);
    ASSERT_EQ(summary.sum, sum);
    ASSERT_EQ(summary.smallest, smallest);
  });
}

TEST_F(SimdKernelsTest, Bits) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const Numbers values = Numbers::Random(&random_, count, width, offset, 1);
    Numbers bits((count + 7) / 8, 1, random_() % 17);
    CollectBits(values.data(), count, width, bits.data());
    Numbers expected((count + 7) / 8, 1, 0);
    for (size_t i = 0; i < expected.count(); ++i) expected.Set(i, 0);
    for (size_t i = 0; i < count; ++i) expected.Set(i / 8, expected[i / 8] | values[i] << (i % 8));
    ASSERT_TRUE(bits.Holds(expected));
    Numbers out(count, width, offset);
    ExpandBits(bits.data(), count, width, out.data());
    ASSERT_TRUE(out.Holds(values));
  });
}

TEST_F(SimdKernelsTest, JoinPlanes) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    if (width == 1) return;
    std::vector<Numbers> planes;
    std::vector<const uint8_t*> starts;
    for (size_t k = 0; k < width; ++k) {
      planes.push_back(Numbers::Random(&random_, count, 1, random_() % 17, 8));
      starts.push_back(planes.back().u8());
    }
    Numbers out(count, width, offset);
    JoinPlanes(starts.data(), count, width, out.data());
    Numbers expected(count, width, 0);
    for (size_t i = 0; i < count; ++i) {
      uint64_t value = 0;
      for (size_t k = 0; k < width; ++k) value |= uint64_t{starts[k][i]} << (8 * k);
      expected.Set(i, value);
    }
    ASSERT_TRUE(out.Holds(expected));
  });
}

TEST_F(SimdKernelsTest, GatherAndLargestCode) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const size_t code_width = size_t{1} << (random_() % 3);
    const int code_bits = static_cast<int>(random_() % (code_width == 1 ? 9 : 13));
    const Numbers entries = Numbers::Random(&random_, size_t{1} << code_bits, width, 3, 64);
    const Numbers codes = Numbers::Random(&random_, count, code_width, random_() % 17, code_bits);
    Numbers out(count, width, offset);
    Gather(entries.data(), width, codes.data(), code_width, count, out.data());
    Numbers expected(count, width, 0);
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i) {
      expected.Set(i, entries[codes[i]]);
      largest = std::max(largest, codes[i]);
    }
    ASSERT_TRUE(out.Holds(expected));
    if (count != 0) {
      ASSERT_EQ(LargestCode(codes.data(), code_width, count), largest);
    }
  });
}

TEST_F(SimdKernelsTest, GatherOrNextAndCountCode) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const size_t code_width = size_t{1} << (random_() % 3);
    const size_t num_entries = 1 + random_() % (code_width == 1 ? 255 : 5000);
    const Numbers entries = Numbers::Random(&random_, num_entries, width, 3, 64);
    const Numbers literals = Numbers::Random(&random_, count, width, 5, 64);
    const uint64_t share = 1 + random_() % 20;  // One of so many is a literal.
    Numbers codes(count, code_width, random_() % 17);
    Numbers expected(count, width, 0);
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t code = random_() % share == 0 ? num_entries : random_() % num_entries;
      codes.Set(i, code);
      expected.Set(i, code == num_entries ? literals[used++] : entries[code]);
    }
    const auto literal = static_cast<uint32_t>(num_entries);
    ASSERT_EQ(CountCode(codes.data(), code_width, count, literal), used);
    Numbers out(count, width, offset);
    GatherOrNext(entries.data(), literals.data(), width, codes.data(), code_width, literal, count,
                 out.data());
    ASSERT_TRUE(out.Holds(expected));
    ASSERT_EQ(CountCode(codes.data(), 1, count, 256), 0U);
  });
}

TEST_F(SimdKernelsTest, JoinSplitAndUnionOfBits) {
  OnEveryTarget([&](size_t count, size_t width, size_t offset) {
    const int bits = static_cast<int>(8 * width);
    SplitParts parts;
    parts.low_bits = static_cast<int>(random_() % static_cast<uint64_t>(bits));
    parts.shift = static_cast<int>(random_() % static_cast<uint64_t>(bits - parts.low_bits));
    const int high_bits = bits - parts.low_bits - parts.shift;
    const auto bytes_for = [](int n) { return n <= 8 ? 1 : n <= 16 ? 2 : n <= 32 ? 4 : 8; };
    parts.high_width = static_cast<size_t>(bytes_for(high_bits));
    parts.low_width = parts.low_bits == 0 ? 0 : static_cast<size_t>(bytes_for(parts.low_bits));
    const Numbers high = Numbers::Random(&random_, count, parts.high_width, 5, high_bits);
    const Numbers low =
        Numbers::Random(&random_, count, std::max<size_t>(parts.low_width, 1), 3, parts.low_bits);
    parts.high = high.data();
    parts.low = low.data();
    Numbers out(count, width, offset);
    JoinSplit(parts, count, width, out.data());
    Numbers expected(count, width, 0);
    uint64_t any = 0;
    for (size_t i = 0; i < count; ++i) {
      expected.Set(i, ((high[i] << parts.low_bits) | low[i]) << parts.shift);
      any |= expected[i];
    }
    ASSERT_TRUE(out.Holds(expected));
    ASSERT_EQ(UnionOfBits(out.data(), width, count), any);
  });
}

// Full blocks have one length; every bit width, and starts on any byte of the packed side.
TEST_F(SimdKernelsTest, FullBlocks) {
  constexpr size_t kBlock = 1024;
  for (const int64_t target : RunnableSimdTargets()) {
    ForceSimdTarget(target);
    for (const size_t width : {1, 2, 4, 8}) {
      for (int bits = 0; bits <= static_cast<int>(8 * width); ++bits) {
        SCOPED_TRACE(testing::Message()
                     << SimdTargetName(target) << ", width " << width << ", " << bits << " bits");
        const uint64_t base = random_();
        const Numbers numbers = Numbers::Random(&random_, kBlock, width, 0, bits);
        Numbers packed(128 * static_cast<size_t>(bits), 1, random_() % 17);
        if (bits != 0) PackBlock(numbers.data(), 0, bits, width, packed.data());
        ASSERT_TRUE(packed.GuardHolds());
        Numbers out(kBlock, width, random_() % 17);
        UnpackTable(width)[bits](packed.data(), base, out.data());
        Numbers expected(kBlock, width, 0);
        for (size_t i = 0; i < kBlock; ++i) expected.Set(i, numbers[i] + base);
        ASSERT_TRUE(out.Holds(expected));
      }
    }
  }
}

}  // namespace
}  // namespace dsi::internal
