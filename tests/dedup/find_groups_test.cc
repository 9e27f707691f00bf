// Group finding on tables whose structure is known.

#include "dsi/dedup/find_groups_internal.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/tests/dedup/test_column.h"

namespace dsi::internal {
namespace {

constexpr size_t kRows = 20000;

// A table with the sessions, users and items that its features are functions of.
class Table {
 public:
  Table() {
    std::mt19937_64 random(11);
    uint64_t session = 0;
    uint64_t user = 0;
    for (size_t row = 0; row < kRows; ++row) {
      if (row == 0 || random() % 16 == 0) {
        ++session;
        user = random() % 300;
      }
      sessions_.push_back(session);
      users_.push_back(user);
      // Popular items return often.
      const double u = double(random() % 1000000) / 1e6;
      items_.push_back(static_cast<uint64_t>(500 * u * u * u));
    }
  }

  // Adds a feature whose row is a hash-drawn list (or scalar) of `of_row`'s value; returns its
  // candidate index.
  uint32_t Add(const std::function<uint64_t(size_t)>& of_row, size_t length, double bits,
               bool is_key = false) {
    std::vector<TestRow> rows;
    for (size_t row = 0; row < kRows; ++row) {
      const uint64_t seed = of_row(row);
      if (seed == kMissing) {
        rows.push_back(std::nullopt);
        continue;
      }
      rows.emplace_back(std::in_place);
      for (size_t i = 0; i < length; ++i) {
        rows.back()->push_back((seed + 1) * 0x9E3779B97F4A7C15ULL + i * (salt_ + 1));
      }
    }
    ++salt_;
    return AddRows(rows, bits, is_key, length == 1 ? 1 : 0);
  }

  uint32_t AddRows(const std::vector<TestRow>& rows, double bits, bool is_key = false,
                   uint32_t entries_per_row = 0) {
    columns_.push_back(std::make_unique<TestColumn>(rows, entries_per_row));
    GroupCandidate candidate;
    candidate.column = &columns_.back()->column();
    candidate.bits_per_row = bits;
    candidate.is_key = is_key;
    candidates_.push_back(candidate);
    return static_cast<uint32_t>(candidates_.size() - 1);
  }

  uint64_t session(size_t row) const { return sessions_[row]; }
  uint64_t user(size_t row) const { return users_[row]; }
  uint64_t item(size_t row) const { return items_[row]; }
  std::vector<GroupCandidate>& candidates() { return candidates_; }
  Result<std::vector<FoundGroup>> Find(const ForEach& for_each) const {
    std::vector<uint32_t> rows_in_time(kRows);
    std::iota(rows_in_time.begin(), rows_in_time.end(), 0U);
    return FindGroups(candidates_, kRows, rows_in_time, for_each);
  }
  std::vector<FoundGroup> Find() const { return *Find(OneByOne); }

  static constexpr uint64_t kMissing = UINT64_MAX;

 private:
  std::vector<uint64_t> sessions_;
  std::vector<uint64_t> users_;
  std::vector<uint64_t> items_;
  std::vector<std::unique_ptr<TestColumn>> columns_;
  std::vector<GroupCandidate> candidates_;
  uint64_t salt_ = 0;
};

using Members = std::vector<uint32_t>;

TEST(FindGroups, SynchronisedFeaturesOfSessions) {
  Table table;
  const auto session = [&](size_t row) { return table.session(row); };
  table.Add(session, 1, 14, true);
  table.Add(session, 50, 900);
  table.Add(session, 50, 900);
  std::mt19937_64 random(1);
  table.Add([&](size_t) { return random(); }, 1, 32);  // Noise.
  // Two lists that change together, at other times than the session.
  std::vector<uint64_t> state(kRows);
  for (size_t row = 1; row < kRows; ++row) {
    state[row] = random() % 5 == 0 ? random() : state[row - 1];
  }
  const auto of_state = [&](size_t row) { return state[row]; };
  table.Add(of_state, 20, 400);
  table.Add(of_state, 20, 400);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (Members{0, 1, 2}));
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kRuns);
  EXPECT_EQ(groups[0].owner, 0);
  EXPECT_EQ(groups[1].members, (Members{4, 5}));
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kRuns);
  EXPECT_EQ(groups[1].owner, -1);
}

TEST(FindGroups, ItemCatalogueWithKey) {
  Table table;
  const auto item = [&](size_t row) { return table.item(row); };
  table.Add([&](size_t row) { return table.session(row); }, 30, 600);
  table.Add(item, 1, 9, true);
  table.Add(item, 8, 100);                                             // Words.
  table.Add([&](size_t row) { return table.item(row) / 20; }, 1, 12);  // Category.
  table.Add([&](size_t row) { return table.item(row) / 20; }, 3, 40);  // Category words.
  std::mt19937_64 random(1);
  table.Add([&](size_t) { return random() % 2; }, 1, 1);  // Label.
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (Members{0}));
  EXPECT_EQ(groups[1].members, (Members{1, 2, 3, 4}));
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[1].owner, 1);
}

TEST(FindGroups, EqualPartitionsWithoutAKey) {
  Table table;
  const auto item = [&](size_t row) { return table.item(row); };
  table.Add(item, 8, 100);
  table.Add(item, 4, 80);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, (Members{0, 1}));
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[0].owner, -1);
}

// State that moves now and then, such as an item's counters, is a group of versions (D-005).
TEST(FindGroups, StateOfAnOwnerMoves) {
  Table table;
  const auto item = [&](size_t row) { return table.item(row); };
  const auto by_day = [&](size_t row) { return table.item(row) * 10 + row / (kRows / 3); };
  table.Add(item, 1, 9, true);
  table.Add(by_day, 10, 150);
  table.Add(by_day, 1, 25);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, Members{0});
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[1].members, (Members{1, 2}));
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kVersions);
  EXPECT_EQ(groups[1].parent, 0);
  EXPECT_EQ(groups[1].owner, 0);
}

// A list that shifts with every event of its item differs in every row, and costs an entry per row.
TEST(FindGroups, ListsThatShiftBelongToTheirOwner) {
  Table table;
  table.Add([&](size_t row) { return table.item(row); }, 1, 9, true);
  std::vector<std::vector<uint64_t>> recent(501);
  std::mt19937_64 random(1);
  std::vector<TestRow> rows;
  for (size_t row = 0; row < kRows; ++row) {
    std::vector<uint64_t>& list = recent[table.item(row)];
    rows.emplace_back(list);
    list.insert(list.begin(), random());
    if (list.size() > 8) list.pop_back();
  }
  const uint32_t shifting = table.AddRows(rows, 140);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].members, Members{shifting});
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kVersions);
  EXPECT_EQ(groups[1].owner, 0);
}

// Where a user's sessions are runs, the codes of users stand once per session.
TEST(FindGroups, OwnersReferToTheRunsTheyAreConstantIn) {
  Table table;
  table.Add([&](size_t row) { return table.session(row); }, 1, 20, true);
  table.Add([&](size_t row) { return table.user(row); }, 1, 20, true);
  table.Add([&](size_t row) { return table.user(row); }, 60, 1000);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, Members{0});
  EXPECT_EQ(groups[1].members, (Members{1, 2}));
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[1].parent, 0);
}

TEST(FindGroups, UserStateAcrossSessions) {
  Table table;
  const auto user = [&](size_t row) { return table.user(row); };
  table.Add([&](size_t row) { return table.session(row); }, 1, 11, true);
  table.Add(user, 1, 9, true);
  table.Add(user, 60, 1000);
  const std::vector<FoundGroup> groups = table.Find();
  const auto of_list = std::find_if(groups.begin(), groups.end(), [](const FoundGroup& group) {
    return group.members.back() == 2;
  });
  ASSERT_NE(of_list, groups.end());
  EXPECT_EQ(of_list->repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(of_list->owner, 1);
}

// What only positives carry is as new in the rows of an item as it is in all rows.
TEST(FindGroups, ValuesOfPositivesAreNotVersionsOfTheItem) {
  Table table;
  const auto item = [&](size_t row) { return table.item(row); };
  const uint32_t key = table.Add(item, 1, 20, true);
  const uint32_t words = table.Add(item, 10, 200);
  std::mt19937_64 random(3);
  std::vector<TestRow> labels;
  std::vector<TestRow> amounts;
  for (size_t row = 0; row < kRows; ++row) {
    const bool positive = row % 5 == 0;
    labels.push_back({{positive ? 1U : 0U}});
    amounts.push_back({{positive ? random() : 0}});
  }
  table.AddRows(labels, 20, false, 1);
  table.AddRows(amounts, 20, false, 1);
  const auto groups = table.Find();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, (Members{key, words}));
}

// Of bytes no dictionary is made but by a group; numbers of as few values need none.
TEST(FindGroups, ShortTextsOfFewValuesAreAGroup) {
  Table table;
  std::mt19937_64 random(3);
  std::vector<TestRow> texts;
  std::vector<TestRow> numbers;
  for (size_t row = 0; row < kRows; ++row) {
    const uint64_t device = random() % 9;
    texts.push_back({{'d', 'e', 'v', '0' + device}});
    numbers.push_back({{random() % 9 * 0x9E3779B97F4A7C15ULL}});
  }
  TestColumn text(texts, 0, {1});
  table.candidates().push_back({.column = &text.column(), .bits_per_row = 32});
  table.AddRows(numbers, 20, false, 1);
  const auto groups = table.Find();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, Members{0});
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kAnywhere);
}

TEST(FindGroups, NoiseStaysOut) {
  Table table;
  std::mt19937_64 random(1);
  for (int i = 0; i < 10; ++i) table.Add([&](size_t) { return random(); }, 1, 32);
  for (int i = 0; i < 10; ++i) table.Add([&](size_t) { return random(); }, 9, 150);
  table.Add([&](size_t) { return random() % 200; }, 1, 7.6);  // Low cardinality: packed codes do.
  table.Add([&](size_t) { return random() % 2; }, 1, 1);
  EXPECT_TRUE(table.Find().empty());
}

TEST(FindGroups, MissingFeaturesStayOutAndSparseOnesPay) {
  Table table;
  table.Add([](size_t) { return Table::kMissing; }, 1, 30);
  table.Add([&](size_t row) { return row == 77 ? 1 : Table::kMissing; }, 1, 0.01);
  // Present in every twentieth session, long lists.
  table.Add(
      [&](size_t row) {
        return table.session(row) % 20 == 0 ? table.session(row) : Table::kMissing;
      },
      30, 25);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, (Members{2}));
}

// Features that change at nearly the same times share an index when that costs few rows.
TEST(FindGroups, NearlyEqualRunPatternsMerge) {
  Table table;
  table.Add([&](size_t row) { return table.session(row); }, 1, 20);
  table.Add([&](size_t row) { return table.session(row) * 4 + (row % 5000 > 2500 ? 1 : 0); }, 1,
            20);
  table.Add([&](size_t row) { return table.session(row) / 2; }, 1, 4);
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].members, (Members{0, 1, 2}));
}

TEST(FindGroups, DeclaredGroupsStay) {
  Table table;
  std::mt19937_64 random(1);
  table.Add([&](size_t) { return random(); }, 1, 32);
  table.Add([&](size_t row) { return table.session(row); }, 9, 100);
  table.Add([&](size_t row) { return table.session(row); }, 9, 100);
  table.Add([&](size_t row) { return table.item(row); }, 9, 100);
  table.Add([&](size_t row) { return table.item(row); }, 1, 9, true);
  table.candidates()[0].declared_group = 5;
  table.candidates()[1].declared_group = 5;
  table.candidates()[3].declared_group = 2;
  table.candidates()[4].declared_group = 2;
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].declared, 2);
  EXPECT_EQ(groups[0].members, (Members{3, 4}));
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[0].owner, 4);
  EXPECT_EQ(groups[1].declared, 5);
  EXPECT_EQ(groups[1].members, (Members{0, 1}));
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kRuns);
  EXPECT_EQ(groups[2].declared, -1);
  EXPECT_EQ(groups[2].members, (Members{2}));
}

// What moves under the owner that is a member of its group goes through versions beside it.
TEST(FindGroups, DeclaredGroupOfAnOwnerThatMoves) {
  Table table;
  table.Add([&](size_t row) { return table.item(row); }, 1, 9, true);
  table.Add([&](size_t row) { return table.item(row); }, 5, 80);
  table.Add([&](size_t row) { return table.item(row) * 10 + row / 5000; }, 5, 80);
  for (GroupCandidate& candidate : table.candidates()) {
    candidate.declared_group = 0;
    candidate.declared_owner = 0;
  }
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].declared, 0);
  EXPECT_EQ(groups[0].members, (Members{0, 1}));
  EXPECT_EQ(groups[0].repeats, GroupRepeats::kAnywhere);
  EXPECT_EQ(groups[1].members, Members{2});
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kVersions);
  EXPECT_EQ(groups[1].parent, 0);
}

// An owner outside the declared group gets a group of its own where it has none.
TEST(FindGroups, DeclaredOwnerElsewhere) {
  Table table;
  table.Add([&](size_t row) { return table.item(row); }, 1, 9, true);
  table.Add([&](size_t row) { return table.item(row) * 10 + row / 5000; }, 5, 80);
  table.candidates()[1].declared_group = 0;
  table.candidates()[1].declared_owner = 0;
  const std::vector<FoundGroup> groups = table.Find();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, Members{0});
  EXPECT_EQ(groups[1].declared, 0);
  EXPECT_EQ(groups[1].members, Members{1});
  EXPECT_EQ(groups[1].repeats, GroupRepeats::kVersions);
  EXPECT_EQ(groups[1].parent, 0);
}

TEST(FindGroups, NoRowsAndNoCandidates) {
  EXPECT_TRUE(FindGroups({}, 100, {})->empty());
  EXPECT_TRUE(FindGroups({}, 0, {})->empty());
  const std::vector<uint64_t> one = {3};
  FeatureRows column;
  column.entries_per_row = 1;
  column.values = {{reinterpret_cast<const std::byte*>(one.data()), 8}};
  const std::vector<GroupCandidate> candidates = {{&column, 64, true, -1}};
  EXPECT_TRUE(FindGroups(candidates, 1, std::vector<uint32_t>{0})->empty());
}

// What is found depends neither on who does the work nor in which order; where work cannot go on,
// the search ends with the error, whenever that happens.
TEST(FindGroups, WorkIsDoneByOthers) {
  Table table;
  table.Add([&](size_t row) { return table.item(row); }, 1, 9, true);
  table.Add([&](size_t row) { return table.item(row) * 7; }, 20, 400);
  table.Add([&](size_t row) { return (row * 2654435761U >> 7) % 50; }, 20, 400);
  table.Add([&](size_t row) { return (row * 2654435761U >> 7) % 50 / 2; }, 20, 400);
  int calls = 0;
  const auto backwards = [&](size_t count, const std::function<void(size_t)>& work) {
    ++calls;
    for (size_t i = count; i > 0; --i) work(i - 1);
    return Status::Ok();
  };
  const auto groups = table.Find(backwards);
  ASSERT_TRUE(groups.ok());
  const std::vector<FoundGroup> expected = table.Find();
  ASSERT_EQ(groups->size(), expected.size());
  ASSERT_GE(expected.size(), 2U);
  for (size_t g = 0; g < expected.size(); ++g) EXPECT_EQ((*groups)[g].members, expected[g].members);
  const int all_calls = calls;
  ASSERT_GE(all_calls, 3);
  for (int last = 0; last < all_calls; ++last) {
    int left = last;
    const auto stops = [&](size_t count, const std::function<void(size_t)>& work) {
      return left-- == 0 ? Status(StatusCode::kCancelled, "stop") : OneByOne(count, work);
    };
    const auto stopped = table.Find(stops);
    ASSERT_FALSE(stopped.ok()) << last << " of " << all_calls;
    EXPECT_EQ(stopped.status().code(), StatusCode::kCancelled);
  }
}

TEST(FindGroups, SameInputSameGroups) {
  Table table;
  for (int i = 0; i < 6; ++i) {
    table.Add([&](size_t row) { return table.item(row) / (1U << i); }, 4, 60);
    table.Add([&](size_t row) { return table.session(row) / (1U << i); }, 4, 60);
  }
  const std::vector<FoundGroup> first = table.Find();
  const std::vector<FoundGroup> second = table.Find();
  ASSERT_EQ(first.size(), second.size());
  std::vector<int> seen(table.candidates().size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].members, second[i].members);
    EXPECT_EQ(first[i].owner, second[i].owner);
    EXPECT_TRUE(std::ranges::is_sorted(first[i].members));
    for (const uint32_t member : first[i].members) EXPECT_EQ(++seen[member], 1);
  }
}

}  // namespace
}  // namespace dsi::internal
