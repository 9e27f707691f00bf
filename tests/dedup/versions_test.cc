// Versions of owners (D-005): steps and unique rows agree, whatever the order of rows.

#include "dsi/dedup/versions_internal.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dsi::internal {
namespace {

struct Table {
  std::vector<uint32_t> owners;
  std::vector<uint32_t> content;  // Equal numbers: equal rows of one owner.
  std::vector<uint32_t> rows_in_time;
  uint32_t num_owners = 0;

  UniqueRows Unique() const {
    UniqueRows unique;
    for (uint32_t row = 0; row < content.size(); ++row) {
      uint32_t u = 0;
      while (u < unique.first_row.size() && (content[unique.first_row[u]] != content[row] ||
                                             owners[unique.first_row[u]] != owners[row]))
        ++u;
      if (u == unique.first_row.size()) unique.first_row.push_back(row);
      unique.inverse.push_back(u);
    }
    return unique;
  }
};

// Every row is what D-005 makes of the steps, and the stored row of that is equal to it; some row
// is each of the unique rows (D-002).
void ExpectDecodes(const Table& table, const Versions& versions) {
  std::vector<int64_t> version(table.num_owners, 0);
  std::vector<int64_t> count(table.num_owners, 0);
  std::vector<int64_t> of_row;
  for (size_t row = 0; row < table.owners.size(); ++row) {
    const uint32_t code = versions.steps[row];
    const int64_t step = (code & 1) == 0 ? code / 2 : -int64_t{code / 2} - 1;
    int64_t& v = version[table.owners[row]];
    v += step;
    ASSERT_GE(v, 0);
    count[table.owners[row]] = std::max(count[table.owners[row]], v + 1);
    of_row.push_back(v);
  }
  for (size_t row = 0; row < table.owners.size(); ++row) {
    const auto base = std::accumulate(count.begin(), count.begin() + table.owners[row], int64_t{0});
    const auto unique = static_cast<size_t>(base + of_row[row]);
    ASSERT_LT(unique, versions.stored_rows.size());
    EXPECT_EQ(versions.inverse[row], unique);
    const uint32_t stored = versions.stored_rows[unique];
    EXPECT_EQ(table.owners[stored], table.owners[row]);
    EXPECT_EQ(table.content[stored], table.content[row]);
  }
  EXPECT_EQ(std::accumulate(count.begin(), count.end(), int64_t{0}),
            static_cast<int64_t>(versions.stored_rows.size()));
  const std::set<uint32_t> used(versions.inverse.begin(), versions.inverse.end());
  EXPECT_EQ(used.size(), versions.stored_rows.size());
}

TEST(NumberVersions, StatesInTheOrderOfTime) {
  // Owner 0 at times 2, 0, 1; owner 1 at times 3, 4.
  const Table table{.owners = {0, 0, 1, 0, 1},
                    .content = {12, 10, 13, 11, 13},
                    .rows_in_time = {1, 3, 0, 2, 4},
                    .num_owners = 2};
  const Versions versions =
      NumberVersions(table.Unique(), table.owners, 2, table.rows_in_time, true);
  EXPECT_EQ(versions.stored_rows, (std::vector<uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(versions.inverse, (std::vector<uint32_t>{2, 0, 3, 1, 3}));
  EXPECT_EQ(versions.steps, (std::vector<uint32_t>{4, 3, 0, 2, 0}));
  ExpectDecodes(table, versions);
}

// A, B, A: the version it was, or a new one.
TEST(NumberVersions, StatesThatComeBack) {
  const Table table{.owners = {0, 0, 0, 0},
                    .content = {1, 2, 1, 2},
                    .rows_in_time = {0, 1, 2, 3},
                    .num_owners = 1};
  const UniqueRows unique = table.Unique();
  const Versions reused = NumberVersions(unique, table.owners, 1, table.rows_in_time, true);
  EXPECT_EQ(reused.stored_rows.size(), 2U);
  EXPECT_EQ(reused.steps, (std::vector<uint32_t>{0, 2, 1, 2}));
  const Versions fresh = NumberVersions(unique, table.owners, 1, table.rows_in_time, false);
  EXPECT_EQ(fresh.stored_rows.size(), 4U);
  EXPECT_EQ(fresh.steps, (std::vector<uint32_t>{0, 2, 2, 2}));
}

TEST(NumberVersions, AnyTable) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    Table table;
    table.num_owners = 1 + static_cast<uint32_t>(random() % 9);
    const size_t rows = table.num_owners + random() % 200;
    for (size_t row = 0; row < rows; ++row) {
      // Each owner has a row.
      table.owners.push_back(row < table.num_owners
                                 ? static_cast<uint32_t>(row)
                                 : static_cast<uint32_t>(random() % table.num_owners));
      table.content.push_back(static_cast<uint32_t>(random() % 6));
    }
    table.rows_in_time.resize(rows);
    std::iota(table.rows_in_time.begin(), table.rows_in_time.end(), 0U);
    if (round % 2 == 0) std::shuffle(table.rows_in_time.begin(), table.rows_in_time.end(), random);
    for (const bool reuse : {false, true}) {
      ExpectDecodes(table, NumberVersions(table.Unique(), table.owners, table.num_owners,
                                          table.rows_in_time, reuse));
    }
  }
}

}  // namespace
}  // namespace dsi::internal
