// Lists that rows repeat are stored once, and rows read from what is stored are those that came in.
#include "dsi/writer/rows/list_sharing_internal.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "dsi/format/schema.h"

namespace dsi::internal {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

Schema OneList(size_t num_columns) {
  Schema schema;
  FeatureSpec& spec = schema.features.emplace_back();
  spec.name = "x";
  spec.kind = num_columns == 1 ? Kind::kList : Kind::kSequence;
  for (size_t c = 0; c < num_columns; ++c)
    spec.columns.push_back({.name = "", .type = Type::kInt64, .id_space = ""});
  return schema;
}

// Column c of a list is the list plus c.
std::vector<std::vector<int64_t>> Columns(std::span<const std::vector<int64_t>> lists,
                                          size_t num_columns) {
  std::vector<std::vector<int64_t>> columns(num_columns);
  for (const auto& list : lists) {
    for (size_t c = 0; c < num_columns; ++c)
      for (const int64_t id : list) columns[c].push_back(id + static_cast<int64_t>(c));
  }
  return columns;
}

void Append(ListSharing* sharing, std::span<const std::vector<int64_t>> lists,
            RowBatch::FeatureBuffer* to) {
  const auto columns = Columns(lists, to->values.size());
  std::vector<uint32_t> lengths;
  for (const auto& list : lists) lengths.push_back(static_cast<uint32_t>(list.size()));
  std::vector<const std::byte*> values;
  for (const auto& column : columns) values.push_back(std::as_bytes(std::span(column)).data());
  sharing->Append(0, lengths, values, to);
}

RowBatch::FeatureBuffer NewBuffer(size_t num_columns) {
  RowBatch::FeatureBuffer buffer;
  buffer.values.resize(num_columns);
  return buffer;
}

void ExpectRows(const RowBatch::FeatureBuffer& buffer, const Lists& lists) {
  const size_t num_rows = buffer.lists.empty() ? buffer.lengths.size() : buffer.lists.size();
  ASSERT_EQ(num_rows, lists.size());
  std::vector<uint64_t> starts(buffer.lengths.size());
  std::exclusive_scan(buffer.lengths.begin(), buffer.lengths.end(), starts.begin(), uint64_t{0});
  const uint64_t entries =
      std::accumulate(buffer.lengths.begin(), buffer.lengths.end(), uint64_t{0});
  for (size_t c = 0; c < buffer.values.size(); ++c) {
    ASSERT_EQ(buffer.values[c].size(), entries * 8);
    for (size_t i = 0; i < lists.size(); ++i) {
      const size_t list = buffer.ListOf(i);
      ASSERT_EQ(buffer.lengths[list], lists[i].size()) << i;
      for (size_t k = 0; k < lists[i].size(); ++k) {
        int64_t value = 0;
        std::memcpy(&value, buffer.values[c].data() + (starts[list] + k) * 8, 8);
        ASSERT_EQ(value, lists[i][k] + static_cast<int64_t>(c)) << i << ' ' << k;
      }
    }
  }
}

TEST(ListSharing, AnyRowsInAnyPieces) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const size_t num_columns = 1 + random() % 3;
    const size_t different = 1 + random() % 300;
    // Those of few ids and lengths are nearly alike; lists of none are equal.
    Lists known(different);
    for (auto& list : known) {
      list.resize(random() % 5);
      for (int64_t& id : list) id = static_cast<int64_t>(random() % 3);
    }
    Lists lists(random() % 3'000);
    for (auto& list : lists) list = known[random() % different];
    ListSharing sharing(OneList(num_columns));
    RowBatch::FeatureBuffer buffer = NewBuffer(num_columns);
    for (size_t at = 0; at < lists.size();) {
      const size_t piece = std::min<size_t>(1 + random() % 400, lists.size() - at);
      Append(&sharing, std::span(lists).subspan(at, piece), &buffer);
      at += piece;
      if (random() % 8 == 0) sharing.Forget(0);
    }
    ExpectRows(buffer, lists);
  }
}

TEST(ListSharing, RepeatsAreStoredOnce) {
  ListSharing sharing(OneList(2));
  RowBatch::FeatureBuffer buffer = NewBuffer(2);
  const Lists lists = {{1, 2}, {3}, {1, 2}, {1, 2}, {}, {3}, {}, {1, 3}};
  Append(&sharing, lists, &buffer);
  EXPECT_EQ(buffer.lists, (std::vector<uint32_t>{0, 1, 0, 0, 2, 1, 2, 3}));
  EXPECT_EQ(buffer.lengths, (std::vector<uint32_t>{2, 1, 0, 2}));
  ExpectRows(buffer, lists);
}

TEST(ListSharing, WhereNoneRepeatsEachRowHasItsOwn) {
  ListSharing sharing(OneList(1));
  RowBatch::FeatureBuffer buffer = NewBuffer(1);
  Lists lists;
  for (int64_t i = 0; i < 50'000; ++i) lists.push_back({i, i + 1, i + 2});
  Append(&sharing, lists, &buffer);
  EXPECT_TRUE(buffer.lists.empty());
  ExpectRows(buffer, lists);
}

// The search pauses where it finds little, and goes on later.
TEST(ListSharing, RepeatsThatComeLateAreFound) {
  ListSharing sharing(OneList(1));
  RowBatch::FeatureBuffer buffer = NewBuffer(1);
  Lists lists;
  for (int64_t i = 0; i < 5'000; ++i) lists.push_back({i, i + 1, i + 2});
  lists.resize(lists.size() + 200'000, {7, 8, 9});
  Append(&sharing, lists, &buffer);
  EXPECT_LT(buffer.lengths.size(), 5'000 + 20 * 4'096);
  ExpectRows(buffer, lists);
}

TEST(ListSharing, OnlyListsAreShared) {
  Schema schema = OneList(1);
  schema.features.push_back(schema.features[0]);
  schema.features[1].kind = Kind::kKey;
  schema.features[1].columns[0].type = Type::kBytes;
  const ListSharing sharing(schema);
  EXPECT_TRUE(sharing.Shares(0));
  EXPECT_FALSE(sharing.Shares(1));
}

}  // namespace
}  // namespace dsi::internal
