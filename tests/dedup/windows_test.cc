// Windows into pools: whatever lists do, they come back, and what repeats is stored once.

#include "dsi/dedup/windows_internal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/dedup/place_windows_internal.h"
#include "dsi/tests/dedup/test_column.h"

namespace dsi::internal {
namespace {

using List = std::vector<uint64_t>;

std::vector<uint32_t> LengthsOf(const std::vector<TestRow>& rows) {
  std::vector<uint32_t> lengths;
  for (const TestRow& row : rows) lengths.push_back(row ? static_cast<uint32_t>(row->size()) : 0);
  return lengths;
}

// Lays the rows out and expects every one of them, in every column, at its window. Returns entries
// in the pool; all of them where no windows were worthwhile.
size_t PoolSize(const std::vector<TestRow>& rows, const std::vector<int>& widths = {8}) {
  const TestColumn column(rows, 0, widths);
  const Windows windows = FindWindows(column.column(), {}, rows.size());
  const std::vector<uint32_t> lengths = LengthsOf(rows);
  size_t entries = 0;
  for (const uint32_t length : lengths) entries += length;
  if (windows.codes.empty()) return entries;
  EXPECT_EQ(windows.num_entries, entries);
  std::vector<uint32_t> starts(rows.size());
  std::vector<uint32_t> bounds(CountChains(windows.codes, lengths) + kBoundsSlack);
  const auto placed = PlaceWindows(windows.codes, lengths, windows.num_values, starts, bounds);
  EXPECT_TRUE(placed.ok()) << placed.status().ToString();
  for (size_t r = 0; r < rows.size() && placed.ok(); ++r) {
    for (size_t c = 0; c < widths.size(); ++c) {
      const auto width = static_cast<size_t>(widths[c]);
      EXPECT_EQ(windows.pool[c].size(), windows.num_values * width);
      const FeatureRows::Values& values = column.column().values[c];
      const std::byte* const stored = values.data + column.column().starts[r] * width;
      EXPECT_EQ(std::memcmp(windows.pool[c].data() + starts[r] * width, stored, lengths[r] * width),
                0)
          << "row " << r << ", column " << c;
    }
  }
  return windows.num_values;
}

// `count` states of a list that `step` changes.
std::vector<TestRow> Evolve(size_t count, List list, const std::function<void(List*)>& step) {
  std::vector<TestRow> rows;
  for (size_t i = 0; i < count; ++i) {
    rows.emplace_back(list);
    step(&list);
  }
  return rows;
}

class WindowsTest : public testing::Test {
 protected:
  List Fresh(size_t length) {
    List list(length);
    for (uint64_t& id : list) id = random_();
    return list;
  }
  std::mt19937_64 random_{7};
};

// D-013: shifts by any number at either end cost what is new.
TEST_F(WindowsTest, ShiftsCostWhatIsNew) {
  for (const size_t by : {1, 2, 7, 20}) {
    const auto newest_last = Evolve(200, Fresh(40), [&](List* list) {
      list->erase(list->begin(), list->begin() + static_cast<int64_t>(by));
      for (size_t i = 0; i < by; ++i) list->push_back(random_());
    });
    EXPECT_EQ(PoolSize(newest_last), 40 + 199 * by);
    const auto newest_first = Evolve(200, Fresh(40), [&](List* list) {
      list->resize(40 - by);
      for (size_t i = 0; i < by; ++i) list->insert(list->begin(), random_());
    });
    EXPECT_EQ(PoolSize(newest_first), 40 + 199 * by);
  }
}

TEST_F(WindowsTest, ListsThatGrowShrinkAndStay) {
  EXPECT_EQ(PoolSize(Evolve(100, Fresh(3), [&](List* l) { l->push_back(random_()); })), 102U);
  EXPECT_EQ(PoolSize(Evolve(100, {}, [&](List* l) { l->insert(l->begin(), random_()); })), 99U);
  EXPECT_EQ(PoolSize(Evolve(60, Fresh(60), [](List* l) { l->pop_back(); })), 60U);
  EXPECT_EQ(PoolSize(Evolve(60, Fresh(60), [](List* l) { l->erase(l->begin()); })), 60U);
  EXPECT_EQ(PoolSize(Evolve(500, Fresh(9), [](List*) {})), 9U);
}

// A, B, A: what was there before is found again, in a chain long closed.
TEST_F(WindowsTest, ListsThatComeBack) {
  const List a = Fresh(30);
  const List b = Fresh(30);
  std::vector<TestRow> rows;
  for (int i = 0; i < 50; ++i) rows.emplace_back(i % 2 == 0 ? a : b);
  EXPECT_EQ(PoolSize(rows), 60U);
  rows.emplace_back(List(a.begin() + 5, a.begin() + 20));
  EXPECT_EQ(PoolSize(rows), 60U);
}

TEST_F(WindowsTest, ManyOwnersInTurn) {
  std::vector<List> state(20);
  std::vector<TestRow> rows;
  for (size_t owner = 0; owner < state.size(); ++owner) {
    for (int i = 0; i < 50; ++i) {
      rows.emplace_back(state[owner]);
      state[owner].insert(state[owner].begin(), random_());
      if (state[owner].size() > 8) state[owner].pop_back();
    }
  }
  EXPECT_EQ(PoolSize(rows), 20U * 49);
}

TEST_F(WindowsTest, ColumnsOfASequenceMoveTogether) {
  const auto rows = Evolve(300, Fresh(25), [&](List* list) {
    list->erase(list->begin());
    list->push_back(random_());
  });
  EXPECT_EQ(PoolSize(rows, {8, 4, 1}), 25U + 299);
}

// Equal in the first column only: no overlap.
TEST_F(WindowsTest, OneColumnDoesNotDecide) {
  std::vector<TestRow> rows;
  for (int i = 0; i < 50; ++i) {
    List list = Fresh(10);
    for (uint64_t& id : list) id = id << 8 | 1;
    rows.emplace_back(list);
  }
  EXPECT_EQ(PoolSize(rows, {1, 8}), 500U);
}

TEST_F(WindowsTest, MissingAndEmptyRowsStandBetween) {
  std::vector<TestRow> rows = Evolve(100, Fresh(12), [&](List* list) {
    list->erase(list->begin());
    list->push_back(random_());
  });
  for (size_t i = 3; i < rows.size(); i += 7) rows[i] = std::nullopt;
  for (size_t i = 5; i < rows.size(); i += 7) rows[i] = List();
  EXPECT_LE(PoolSize(rows), 12U + 99);
}

// Adversarial overlaps: they may cost, but they come back, and in reasonable time.
TEST_F(WindowsTest, PeriodicAndConstantLists) {
  EXPECT_LE(PoolSize(Evolve(300, List(100, 7), [](List*) {})), 100U);
  EXPECT_LE(PoolSize(Evolve(300, List(50, 7), [](List* l) { l->push_back(7); })), 349U);
  List periodic;
  for (int i = 0; i < 90; ++i) periodic.push_back(static_cast<uint64_t>(i % 3));
  PoolSize(Evolve(300, periodic, [](List* l) {
    l->erase(l->begin());
    l->push_back((l->back() + 1) % 3);
  }));
  PoolSize(Evolve(300, periodic, [this](List* l) { (*l)[random_() % l->size()] = random_() % 3; }));
}

TEST_F(WindowsTest, AnyHistory) {
  for (int round = 0; round < 60; ++round) {
    const uint64_t ids = round % 3 == 0 ? 3 : round % 3 == 1 ? 50 : UINT64_MAX;
    const auto fresh = [&] { return random_() % ids; };
    std::deque<uint64_t> list;
    std::vector<TestRow> rows;
    for (int i = 0; i < 400; ++i) {
      switch (random_() % 8) {
        case 0:
          list.push_back(fresh());
          break;
        case 1:
          list.push_front(fresh());
          break;
        case 2:
          if (!list.empty()) list.pop_back();
          break;
        case 3:
          for (size_t n = random_() % 5; n > 0 && !list.empty(); --n) list.pop_front();
          break;
        case 4:
          if (random_() % 20 == 0) list.clear();
          break;
        case 5:
          for (size_t n = random_() % 9; n > 0; --n) list.push_back(fresh());
          break;
        default:
          break;
      }
      if (random_() % 30 == 0) {
        rows.emplace_back();
      } else {
        rows.emplace_back(List(list.begin(), list.end()));
      }
    }
    PoolSize(rows, round % 2 == 0 ? std::vector{8} : std::vector{4, 2});
  }
}

TEST_F(WindowsTest, NothingSharedIsGivenUp) {
  std::vector<TestRow> rows;
  for (int i = 0; i < 9000; ++i) rows.emplace_back(Fresh(5));
  const TestColumn column(rows, 0);
  EXPECT_TRUE(FindWindows(column.column(), {}, rows.size()).codes.empty());
}

// Whether the row at which that is decided has entries does not matter.
TEST_F(WindowsTest, NothingSharedIsGivenUpAtAnEmptyRow) {
  std::vector<TestRow> rows;
  for (uint64_t i = 0; i < 9'000; ++i) rows.emplace_back(List{3 * i, 3 * i + 1, 3 * i + 2});
  for (size_t i = 0; i < 9'000; ++i) rows.emplace_back(List{1, 2, 3, 4, 5});
  ASSERT_EQ(PoolSize(rows), 27'000U + 45'000U);
  rows[8192] = List{};
  EXPECT_EQ(PoolSize(rows), 27'000U - 3 + 45'000U);
  rows[8192] = std::nullopt;
  EXPECT_EQ(PoolSize(rows), 27'000U - 3 + 45'000U);
}

TEST_F(WindowsTest, CountNewEntriesOfNeighbours) {
  List a = Fresh(20);
  List shifted(a.begin() + 3, a.end());
  for (int i = 0; i < 3; ++i) shifted.push_back(random_());
  const TestColumn column({a, shifted, Fresh(20), std::nullopt, List()}, 0);
  EXPECT_EQ(CountNewEntries(column.column(), 0, 0), 0U);
  EXPECT_EQ(CountNewEntries(column.column(), 0, 1), 3U);
  EXPECT_EQ(CountNewEntries(column.column(), 1, 0), 3U);
  EXPECT_EQ(CountNewEntries(column.column(), 1, 2), 20U);
  EXPECT_EQ(CountNewEntries(column.column(), 3, 2), 20U);
  EXPECT_EQ(CountNewEntries(column.column(), 2, 4), 0U);
}

// The greatest overlap of all places within 512 entries of one end or the other, as a definition.
size_t NewEntries(const List& before, const List& row) {
  const auto length = static_cast<int64_t>(row.size());
  const auto length_before = static_cast<int64_t>(before.size());
  int64_t best = 0;
  for (int64_t at = -length; at < length_before; ++at) {
    if (std::abs(at) >= 512 && std::abs(at + length - length_before) >= 512) continue;
    const int64_t begin = std::max<int64_t>(at, 0);
    const int64_t end = std::min(at + length, length_before);
    if (end > begin &&
        std::equal(before.begin() + begin, before.begin() + end, row.begin() + (begin - at)))
      best = std::max(best, end - begin);
  }
  return static_cast<size_t>(length - best);
}

TEST_F(WindowsTest, CountNewEntriesIsWhatNoPlaceShares) {
  const auto check = [](const List& before, const List& row) {
    for (const std::vector<int>& widths : {std::vector<int>{8}, std::vector<int>{4, 2}}) {
      const TestColumn column({before, row}, 0, widths);
      EXPECT_EQ(CountNewEntries(column.column(), 0, 1), NewEntries(before, row))
          << before.size() << " " << row.size();
    }
  };
  // Of few values, so that much is alike by chance; filled up in front, behind, at both ends.
  for (int round = 0; round < 400; ++round) {
    List lists[2];
    for (List& list : lists) {
      list.resize(1 + random_() % (round % 10 == 0 ? 1200 : 40), 0);
      const size_t begin = random_() % list.size();
      const size_t end = begin + random_() % (list.size() - begin + 1);
      for (size_t i = begin; i < end; ++i) list[i] = random_() % (1 + random_() % 4);
    }
    check(lists[0], lists[1]);
    lists[1] = lists[0];
    lists[1].erase(lists[1].begin(),
                   lists[1].begin() + static_cast<int64_t>(random_() % lists[1].size()));
    check(lists[0], lists[1]);
    lists[1].resize(lists[0].size(), 7);
    check(lists[0], lists[1]);
  }
}

}  // namespace
}  // namespace dsi::internal
