// Hashes kept for a search for groups: those of HashRows, and numbers of rows as a map gives them.
#include "dsi/dedup/row_hashes_internal.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dsi/tests/dedup/test_column.h"

namespace dsi::internal {
namespace {

// Candidates, and the rows where each of them changes.
struct Candidates {
  std::vector<std::unique_ptr<TestColumn>> columns;
  std::vector<GroupCandidate> candidates;
  std::vector<ChangeBits> changes;

  void Add(const std::vector<TestRow>& rows, uint32_t entries_per_row) {
    columns.push_back(std::make_unique<TestColumn>(rows, entries_per_row));
    candidates.push_back({.column = &columns.back()->column()});
    std::vector<uint8_t> same(rows.size());
    MarkRepeats(columns.back()->column(), rows.size(), same);
    changes.push_back(ChangeBits::FromRepeats(same));
  }

  std::vector<RowHashes::Column> Listed(const std::vector<uint32_t>& members) const {
    std::vector<RowHashes::Column> listed;
    for (const uint32_t m : members) listed.push_back({m, &changes[m]});
    return listed;
  }

  // Numbers of rows in the order of their first.
  UniqueRows Expected(const std::vector<uint32_t>& members, uint32_t num_rows) const {
    UniqueRows unique;
    std::map<std::vector<std::string>, uint32_t> numbers;
    for (uint32_t row = 0; row < num_rows; ++row) {
      std::vector<std::string> text;
      for (const uint32_t m : members) text.push_back(columns[m]->RowText(row));
      const auto [it, is_new] = numbers.try_emplace(text, static_cast<uint32_t>(numbers.size()));
      if (is_new) unique.first_row.push_back(row);
      unique.inverse.push_back(it->second);
    }
    return unique;
  }

  void ExpectNumbers(const RowHashes& hashes, const std::vector<uint32_t>& members,
                     uint32_t num_rows) const {
    const UniqueRows unique = hashes.Number(members);
    const UniqueRows expected = Expected(members, num_rows);
    EXPECT_EQ(unique.first_row, expected.first_row);
    EXPECT_EQ(unique.inverse, expected.inverse);
  }
};

const std::vector<std::vector<uint32_t>> kGroups = {{0}, {1}, {2}, {0, 1}, {2, 0}, {0, 1, 2}};

// Lists, numbers and pairs of few values, a third of them as in the row before.
Candidates RandomCandidates(uint32_t num_rows, uint32_t num_values, uint64_t seed) {
  std::mt19937_64 random(seed);
  Candidates made;
  for (const uint32_t entries : {0U, 1U, 2U}) {
    std::vector<TestRow> rows;
    for (uint32_t row = 0; row < num_rows; ++row) {
      if (row != 0 && random() % 3 == 0) {
        rows.push_back(rows.back());
      } else if (random() % 5 == 0) {
        rows.push_back(std::nullopt);
      } else {
        const size_t length = entries == 0 ? random() % 3 : entries;
        rows.emplace_back(std::in_place, length);
        for (uint64_t& value : *rows.back()) value = random() % num_values;
      }
    }
    made.Add(rows, entries);
  }
  return made;
}

TEST(RowHashes, KeptHashesAreThoseOfTheRows) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const uint32_t num_rows = seed < 3 ? static_cast<uint32_t>(seed) : 500;
    const Candidates made = RandomCandidates(num_rows, 1 + static_cast<uint32_t>(seed % 7), seed);
    RowHashes hashes(made.candidates, num_rows);
    ASSERT_TRUE(hashes.Make(made.Listed({0, 2, 1}), OneByOne).ok());
    for (uint32_t c = 0; c < 3; ++c) {
      std::vector<uint64_t> expected(num_rows);
      HashRows(made.columns[c]->column(), num_rows, expected);
      const auto of = hashes.Of(c);
      EXPECT_EQ(std::vector<uint64_t>(of.begin(), of.end()), expected) << seed << ": " << c;
    }
  }
}

TEST(RowHashes, NumbersAreTheSameWhateverIsKept) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const uint32_t num_rows = seed < 3 ? static_cast<uint32_t>(seed) : 500;
    const Candidates made = RandomCandidates(num_rows, 1 + static_cast<uint32_t>(seed % 7), seed);
    for (const std::vector<uint32_t>& kept :
         std::vector<std::vector<uint32_t>>{{}, {1}, {2, 0}, {0, 1, 2}}) {
      RowHashes hashes(made.candidates, num_rows);
      ASSERT_TRUE(hashes.Make(made.Listed(kept), OneByOne).ok());
      for (const auto& group : kGroups) made.ExpectNumbers(hashes, group, num_rows);
    }
  }
}

TEST(RowHashes, AllRowsEqualAndAllDistinct) {
  constexpr uint32_t kRows = 3000;
  std::vector<TestRow> equal, distinct;
  for (uint64_t row = 0; row < kRows; ++row) {
    equal.push_back(std::vector<uint64_t>{7, 7});
    distinct.push_back(std::vector<uint64_t>{row});
  }
  Candidates made;
  made.Add(equal, 0);
  made.Add(distinct, 1);
  RowHashes hashes(made.candidates, kRows);
  ASSERT_TRUE(hashes.Make(made.Listed({0, 1}), OneByOne).ok());
  EXPECT_EQ(hashes.Number(std::vector<uint32_t>{0}).first_row, std::vector<uint32_t>{0});
  EXPECT_EQ(hashes.Number(std::vector<uint32_t>{1}).first_row.size(), kRows);
  EXPECT_EQ(hashes.Number(std::vector<uint32_t>{0, 1}).first_row.size(), kRows);
}

TEST(RowHashes, OfNoCandidateAllRowsAreOne) {
  const Candidates made = RandomCandidates(10, 5, 1);
  const RowHashes hashes(made.candidates, 10);
  const UniqueRows unique = hashes.Number({});
  EXPECT_EQ(unique.first_row, std::vector<uint32_t>{0});
  EXPECT_EQ(unique.inverse, std::vector<uint32_t>(10, 0));
}

// Hashes alone tell rows apart: those that collide are one, with or without keeping.
TEST(RowHashes, RowsWhoseHashesCollideAreOne) {
  struct CutHashes {
    CutHashes() { SetHashBitsForTest(3); }
    ~CutHashes() { SetHashBitsForTest(64); }
  } const cut;
  std::vector<TestRow> rows;
  for (uint64_t row = 0; row < 200; ++row) rows.push_back(std::vector<uint64_t>{row, row});
  Candidates made;
  made.Add(rows, 0);
  RowHashes kept(made.candidates, rows.size());
  ASSERT_TRUE(kept.Make(made.Listed({0}), OneByOne).ok());
  const RowHashes none(made.candidates, rows.size());
  const std::vector<uint32_t> only = {0};
  EXPECT_LE(kept.Number(only).first_row.size(), 8U);
  EXPECT_GT(kept.Number(only).first_row.size(), 1U);
  std::map<uint64_t, size_t> first;
  const UniqueRows of_none = none.Number(only);
  const UniqueRows of_kept = kept.Number(only);
  for (size_t row = 0; row < rows.size(); ++row) {
    const size_t same = first.try_emplace(kept.Of(0)[row], row).first->second;
    EXPECT_EQ(of_kept.inverse[row], of_kept.inverse[same]) << row;
    EXPECT_EQ(of_none.inverse[row], of_none.inverse[same]) << row;
  }
}

TEST(RowHashes, HashesBeyondTheLimitAreNotKept) {
  // Rows without shapes and starts: their numbers are all the memory that they take.
  const size_t num_rows = kMostGroupHashBytes / sizeof(uint64_t) + 1;
  const FeatureRows column;
  const std::vector<GroupCandidate> candidates = {{.column = &column}};
  const ChangeBits changes;
  RowHashes hashes(candidates, num_rows);
  size_t made = 0;
  const ForEach count = [&](size_t missing, const auto&) {
    made += missing;
    return Status::Ok();
  };
  ASSERT_TRUE(hashes.Make(std::vector<RowHashes::Column>{{0, &changes}}, count).ok());
  EXPECT_EQ(made, 0U);
  EXPECT_TRUE(hashes.Of(0).empty());
}

TEST(RowHashes, WhatIsKeptIsNotMadeAgain) {
  const Candidates made = RandomCandidates(50, 5, 1);
  RowHashes hashes(made.candidates, 50);
  std::vector<size_t> counts;
  const ForEach count = [&](size_t missing, const auto& work) {
    counts.push_back(missing);
    return OneByOne(missing, work);
  };
  ASSERT_TRUE(hashes.Make(made.Listed({1}), count).ok());
  ASSERT_TRUE(hashes.Make(made.Listed({0, 1, 2}), count).ok());
  ASSERT_TRUE(hashes.Make(made.Listed({0, 1, 2}), count).ok());
  EXPECT_EQ(counts, (std::vector<size_t>{1, 2, 0}));
  const ForEach fails = [](size_t, const auto&) {
    return Status(StatusCode::kCancelled, "no more");
  };
  RowHashes others(made.candidates, 50);
  EXPECT_EQ(others.Make(made.Listed({0}), fails).code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace dsi::internal
