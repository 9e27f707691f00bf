// Unique rows against a map of byte strings.

#include "dsi/dedup/unique_rows_internal.h"

#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/tests/dedup/test_column.h"

namespace dsi::internal {
namespace {

using Columns = std::vector<std::unique_ptr<TestColumn>>;

std::string GroupText(const Columns& columns, size_t row) {
  std::string text;
  for (const auto& column : columns) text += column->RowText(row) + "|";
  return text;
}

UniqueRows Find(const Columns& columns, size_t num_rows) {
  std::vector<const FeatureRows*> pointers;
  std::vector<uint64_t> hashes(num_rows);
  std::vector<uint64_t> of_column(num_rows);
  for (const auto& column : columns) {
    pointers.push_back(&column->column());
    HashRows(column->column(), num_rows, of_column);
    for (uint32_t row = 0; row < num_rows; ++row) {
      EXPECT_EQ(of_column[row], HashRow(column->column(), row));
    }
    CombineHashes(hashes, of_column);
  }
  return FindUnique(pointers, hashes);
}

// D-002 (numbered by first use) and D-004 (equal rows are equal bit for bit, and the reverse).
void ExpectExact(const Columns& columns, size_t num_rows) {
  std::map<std::string, uint32_t> numbers;
  std::vector<uint32_t> first_row;
  std::vector<uint32_t> inverse;
  std::vector<uint32_t> runs;
  for (size_t row = 0; row < num_rows; ++row) {
    const auto [at, is_new] =
        numbers.emplace(GroupText(columns, row), static_cast<uint32_t>(numbers.size()));
    if (is_new) first_row.push_back(static_cast<uint32_t>(row));
    inverse.push_back(at->second);
    const bool starts_run = row == 0 || GroupText(columns, row) != GroupText(columns, row - 1);
    runs.push_back((row == 0 ? 0 : runs.back()) + (starts_run && row != 0 ? 1 : 0));
  }
  const UniqueRows unique = Find(columns, num_rows);
  EXPECT_EQ(unique.first_row, first_row);
  EXPECT_EQ(unique.inverse, inverse);
  EXPECT_FALSE(unique.only_runs);

  std::vector<const FeatureRows*> pointers;
  for (const auto& column : columns) pointers.push_back(&column->column());
  const UniqueRows by_runs = FindRuns(pointers, num_rows);
  EXPECT_EQ(by_runs.inverse, runs);
  EXPECT_TRUE(by_runs.only_runs);
  for (uint32_t run = 0; run < by_runs.first_row.size(); ++run) {
    EXPECT_EQ(by_runs.inverse[by_runs.first_row[run]], run);
    if (by_runs.first_row[run] != 0) {
      EXPECT_EQ(by_runs.inverse[by_runs.first_row[run] - 1], run - 1);
    }
  }
}

std::vector<TestRow> RandomRows(std::mt19937_64& random, size_t num_rows, uint32_t entries_per_row,
                                uint64_t num_ids) {
  std::vector<TestRow> rows;
  while (rows.size() < num_rows) {
    TestRow row;
    if (random() % 5 != 0) {
      row.emplace(entries_per_row != 0 ? entries_per_row : random() % 4);
      for (uint64_t& entry : *row) entry = random() % num_ids;
    }
    const size_t repeat = random() % 2 == 0 ? 1 : 1 + random() % 40;
    for (size_t i = 0; i < repeat && rows.size() < num_rows; ++i) rows.push_back(row);
  }
  return rows;
}

class UniqueRowsTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { SetHashBitsForTest(GetParam()); }
  void TearDown() override { SetHashBitsForTest(64); }
};

TEST_P(UniqueRowsTest, RandomColumnsOfAllKinds) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const size_t num_rows = 1 + random() % 400;
    Columns columns;
    for (size_t i = 0; i < 1 + random() % 3; ++i) {
      const uint32_t entries = std::vector<uint32_t>{0, 1, 1, 5}[random() % 4];
      const int width = 1 << random() % 4;
      const std::vector<int> widths =
          random() % 3 == 0 ? std::vector<int>{width, 4} : std::vector<int>{width};
      columns.push_back(std::make_unique<TestColumn>(
          RandomRows(random, num_rows, entries, 1 + random() % 6), entries, widths));
    }
    ExpectExact(columns, num_rows);
  }
}

TEST_P(UniqueRowsTest, EdgePatterns) {
  const TestRow a = std::vector<uint64_t>{1, 2};
  const TestRow b = std::vector<uint64_t>{1, 3};
  const TestRow missing;
  const TestRow empty = std::vector<uint64_t>{};
  const TestRow zero = std::vector<uint64_t>{0};
  for (const std::vector<TestRow>& rows :
       std::vector<std::vector<TestRow>>{{a},
                                         {missing},
                                         {a, b, a},
                                         {a, b, a, missing, a, b},
                                         {missing, empty, zero, missing, empty, zero, empty},
                                         std::vector<TestRow>(100, a),
                                         std::vector<TestRow>(100, missing),
                                         std::vector<TestRow>(100, empty)}) {
    Columns columns;
    columns.push_back(std::make_unique<TestColumn>(rows, 0));
    ExpectExact(columns, rows.size());
  }
}

TEST_P(UniqueRowsTest, AllDifferent) {
  std::vector<TestRow> rows;
  for (uint64_t i = 0; i < 700; ++i) rows.push_back(std::vector<uint64_t>{i});
  for (const uint32_t entries : {0U, 1U}) {
    Columns columns;
    columns.push_back(std::make_unique<TestColumn>(rows, entries));
    ExpectExact(columns, rows.size());
  }
}

// Bits decide, not what they mean.
TEST_P(UniqueRowsTest, D004NansAndNegativeZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const uint64_t nan_bits = std::bit_cast<uint64_t>(nan);
  std::vector<TestRow> rows;
  for (const uint64_t bits : {std::bit_cast<uint64_t>(0.0), std::bit_cast<uint64_t>(-0.0), nan_bits,
                              nan_bits + 1, nan_bits, std::bit_cast<uint64_t>(0.0)}) {
    rows.push_back(std::vector<uint64_t>{bits});
  }
  rows.push_back(std::nullopt);
  for (const uint32_t entries : {0U, 1U}) {
    Columns columns;
    columns.push_back(std::make_unique<TestColumn>(rows, entries));
    ExpectExact(columns, rows.size());
    EXPECT_EQ(Find(columns, rows.size()).first_row.size(), 5U);
    EXPECT_TRUE(RowsEqual(columns[0]->column(), 2, 4));
    EXPECT_FALSE(RowsEqual(columns[0]->column(), 0, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(HashBits, UniqueRowsTest, testing::Values(64, 7, 1, 0));

TEST(RowColumnDefaults, WithoutShapesAndStarts) {
  const std::vector<uint32_t> values = {5, 6, 5, 6, 7, 8, 5, 6};
  FeatureRows column;
  column.values = {{reinterpret_cast<const std::byte*>(values.data()), 4}};
  column.entries_per_row = 2;
  std::vector<uint64_t> hashes(4);
  HashRows(column, 4, hashes);
  const FeatureRows* columns[] = {&column};
  EXPECT_EQ(FindUnique(columns, hashes).inverse, (std::vector<uint32_t>{0, 0, 1, 0}));
  std::vector<uint8_t> same(4);
  MarkRepeats(column, 4, same);
  EXPECT_EQ(same, (std::vector<uint8_t>{0, 1, 0, 0}));
}

TEST(RowColumnDefaults, StretchesOfMissingRows) {
  std::vector<TestRow> rows(200);
  for (const size_t row : {0, 17, 18, 80, 199}) rows[row] = std::vector<uint64_t>{9};
  const TestColumn column(rows, 1);
  std::vector<uint8_t> same(rows.size());
  MarkRepeats(column.column(), rows.size(), same);
  for (size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(same[row], row > 0 && rows[row] == rows[row - 1] ? 1 : 0) << row;
  }
}

TEST(FindUnique, ManyRowsGrowTheTable) {
  std::mt19937_64 random(2);
  std::vector<TestRow> rows;
  for (int i = 0; i < 50000; ++i) rows.push_back(std::vector<uint64_t>{random() % 30000});
  Columns columns;
  columns.push_back(std::make_unique<TestColumn>(rows, 1));
  ExpectExact(columns, rows.size());
}

}  // namespace
}  // namespace dsi::internal
