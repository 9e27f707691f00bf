// Codes of windows back to places (D-013), and how far they are from the ends of chains (D-014).
// Decoded once more by a model that marks every entry; whatever the codes, the two agree on what is
// sound.

#include "dsi/dedup/place_windows_internal.h"

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using Numbers = std::vector<uint32_t>;

struct Placed {
  Numbers starts;
  Numbers bounds;
  WindowReach reach;
  bool operator==(const Placed& other) const {
    return starts == other.starts && bounds == other.bounds &&
           reach.to_begin == other.reach.to_begin && reach.to_end == other.reach.to_end;
  }
};

Status Place(const Numbers& codes, const Numbers& lengths, uint64_t num_values, Placed* out) {
  out->starts.assign(codes.size(), 0);
  const size_t num_chains = CountChains(codes, lengths);
  out->bounds.assign(num_chains + kBoundsSlack, 0);
  const auto reach = PlaceWindows(codes, lengths, num_values, out->starts, out->bounds);
  out->bounds.resize(num_chains + 1);
  if (!reach.ok()) return reach.status();
  out->reach = *reach;
  return Status::Ok();
}

// The rule that refuses, or nothing.
std::string Refused(const Numbers& codes, const Numbers& lengths, uint64_t num_values) {
  Placed placed;
  const Status status = Place(codes, lengths, num_values, &placed);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCorrupt);
  return status.ok() ? "" : status.message().substr(status.message().rfind('('));
}

// D-013 by its letter: every entry knows its chain, and whether a window has it.
std::optional<Placed> Model(const Numbers& codes, const Numbers& lengths, uint64_t num_values) {
  struct Entry {
    size_t chain;
    bool filled;
  };
  std::vector<Entry> pool;
  Placed placed;
  std::vector<size_t> chain_of(codes.size());
  int64_t last = 0;
  for (size_t u = 0; u < codes.size(); ++u) {
    placed.starts.push_back(0);
    const uint32_t code = codes[u];
    if (lengths[u] == 0) {
      if (code != 0) return std::nullopt;
      continue;
    }
    const size_t frontier = pool.size();
    if (code % 2 == 0) {
      if (frontier + code / 2 + lengths[u] > num_values) return std::nullopt;
      placed.bounds.push_back(static_cast<uint32_t>(frontier));
      last = static_cast<int64_t>(frontier + code / 2);
    } else {
      const int64_t zigzag = (code - 1) / 2;
      last += zigzag % 2 == 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    }
    const int64_t end = last + lengths[u];
    if (last < 0 || end > static_cast<int64_t>(num_values) || placed.bounds.empty())
      return std::nullopt;
    const size_t newest = placed.bounds.size() - 1;
    const auto start = static_cast<size_t>(last);
    placed.starts[u] = static_cast<uint32_t>(start);
    if (code % 2 == 0) {
      pool.resize(static_cast<size_t>(end), {newest, false});
    } else {
      // Something of it is there, and if that is of an older chain, so is all of it.
      bool shares = false;
      for (size_t i = start; i < std::min(pool.size(), static_cast<size_t>(end)); ++i) {
        shares |= pool[i].filled;
        if (pool[i].chain != pool[start].chain) return std::nullopt;
      }
      if (!shares) return std::nullopt;
      if (static_cast<size_t>(end) > pool.size()) {
        if (pool[start].chain != newest) return std::nullopt;
        pool.resize(static_cast<size_t>(end), {newest, false});
      }
    }
    chain_of[u] = pool[start].chain;
    for (size_t i = start; i < static_cast<size_t>(end); ++i) pool[i].filled = true;
    // A chain is whole when the next one begins.
    for (const Entry& entry : pool) {
      if (!entry.filled && entry.chain != newest) return std::nullopt;
    }
  }
  if (pool.size() != num_values) return std::nullopt;
  for (const Entry& entry : pool) {
    if (!entry.filled) return std::nullopt;
  }
  placed.bounds.push_back(static_cast<uint32_t>(num_values));
  for (size_t u = 0; u < codes.size(); ++u) {
    if (lengths[u] == 0) continue;
    const size_t c = chain_of[u];
    placed.reach.to_begin =
        std::max<uint64_t>(placed.reach.to_begin, placed.starts[u] - placed.bounds[c]);
    placed.reach.to_end = std::max<uint64_t>(
        placed.reach.to_end, placed.bounds[c + 1] - (placed.starts[u] + lengths[u]));
  }
  return placed;
}

TEST(PlaceWindows, ChainsAndReach) {
  // 6 7 | 5 6 7 | 7 8 | none | 1 2 | 6 7: a chain of 5 6 7 8 that grows at both ends, one of 1 2,
  // and a list that comes back to the first.
  Placed placed;
  ASSERT_TRUE(Place({2, 3, 9, 0, 0, 11}, {2, 3, 2, 0, 2, 2}, 6, &placed).ok());
  EXPECT_EQ(placed.starts, (Numbers{1, 0, 2, 0, 4, 1}));
  EXPECT_EQ(placed.bounds, (Numbers{0, 4, 6}));
  EXPECT_EQ(placed.reach.to_begin, 2U);
  EXPECT_EQ(placed.reach.to_end, 1U);
  EXPECT_EQ(placed.reach.Of(true), 2U);
  EXPECT_EQ(placed.reach.Of(false), 1U);
  const Chains chains(placed.bounds);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains[1].begin, 4U);
  EXPECT_EQ(chains[1].size(), 2U);
  EXPECT_EQ(Chains().size(), 0U);
}

TEST(PlaceWindows, NothingAtAll) {
  Placed placed;
  ASSERT_TRUE(Place({0, 0}, {0, 0}, 0, &placed).ok());
  EXPECT_EQ(Chains(placed.bounds).size(), 0U);
  EXPECT_EQ(Refused({0, 0}, {0, 0}, 1), "(D-013)");
  EXPECT_EQ(Refused({0, 2}, {0, 0}, 0), "(D-013)");
}

// D-013: each thing that no writer makes, beside what it is next to.
TEST(PlaceWindows, RefusesWhatNoWriterMakes) {
  const std::string bad = "(D-013)";
  // Two lists of 3, the second a step on: a pool of 4.
  EXPECT_EQ(Refused({0, 5}, {3, 3}, 4), "");
  EXPECT_EQ(Refused({0, 5}, {3, 3}, 5), bad);
  EXPECT_EQ(Refused({0, 5}, {3, 3}, 3), bad);
  EXPECT_EQ(Refused({0, 3}, {3, 3}, 3), bad);  // Starts before the pool.
  EXPECT_EQ(Refused({2, 3}, {3, 3}, 4), "");   // Room in front, then a step back.
  EXPECT_EQ(Refused({0, 1}, {3, 0}, 3), bad);  // A window of nothing.
  EXPECT_EQ(Refused({0, 0}, {3, 0}, 3), "");
  // The first code is odd: no chain is there.
  EXPECT_EQ(Refused({1}, {3}, 3), bad);
  EXPECT_EQ(Refused({0, 1}, {0, 3}, 3), bad);
  EXPECT_EQ(Refused({5, 3}, {3, 3}, 4), bad);
  // Room in front that no window takes; of the last chain, and of one before it.
  EXPECT_EQ(Refused({2}, {3}, 4), bad);
  EXPECT_EQ(Refused({2, 0}, {3, 3}, 7), bad);
  EXPECT_EQ(Refused({2, 0, 19}, {3, 3, 2}, 7), bad);  // Too late.
  EXPECT_EQ(Refused({4, 3}, {3, 3}, 5), bad);         // Half of it.
  // A window that shares nothing with its chain: behind it, and in front.
  EXPECT_EQ(Refused({0, 13}, {3, 3}, 6), bad);
  EXPECT_EQ(Refused({0, 17}, {3, 3}, 7), bad);
  EXPECT_EQ(Refused({6, 11}, {3, 3}, 6), bad);
  // Two chains of 3: inside the older one, and across.
  EXPECT_EQ(Refused({0, 0, 11}, {3, 3, 3}, 6), "");
  EXPECT_EQ(Refused({0, 0, 7}, {3, 3, 2}, 6), "");
  EXPECT_EQ(Refused({0, 0, 7}, {3, 3, 3}, 6), bad);
  EXPECT_EQ(Refused({0, 0, 3}, {3, 3, 2}, 6), bad);
}

// Not only when all rows are placed: until then starts would not fit their numbers.
TEST(PlaceWindows, RefusesAtOnceWhatLeavesThePool) {
  const Numbers codes = {0, 5};
  const Numbers lengths = {3, 3};
  Numbers starts(codes.size());
  Numbers bounds(1 + kBoundsSlack);
  for (const uint64_t num_values : {uint64_t{3}, uint64_t{4}}) {
    WindowPlacer placer;
    ASSERT_TRUE(placer.Start(num_values, true).ok());
    EXPECT_EQ(placer.Place(codes, lengths, starts.data(), bounds.data()).ok(), num_values == 4);
  }
}

TEST(PlaceWindows, RefusesNumbersThatWrap) {
  EXPECT_EQ(Refused({UINT32_MAX, UINT32_MAX}, {3, 3}, 3), "(D-013)");
  EXPECT_EQ(Refused({UINT32_MAX - 1}, {UINT32_MAX >> 1}, UINT32_MAX), "(D-013)");
  EXPECT_EQ(Refused({0}, {3}, UINT64_MAX), "(F-090)");
  EXPECT_EQ(Refused({0}, {3}, uint64_t{1} << 32), "(F-090)");
}

// Whatever the codes, the model agrees: small numbers, so that many are sound.
TEST(PlaceWindows, AnyCodesAsTheModelHasThem) {
  std::mt19937 random(5);
  size_t sound = 0;
  for (int round = 0; round < 400'000; ++round) {
    const size_t count = random() % 7;
    Numbers codes(count);
    Numbers lengths(count);
    for (size_t u = 0; u < count; ++u) {
      lengths[u] = static_cast<uint32_t>(random() % 4);
      codes[u] = static_cast<uint32_t>(
          lengths[u] == 0 && random() % 8 != 0 ? 0 : random() % (u == 0 ? 4 : 14));
    }
    const uint64_t num_values = random() % 9;
    const std::optional<Placed> expected = Model(codes, lengths, num_values);
    Placed placed;
    const Status status = Place(codes, lengths, num_values, &placed);
    ASSERT_EQ(status.ok(), expected.has_value())
        << testing::PrintToString(codes) << " " << testing::PrintToString(lengths) << " in "
        << num_values << ": " << status.ToString();
    if (!expected) continue;
    ++sound;
    ASSERT_TRUE(placed == *expected) << testing::PrintToString(codes) << " "
                                     << testing::PrintToString(lengths) << " in " << num_values;
  }
  EXPECT_GT(sound, 4'000U);
}

// Chains as writers make them, longer than what is placed at once; now and then damaged.
struct RandomChains {
  Numbers codes;
  Numbers lengths;
  uint32_t num_values = 0;

  RandomChains(std::mt19937* random, size_t count) {
    const auto below = [&](uint32_t bound) { return static_cast<uint32_t>((*random)() % bound); };
    const uint32_t chain_rows = 1 + below(20);
    const bool grows_at_front = below(3) == 0;
    uint32_t left = 0;  // Of the room in front of the chain.
    int64_t start = 0;
    while (codes.size() < count) {
      if (below(6) == 0) {
        codes.push_back(0);
        lengths.push_back(0);
        continue;
      }
      lengths.push_back(1 + below(5));
      if (left == 0 && (num_values == 0 || below(chain_rows) == 0)) {
        left = grows_at_front ? below(4) : 0;
        codes.push_back(left * 2);
        start = num_values + left;
      } else {
        const uint32_t old = below(12) == 0 && left == 0 ? below(num_values) : UINT32_MAX;
        const int64_t step = old != UINT32_MAX ? old - start : left != 0 ? -1 : below(2);
        left -= left != 0 ? 1 : 0;
        start += step;
        codes.push_back(static_cast<uint32_t>(step < 0 ? -step * 2 - 1 : step * 2) * 2 + 1);
      }
      num_values = std::max(num_values, static_cast<uint32_t>(start) + lengths.back());
    }
    if (below(4) == 0) codes[below(static_cast<uint32_t>(count))] ^= 1U << below(32);
    if (below(4) == 0) lengths[below(static_cast<uint32_t>(count))] ^= 1U << below(31);
    if (below(8) == 0) num_values += below(3) - 1;
  }
};

class PlaceWindowsTest : public test::SimdTest {};

TEST_P(PlaceWindowsTest, LongChainsAsTheModelHasThem) {
  std::mt19937 random(7);
  size_t sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    const RandomChains chains(&random, 1 + random() % 60);
    const std::optional<Placed> expected = Model(chains.codes, chains.lengths, chains.num_values);
    Placed placed;
    const Status status = Place(chains.codes, chains.lengths, chains.num_values, &placed);
    ASSERT_EQ(status.ok(), expected.has_value())
        << testing::PrintToString(chains.codes) << " " << testing::PrintToString(chains.lengths)
        << " in " << chains.num_values << ": " << status.ToString();
    // In parts and without the reach as at once.
    WindowPlacer placer;
    ASSERT_TRUE(placer.Start(chains.num_values, false).ok());
    const size_t half = random() % chains.codes.size();
    Placed parts{.starts = Numbers(chains.codes.size()), .bounds = placed.bounds, .reach = {}};
    const size_t num_chains = CountChains(chains.codes, chains.lengths);
    parts.bounds.assign(num_chains + kBoundsSlack, 0);
    const std::span<const uint32_t> codes(chains.codes);
    const std::span<const uint32_t> lengths(chains.lengths);
    const bool is_sound =
        placer
            .Place(codes.first(half), lengths.first(half), parts.starts.data(), parts.bounds.data())
            .ok() &&
        placer
            .Place(codes.subspan(half), lengths.subspan(half), parts.starts.data() + half,
                   parts.bounds.data())
            .ok() &&
        placer.Finish(parts.bounds.data()).ok();
    ASSERT_EQ(is_sound, expected.has_value());
    if (!expected) continue;
    ++sound;
    ASSERT_TRUE(placed == *expected)
        << testing::PrintToString(chains.codes) << " " << testing::PrintToString(chains.lengths)
        << " in " << chains.num_values;
    parts.bounds.resize(num_chains + 1);
    ASSERT_EQ(parts.starts, placed.starts);
    ASSERT_EQ(parts.bounds, placed.bounds);
    uint32_t lowest = UINT32_MAX;
    uint64_t end = 0;
    for (size_t u = 0; u < lengths.size(); ++u) {
      if (lengths[u] == 0) continue;
      lowest = std::min(lowest, placed.starts[u]);
      end = std::max<uint64_t>(end, placed.starts[u] + lengths[u]);
    }
    ASSERT_EQ(LowestStart(placed.starts, lengths), lowest);
    if (lowest == UINT32_MAX) continue;
    std::vector<uint64_t> starts(lengths.size());
    ASSERT_EQ(StartsFrom(lowest, placed.starts, lengths, starts.data()), end);
    for (size_t u = 0; u < lengths.size(); ++u)
      ASSERT_EQ(starts[u], lengths[u] != 0 ? placed.starts[u] - lowest : 0);
    PackPlaces(placed.starts, lengths, starts.data());
    for (size_t u = 0; u < lengths.size(); ++u) {
      ASSERT_EQ(StartOfPlace(starts[u]), lengths[u] != 0 ? placed.starts[u] : 0);
      ASSERT_EQ(LengthOfPlace(starts[u]), lengths[u]);
    }
  }
  EXPECT_GT(sound, 2'000U);
}

DSI_ON_EVERY_SIMD_TARGET(PlaceWindowsTest);

}  // namespace
}  // namespace dsi::internal
