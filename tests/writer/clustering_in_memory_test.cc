// Rows put in order by counting, beside a model that sorts them.
#include "dsi/writer/cluster/clustering_in_memory_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "dsi/writer/cluster/key_record_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kEarliest = std::numeric_limits<int64_t>::min();
constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();

// A row and its keys, outermost first.
struct Row {
  std::vector<uint64_t> keys;
  int64_t time = 0;
  uint32_t bytes = 0;
};

struct Placed {
  uint32_t input_row = 0;
  int64_t time = 0;
  uint32_t bytes = 0;
  bool starts_session = false;

  bool operator==(const Placed&) const = default;
};

// Of a key and those outside of it, as a record has them; with one low half for all, they begin at
// one place of the table and differ in the other half only.
void PutHash(const Row& row, size_t level, bool low_collides, std::byte* at) {
  uint64_t outer = 0;
  for (size_t i = 0; i < level; ++i) outer = outer * 1'000'003 + row.keys[i] + 1;
  const uint64_t key = row.keys[level];
  StoreLE<uint64_t>(at, low_collides ? 5 : key * 0x9E3779B97F4A7C15ULL + outer);
  StoreLE<uint64_t>(at + 8, key + (outer << 32));
}

std::vector<Placed> Clustered(const std::vector<Row>& rows, size_t num_levels,
                              bool low_collides = false) {
  ClusteringInMemory clustering(num_levels, rows.size());
  std::vector<std::byte> record(num_levels * kKeyHashBytes + kMomentBytes + sizeof(uint32_t));
  for (uint32_t i = 0; i < rows.size(); ++i) {
    for (size_t level = 0; level < num_levels; ++level)
      PutHash(rows[i], level, low_collides, &record[level * kKeyHashBytes]);
    std::byte* const moment = &record[num_levels * kKeyHashBytes];
    PutTime(rows[i].time, moment);
    PutRow(i, moment + kTimeBytes);
    StoreLE<uint32_t>(moment + kMomentBytes, rows[i].bytes);
    clustering.Add(record.data());
  }
  RowList list(num_levels != 0, UINT64_MAX, "");
  EXPECT_TRUE(clustering.Finish(&list).ok());
  std::vector<Placed> placed;
  for (uint32_t p = 0; p < list.size(); ++p) {
    const ListedRow row = *list.At(p);
    placed.push_back({row.input_row, row.time, row.bytes, row.starts_session});
  }
  return placed;
}

// Of a row: for each level the first time of its key and that key's first row, then the row's own
// time and place. Sorted by that, rows are in order.
std::vector<Placed> Expected(const std::vector<Row>& rows, size_t num_levels) {
  using Prefix = std::vector<uint64_t>;
  std::map<Prefix, std::pair<int64_t, uint32_t>> first;
  const auto prefix = [&](const Row& row, size_t level) {
    return Prefix(row.keys.begin(), row.keys.begin() + static_cast<ptrdiff_t>(level) + 1);
  };
  for (uint32_t i = 0; i < rows.size(); ++i) {
    for (size_t level = 0; level < num_levels; ++level) {
      const auto [it, is_new] = first.try_emplace(prefix(rows[i], level), rows[i].time, i);
      if (!is_new) it->second.first = std::min(it->second.first, rows[i].time);
    }
  }
  std::vector<std::pair<std::vector<std::pair<int64_t, uint32_t>>, uint32_t>> order;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    order.emplace_back();
    for (size_t level = 0; level < num_levels; ++level)
      order.back().first.push_back(first[prefix(rows[i], level)]);
    order.back().first.emplace_back(rows[i].time, i);
    order.back().second = i;
  }
  std::sort(order.begin(), order.end());
  std::vector<Placed> placed;
  for (size_t p = 0; p < order.size(); ++p) {
    const Row& row = rows[order[p].second];
    const bool starts = num_levels != 0 && (p == 0 || rows[order[p - 1].second].keys != row.keys);
    placed.push_back({order[p].second, row.time, row.bytes, starts});
  }
  return placed;
}

std::vector<Row> RandomRows(size_t num_rows, size_t num_levels, uint64_t num_keys,
                            const std::vector<int64_t>& times, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows(num_rows);
  for (Row& row : rows) {
    for (size_t level = 0; level < num_levels; ++level) row.keys.push_back(random() % num_keys);
    row.time = times[random() % times.size()];
    row.bytes = static_cast<uint32_t>(random());
  }
  return rows;
}

TEST(ClusteringInMemory, OrderIsThatOfTheModel) {
  const std::vector<std::vector<int64_t>> times = {
      {0}, {3, 1, 2}, {kEarliest, -1, 0, 1, kLatest}, {-5, -4, -3, -2, -1}};
  for (uint64_t seed = 0; seed < 96; ++seed) {
    const size_t num_rows = std::array<size_t, 4>{0, 1, 2, 300}[seed % 4];
    const size_t num_levels = seed / 4 % 4;
    const uint64_t num_keys = std::array<uint64_t, 3>{1, 4, 1'000'000}[seed / 16 % 3];
    const auto rows = RandomRows(num_rows, num_levels, num_keys, times[seed / 3 % 4], seed);
    EXPECT_EQ(Clustered(rows, num_levels), Expected(rows, num_levels)) << seed;
  }
}

TEST(ClusteringInMemory, KeysThatShareHalfOfTheirHashDiffer) {
  const auto rows = RandomRows(400, 2, 20, {3, 1, 2}, 1);
  EXPECT_EQ(Clustered(rows, 2, true), Expected(rows, 2));
}

TEST(ClusteringInMemory, ManyKeysAtOneTimeKeepTheirOrder) {
  std::vector<Row> rows;
  for (uint64_t i = 0; i < 20'000; ++i) rows.push_back({.keys = {i % 10'000}, .time = 7});
  const auto placed = Clustered(rows, 1);
  ASSERT_EQ(placed.size(), rows.size());
  for (uint32_t p = 0; p < placed.size(); ++p) {
    EXPECT_EQ(placed[p].input_row, p / 2 + p % 2 * 10'000);
    EXPECT_EQ(placed[p].starts_session, p % 2 == 0);
  }
}

TEST(ClusteringInMemory, ALateRowMayMoveItsKeyToTheFront) {
  const std::vector<Row> rows = {{.keys = {1}, .time = 5},
                                 {.keys = {2}, .time = 4},
                                 {.keys = {1}, .time = kLatest},
                                 {.keys = {1}, .time = kEarliest}};
  const std::vector<Placed> expected = {
      {3, kEarliest, 0, true}, {0, 5, 0, false}, {2, kLatest, 0, false}, {1, 4, 0, true}};
  EXPECT_EQ(Clustered(rows, 1), expected);
}

}  // namespace
}  // namespace dsi::internal
