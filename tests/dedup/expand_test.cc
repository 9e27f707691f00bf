// Expansion kernels against plain loops, on every Highway target of this machine.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using test::FastRandom;

// A list of some length and others: of that length, shorter, up to half longer, empty. In an
// allocation of their exact size, so that a sanitizer sees a read past its end.
struct TestPool {
  std::vector<std::byte> values;
  std::vector<uint64_t> starts;
  std::vector<uint32_t> lengths;
  std::vector<uint8_t> present;  // Of the empty ones some are there.
  std::vector<uint64_t> places;  // In every other pool.
  std::vector<std::byte> held;   // The values, narrowed where they may be.
  int width;
  int narrow = 0;

  TestPool(FastRandom& random, size_t num_unique, size_t length, size_t value_width)
      : width(static_cast<int>(value_width)) {
    uint64_t total = 0;
    for (size_t i = 0; i < num_unique; ++i) {
      const size_t kind = i == 0 ? 1 : random.Below(4);
      const size_t any = random.Below(length + length / 2 + 2);
      lengths.push_back(static_cast<uint32_t>(kind == 0 ? 0 : kind == 1 ? length : any));
      starts.push_back(total);
      present.push_back(lengths.back() != 0 || random.Below(2) == 0 ? 1 : 0);
      total += lengths.back();
    }
    if (random.Below(2) == 0) {
      for (size_t i = 0; i < num_unique; ++i)
        places.push_back(PackPlace(static_cast<uint32_t>(starts[i]), lengths[i]));
    }
    values.resize(total * value_width);
    if (value_width >= 4) narrow = static_cast<int>(random.Below(value_width == 8 ? 4 : 3));
    const size_t held_width = value_width >> narrow;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % value_width >= held_width) continue;
      values[i] = static_cast<std::byte>(random());
      held.push_back(values[i]);
    }
    held.shrink_to_fit();
  }

  ValuePool View() const {
    const size_t num_values = values.size() / static_cast<size_t>(width);
    return {.values = held.data(),
            .num_values = num_values,
            .width = width,
            .narrow = narrow,
            .starts = starts.data(),
            .lengths = lengths.data(),
            .present = present.data(),
            .places = places.empty() ? nullptr : places.data()};
  }
};

std::vector<std::byte> NaivePad(const TestPool& of, const std::vector<uint32_t>& slots,
                                const PadOptions& options) {
  const ValuePool pool = of.View();
  const size_t width = static_cast<size_t>(pool.width);
  std::vector<std::byte> out(slots.size() * options.row_length * width);
  for (size_t row = 0; row < slots.size(); ++row) {
    const uint32_t length = pool.lengths[slots[row]];
    const uint32_t kept = std::min(length, options.row_length);
    for (uint32_t i = 0; i < options.row_length; ++i) {
      const uint32_t skip = options.pad_left ? options.row_length - kept : 0;
      const bool is_value = i >= skip && i - skip < kept;
      const uint64_t value =
          pool.starts[slots[row]] + (options.keep_last ? length - kept : 0) + (i - skip);
      std::memcpy(&out[(row * options.row_length + i) * width],
                  is_value ? static_cast<const void*>(of.values.data() + value * width)
                           : static_cast<const void*>(&options.pad_bits),
                  width);
    }
  }
  return out;
}

// What PadRows says of each row.
struct Told {
  std::vector<int32_t> kept;
  std::vector<uint8_t> present;
  uint64_t entries = 0;

  explicit Told(size_t num_rows) : kept(num_rows, -1), present(num_rows, 2) {}
  PaddedRows With(std::byte* values, bool past_cache) {
    return {values, kept.data(), present.data(), past_cache};
  }
  bool operator==(const Told&) const = default;
};

Told NaiveTold(const ValuePool& pool, const std::vector<uint32_t>& slots, uint32_t row_length) {
  Told told(slots.size());
  for (size_t row = 0; row < slots.size(); ++row) {
    const uint32_t length = pool.lengths[slots[row]];
    told.kept[row] = static_cast<int32_t>(std::min(length, row_length));
    told.present[row] = pool.present[slots[row]];
    told.entries += length;
  }
  return told;
}

// The first unique row by itself, then others in any order, many of them a few times in a row.
std::vector<uint32_t> AnySlots(FastRandom& random, size_t num_rows, size_t num_unique) {
  std::vector<uint32_t> slots = {0, 0};
  for (size_t row = 0; row < num_rows; ++row) {
    const bool repeats = random.Below(3) != 0;
    slots.push_back(repeats ? slots.back() : static_cast<uint32_t>(random.Below(num_unique)));
  }
  return slots;
}

std::vector<uint32_t> SlotsFrom(size_t first, size_t num_unique) {
  std::vector<uint32_t> slots(num_unique - first);
  std::iota(slots.begin(), slots.end(), static_cast<uint32_t>(first));
  return slots;
}

class ExpandTest : public test::SimdTest {
 protected:
  // Fewer of longer rows.
  size_t AnyNumberOfRows(size_t length) { return 1 + random_.Below(4 + 2000 / (length + 10)); }
};
DSI_ON_EVERY_SIMD_TARGET(ExpandTest);

TEST_P(ExpandTest, PadRowsEqualsPlainLoops) {
  OnEveryLength([&](size_t length, size_t width) {
    const size_t num_unique = AnyNumberOfRows(length);
    const TestPool pool(random_, num_unique, length, width);
    PadOptions options;
    options.row_length = static_cast<uint32_t>(length);
    for (const int sides : {0, 1, 2, 3}) {
      SCOPED_TRACE(sides);
      const bool past_cache = random_.Below(2) == 0;
      options.pad_left = (sides & 1) != 0;
      options.keep_last = (sides & 2) != 0;
      options.pad_bits = random_();
      const auto slots = AnySlots(random_, AnyNumberOfRows(length), num_unique);
      const std::vector<std::byte> expected = NaivePad(pool, slots, options);
      // Any alignment, in an allocation that ends where the output ends.
      const size_t shift = random_.Below(2) == 0 ? random_.Below(64) : random_.Below(8) * width;
      std::vector<std::byte> out(shift + expected.size());
      Told told(slots.size());
      told.entries =
          PadRows(pool.View(), slots, options, told.With(out.data() + shift, past_cache));
      ASSERT_TRUE(told == NaiveTold(pool.View(), slots, options.row_length));
      ASSERT_TRUE(std::all_of(out.begin(), out.begin() + static_cast<int64_t>(shift),
                              [](std::byte byte) { return byte == std::byte{0}; }));
      out.erase(out.begin(), out.begin() + static_cast<int64_t>(shift));
      ASSERT_TRUE(out == expected);

      const size_t first = random_.Below(num_unique);
      const auto range = SlotsFrom(first, num_unique);
      out.resize(range.size() * length * width);
      Told of_range(range.size());
      of_range.entries = PadRowRange(pool.View(), static_cast<uint32_t>(first), range.size(),
                                     options, of_range.With(out.data(), past_cache));
      ASSERT_TRUE(of_range == NaiveTold(pool.View(), range, options.row_length));
      ASSERT_TRUE(out == NaivePad(pool, range, options));
      std::fill(out.begin(), out.end(), std::byte{0});
      PadRows(pool.View(), range, options, {.values = out.data(), .past_cache = past_cache});
      ASSERT_TRUE(out == NaivePad(pool, range, options));
    }
  });
}

TEST_P(ExpandTest, GatherRowsEqualsPlainLoops) {
  OnEveryLength([&](size_t length, size_t width) {
    const size_t num_unique = AnyNumberOfRows(length);
    const TestPool pool(random_, num_unique, length, width);
    const auto any = AnySlots(random_, AnyNumberOfRows(length), num_unique);
    const auto all = SlotsFrom(0, num_unique);
    for (const auto& slots : {any, all}) {
      std::vector<std::byte> expected;
      std::vector<int64_t> offsets = {5};
      for (const uint32_t slot : slots) {
        const auto from = pool.values.begin() + static_cast<int64_t>(pool.starts[slot] * width);
        expected.insert(expected.end(), from,
                        from + static_cast<int64_t>(pool.lengths[slot] * width));
        offsets.push_back(offsets.back() + pool.lengths[slot]);
      }
      const uint64_t count = expected.size() / width;
      std::vector<std::byte> out(expected.size());
      GatherRows(pool.View(), slots, {.values = out.data(), .room = count});
      ASSERT_TRUE(out == expected);
      std::vector<int64_t> found(slots.size() + 1);
      std::vector<uint8_t> present(slots.size(), 2);
      std::fill(out.begin(), out.end(), std::byte{0});
      const JaggedRows to = {.values = out.data(),
                             .room = count,
                             .offsets = found.data(),
                             .base = 5,
                             .present = present.data()};
      ASSERT_EQ(slots == all ? GatherRowRange(pool.View(), num_unique, to)
                             : GatherRows(pool.View(), slots, to),
                count);
      ASSERT_TRUE(out == expected);
      ASSERT_EQ(found, offsets);
      ASSERT_EQ(present, NaiveTold(pool.View(), slots, 1).present);
    }
  });
}

// What stands in the room behind the rows is lost; what stands behind the room stays.
TEST_P(ExpandTest, GatherRowsStayInTheirRoom) {
  OnEveryLength([&](size_t length, size_t width) {
    const size_t num_unique = AnyNumberOfRows(length);
    const TestPool pool(random_, num_unique, length, width);
    const std::vector<uint32_t> slots = AnySlots(random_, 3, num_unique);
    uint64_t count = 0;
    for (const uint32_t slot : slots) count += pool.lengths[slot];
    const uint64_t room = count + random_.Below(200);
    std::vector<std::byte> out((room + 100) * width, std::byte{0x5A});
    ASSERT_EQ(GatherRows(pool.View(), slots, {.values = out.data(), .room = room}), count);
    ASSERT_TRUE(std::all_of(out.begin() + static_cast<int64_t>(room * width), out.end(),
                            [](std::byte byte) { return byte == std::byte{0x5A}; }));
  });
}

RunPosition FindRun(std::span<const uint32_t> run_lengths, uint64_t row) {
  RunPosition at;
  while (at.run < run_lengths.size() && row >= run_lengths[at.run]) row -= run_lengths[at.run++];
  at.row_in_run = static_cast<uint32_t>(row);
  return at;
}

// D-001, form 1: any range of rows, also piece by piece.
TEST_P(ExpandTest, RunsToInverseEqualsPlainLoops) {
  for (const uint32_t longest : {1U, 3U, 20U, 1000U}) {
    std::vector<uint32_t> runs;
    std::vector<uint32_t> expected;
    while (expected.size() < 3000) {
      runs.push_back(1 + static_cast<uint32_t>(random_() % longest));
      expected.insert(expected.end(), runs.back(), static_cast<uint32_t>(runs.size() - 1));
    }
    for (int i = 0; i < 50; ++i) {
      const size_t first = random_() % expected.size();
      const size_t count = random_() % (expected.size() - first + 1);
      std::vector<uint32_t> inverse(count);
      RunsToInverse(runs, FindRun(runs, first), inverse);
      ASSERT_TRUE(std::equal(inverse.begin(), inverse.end(),
                             expected.begin() + static_cast<int64_t>(first)));
    }
    std::vector<uint32_t> pieces;
    RunPosition at;
    while (pieces.size() < expected.size()) {
      std::vector<uint32_t> piece(
          std::min<size_t>(random_() % 100, expected.size() - pieces.size()));
      at = RunsToInverse(runs, at, piece);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, expected);
    EXPECT_EQ(at.run, runs.size());
    EXPECT_EQ(at.row_in_run, 0U);
  }
}

TEST_P(ExpandTest, RunsToInverseOfEveryLength) {
  for (size_t count = 0; count <= kLongest; ++count) {
    const size_t skipped = count % 5;
    const uint64_t longest = 1 + random_() % 40;
    std::vector<uint32_t> runs;
    std::vector<uint32_t> expected;
    while (expected.size() < skipped + count) {
      runs.push_back(1 + static_cast<uint32_t>(random_() % longest));
      expected.insert(expected.end(), runs.back(), static_cast<uint32_t>(runs.size() - 1));
    }
    expected.resize(skipped + count);
    expected.erase(expected.begin(), expected.begin() + static_cast<int64_t>(skipped));
    std::vector<uint32_t> inverse(count);
    const RunPosition end = RunsToInverse(runs, FindRun(runs, skipped), inverse);
    ASSERT_EQ(inverse, expected) << count;
    ASSERT_EQ(end.run, FindRun(runs, skipped + count).run);
    ASSERT_EQ(end.row_in_run, FindRun(runs, skipped + count).row_in_run);
  }
}

// Bits of form 2 as one byte each, at any alignment: `shift` bytes come before them. Those of every
// third length are all ones, for which the outputs have no room to spare.
std::vector<uint8_t> RandomBits(FastRandom& random, size_t count, size_t shift) {
  std::vector<uint8_t> bits(shift + count, uint8_t{1});
  for (size_t i = shift; i < bits.size() && count % 3 != 0; ++i) bits[i] = random() % 3 == 0;
  return bits;
}

// D-001, form 2.
TEST_P(ExpandTest, BitsToInverseEqualsPlainLoops) {
  for (size_t count = 0; count <= kLongest; ++count) {
    const size_t shift = random_() % 64;
    const std::vector<uint8_t> shifted = RandomBits(random_, count, shift);
    const std::span<const uint8_t> bits = std::span(shifted).subspan(shift);
    const uint32_t before = count % 2 == 0 ? 1 : 77777;
    std::vector<uint32_t> expected;
    uint32_t ones = before;
    for (const uint8_t bit : bits) expected.push_back((ones += bit) - 1);
    // Any alignment of the output too.
    const size_t skipped = random_() % 16;
    std::vector<uint32_t> inverse(skipped + count);
    ASSERT_EQ(BitsToInverse(bits, before, inverse.data() + skipped), ones) << count;
    inverse.erase(inverse.begin(), inverse.begin() + static_cast<int64_t>(skipped));
    ASSERT_EQ(inverse, expected) << count;
  }
}

// The ends of runs that form 2 says. Room for exactly as many places as there are bits.
TEST_P(ExpandTest, OnesToPlacesEqualsPlainLoops) {
  for (size_t count = 0; count <= kLongest; ++count) {
    const size_t shift = random_() % 64;
    const std::vector<uint8_t> shifted = RandomBits(random_, count, shift);
    const std::span<const uint8_t> bits = std::span(shifted).subspan(shift);
    const uint32_t first = count % 2 == 0 ? 1 : 77777;
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < count; ++i) {
      if (bits[i] != 0) expected.push_back(first + static_cast<uint32_t>(i));
    }
    const size_t skipped = random_() % 16;
    std::vector<uint32_t> places(skipped + count);
    ASSERT_EQ(OnesToPlaces(bits, first, places.data() + skipped), expected.size()) << count;
    places.erase(places.begin(), places.begin() + static_cast<int64_t>(skipped));
    places.resize(expected.size());
    ASSERT_EQ(places, expected) << count;
  }
}

TEST_P(ExpandTest, StartsOfListsOfEveryNumberD010) {
  std::mt19937_64 random(5);
  constexpr uint32_t kMaxCode = 1U << 31;
  for (size_t rows = 0; rows <= kLongest; ++rows) {
    std::vector<uint32_t> codes(rows);
    std::vector<uint32_t> expected_lengths(rows);
    std::vector<uint64_t> expected_starts(rows);
    uint64_t total = 0;
    for (size_t i = 0; i < rows; ++i) {
      // Few that make sums of more than 32 bits, many small ones, some missing.
      codes[i] = random() % 8 == 0 ? kMaxCode - static_cast<uint32_t>(random() % 2)
                                   : static_cast<uint32_t>(random() % 9);
      expected_lengths[i] = codes[i] == 0 ? 0 : codes[i] - 1;
      expected_starts[i] = total;
      total += expected_lengths[i];
    }
    std::vector<uint32_t> lengths(rows);
    std::vector<uint64_t> starts(rows);
    std::vector<uint8_t> present(rows);
    uint32_t greatest = 0;
    const Result<uint64_t> found =
        ShapesToStarts(codes, total, lengths.data(), starts.data(), present.data(), &greatest);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(*found, total);
    ASSERT_EQ(lengths, expected_lengths);
    ASSERT_EQ(starts, expected_starts);
    ASSERT_EQ(greatest, rows == 0 ? 0 : *std::max_element(codes.begin(), codes.end()));
    for (size_t row = 0; row < rows; ++row) ASSERT_EQ(present[row], codes[row] != 0 ? 1 : 0);
    if (rows == 0) continue;
    if (total != 0) {
      ASSERT_FALSE(
          ShapesToStarts(codes, total - 1, lengths.data(), starts.data(), present.data(), &greatest)
              .ok());
    }
    // Wherever it stands, a code above the limit is seen (F-090).
    codes[random() % rows] = kMaxCode + 1;
    ASSERT_FALSE(
        ShapesToStarts(codes, UINT64_MAX, lengths.data(), starts.data(), present.data(), &greatest)
            .ok());
  }
}

TEST_P(ExpandTest, StartsOfScalarsOfEveryNumberD010) {
  std::mt19937_64 random(6);
  for (size_t rows = 0; rows <= kLongest; ++rows) {
    const uint32_t entries = rows % 2 == 0 ? 1 : static_cast<uint32_t>(random() >> random() % 64);
    std::vector<uint8_t> codes(rows);
    std::vector<uint32_t> expected_lengths(rows);
    std::vector<uint64_t> expected_starts(rows);
    uint64_t total = 0;
    for (size_t i = 0; i < rows; ++i) {
      codes[i] = static_cast<uint8_t>(random() % 2);
      expected_lengths[i] = codes[i] * entries;
      expected_starts[i] = total;
      total += expected_lengths[i];
    }
    std::vector<uint32_t> lengths(rows);
    std::vector<uint64_t> starts(rows);
    uint32_t greatest = 0;
    const Result<uint64_t> found =
        ShapesToStarts(codes, entries, total, lengths.data(), starts.data(), &greatest);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(*found, total);
    ASSERT_EQ(lengths, expected_lengths);
    ASSERT_EQ(starts, expected_starts);
    ASSERT_EQ(greatest, rows == 0 ? 0 : *std::max_element(codes.begin(), codes.end()));
    std::vector<uint8_t> present(rows);
    std::vector<uint32_t> list_codes(codes.begin(), codes.end());
    for (uint32_t& code : list_codes) code *= 1 + static_cast<uint32_t>(random() % 1000);
    std::vector<uint32_t> list_lengths(rows);
    ASSERT_EQ(ShapesToLengths(list_codes, list_lengths.data(), present.data()),
              rows == 0 ? 0 : *std::max_element(list_codes.begin(), list_codes.end()));
    for (size_t i = 0; i < rows; ++i) {
      ASSERT_EQ(list_lengths[i], list_codes[i] == 0 ? 0 : list_codes[i] - 1);
      ASSERT_EQ(present[i], list_codes[i] == 0 ? 0 : 1);
    }
    if (rows == 0) continue;
    codes[random() % rows] = static_cast<uint8_t>(2 + random() % 254);
    ASSERT_FALSE(
        ShapesToStarts(codes, entries, UINT64_MAX, lengths.data(), starts.data(), &greatest).ok());
  }
}

// As a table would have it, which is not asked.
TEST(BatchUnique, NumbersSlotsThatComeOnce) {
  BatchUnique batch_unique;
  batch_unique.Reset(5, true);
  for (const std::vector<uint32_t>& slots : {std::vector<uint32_t>{3, 0, 4}, {1, 2}, {}}) {
    std::vector<uint32_t> inverse(slots.size(), 9);
    std::vector<uint32_t> unique(slots.size(), 9);
    ASSERT_EQ(batch_unique.Renumber(slots, inverse.data(), unique.data()), slots.size());
    EXPECT_EQ(unique, slots);
    EXPECT_EQ(inverse, SlotsFrom(0, slots.size()));
  }
  batch_unique.Reset(5);
  const std::vector<uint32_t> slots = {2, 2};
  std::vector<uint32_t> inverse(2);
  std::vector<uint32_t> unique(2);
  EXPECT_EQ(batch_unique.Renumber(slots, inverse.data(), unique.data()), 1u);
}

TEST(BatchUnique, AscendingSlotsNeedNoTable) {
  std::mt19937_64 random(6);
  for (size_t rows = 0; rows < 200; ++rows) {
    std::vector<uint32_t> slots(rows);
    uint32_t slot = static_cast<uint32_t>(random() % 3);
    for (uint32_t& at : slots)
      at = slot += static_cast<uint32_t>(random() % 2 == 0 ? 0 : random() % 5);
    std::vector<uint32_t> inverse(rows), unique(rows), expected_inverse(rows), expected(rows);
    BatchUnique batch_unique;
    batch_unique.Reset(slot + 1);
    const size_t count = batch_unique.Renumber(slots, expected_inverse.data(), expected.data());
    ASSERT_EQ(RenumberAscending(slots, inverse.data(), unique.data()), count);
    EXPECT_EQ(inverse, expected_inverse);
    unique.resize(count);
    expected.resize(count);
    EXPECT_EQ(unique, expected);
  }
}

TEST(BatchUnique, NumbersByFirstUseOverManyBatchesAndStripes) {
  std::mt19937_64 random(5);
  BatchUnique batch_unique;
  for (const uint32_t num_unique : {1U, 10U, 1000U, 30U}) {
    batch_unique.Reset(num_unique);
    for (int batch = 0; batch < 20; ++batch) {
      std::vector<uint32_t> slots(random() % 300);
      for (uint32_t& slot : slots) slot = static_cast<uint32_t>(random() % num_unique);
      std::vector<uint32_t> inverse(slots.size());
      std::vector<uint32_t> unique(slots.size());
      unique.resize(batch_unique.Renumber(slots, inverse.data(), unique.data()));
      std::vector<uint32_t> expected;
      for (size_t i = 0; i < slots.size(); ++i) {
        auto at = std::find(expected.begin(), expected.end(), slots[i]);
        if (at == expected.end()) at = expected.insert(at, slots[i]);
        ASSERT_EQ(inverse[i], static_cast<uint32_t>(at - expected.begin()));
      }
      EXPECT_EQ(unique, expected);
    }
  }
}

}  // namespace
}  // namespace dsi::internal
