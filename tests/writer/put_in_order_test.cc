// A feature's rows in another order: the same rows, whatever their kind, those that are missing and
// the lists that they share; and what is stored lies in the order in which rows come to it.
#include "dsi/writer/cluster/put_in_order_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "dsi/format/types.h"

namespace dsi::internal {
namespace {

using Buffer = RowBatch::FeatureBuffer;
// Bytes of a row in each column; none: the row lacks the feature.
using Row = std::optional<std::vector<std::vector<std::byte>>>;

size_t WidthOf(const FeatureSpec& spec, size_t c) {
  return static_cast<size_t>(TypeWidth(spec.columns[c].type));
}

std::vector<Row> RowsOf(const FeatureSpec& spec, const Buffer& buffer, size_t num_rows) {
  std::vector<Row> rows(num_rows);
  const bool has_lengths = HasLengths(spec.kind, spec.columns[0].type);
  const size_t own = spec.kind == Kind::kEmbedding ? spec.fixed_length : 1;
  const size_t num_present = buffer.all_present ? num_rows : buffer.rows.size();
  for (size_t i = 0; i < num_present; ++i) {
    const size_t list = buffer.ListOf(i);
    const size_t length = has_lengths ? buffer.lengths[list] : own;
    const size_t start =
        has_lengths
            ? std::accumulate(buffer.lengths.begin(),
                              buffer.lengths.begin() + static_cast<ptrdiff_t>(list), size_t{0})
            : i * own;
    Row& row = rows[buffer.all_present ? i : buffer.rows[i]];
    row.emplace();
    for (size_t c = 0; c < spec.columns.size(); ++c) {
      const std::byte* const from = buffer.values[c].data() + start * WidthOf(spec, c);
      row->emplace_back(from, from + length * WidthOf(spec, c));
    }
  }
  return rows;
}

Buffer RandomBuffer(const FeatureSpec& spec, size_t num_rows, bool all_present, bool shares,
                    std::mt19937_64* random) {
  Buffer buffer;
  buffer.all_present = all_present;
  for (uint32_t row = 0; row < num_rows && !all_present; ++row) {
    if ((*random)() % 3 != 0) buffer.rows.push_back(row);
  }
  buffer.num_present = all_present ? num_rows : buffer.rows.size();
  size_t entries = buffer.num_present * (spec.kind == Kind::kEmbedding ? spec.fixed_length : 1);
  if (HasLengths(spec.kind, spec.columns[0].type)) {
    // Each list belongs to some row.
    const size_t num_lists = shares ? std::min<size_t>(buffer.num_present, 5) : buffer.num_present;
    for (size_t i = 0; i < num_lists; ++i)
      buffer.lengths.push_back(static_cast<uint32_t>((*random)() % 4));
    for (size_t i = 0; i < buffer.num_present && shares; ++i)
      buffer.lists.push_back(static_cast<uint32_t>(i < num_lists ? i : (*random)() % num_lists));
    entries = std::accumulate(buffer.lengths.begin(), buffer.lengths.end(), size_t{0});
  }
  for (size_t c = 0; c < spec.columns.size(); ++c) {
    GrowingBytes& values = buffer.values.emplace_back();
    values.resize(entries * WidthOf(spec, c));
    for (std::byte& value : values) value = static_cast<std::byte>((*random)());
  }
  return buffer;
}

std::vector<FeatureSpec> Specs() {
  std::vector<FeatureSpec> specs;
  for (const Type type : {Type::kInt8, Type::kInt16, Type::kInt32, Type::kInt64})
    specs.push_back({.name = "number", .kind = Kind::kDense, .columns = {{.type = type}}});
  specs.push_back({.name = "embedding",
                   .kind = Kind::kEmbedding,
                   .columns = {{.type = Type::kFloat32}},
                   .fixed_length = 3});
  specs.push_back({.name = "list", .kind = Kind::kList, .columns = {{.type = Type::kInt64}}});
  specs.push_back({.name = "weighted",
                   .kind = Kind::kWeighted,
                   .columns = {{.type = Type::kInt64}, {.type = Type::kFloat32}}});
  specs.push_back({.name = "text", .kind = Kind::kString, .columns = {{.type = Type::kBytes}}});
  return specs;
}

TEST(PutInOrderTest, RowsAreTheSameInTheirNewOrder) {
  std::mt19937_64 random(7);
  SpareMemory spare;
  for (const FeatureSpec& spec : Specs()) {
    const bool may_share = HasLengths(spec.kind, spec.columns[0].type);
    for (int i = 0; i < 40; ++i) {
      const size_t num_rows = random() % 30;
      const bool shares = may_share && i % 2 == 1 && num_rows != 0;
      Buffer buffer = RandomBuffer(spec, num_rows, i % 4 < 2, shares, &random);
      const std::vector<Row> before = RowsOf(spec, buffer, num_rows);
      std::vector<uint32_t> input_row(num_rows);
      std::iota(input_row.begin(), input_row.end(), 0U);
      std::shuffle(input_row.begin(), input_row.end(), random);
      std::vector<uint32_t> position_of(num_rows);
      for (uint32_t p = 0; p < num_rows; ++p) position_of[input_row[p]] = p;
      PutInOrder(spec, input_row, position_of, &spare, &buffer);
      const std::vector<Row> after = RowsOf(spec, buffer, num_rows);
      for (size_t p = 0; p < num_rows; ++p)
        ASSERT_EQ(after[p], before[input_row[p]]) << spec.name << ", run " << i << ", row " << p;
      EXPECT_TRUE(std::is_sorted(buffer.rows.begin(), buffer.rows.end()));
      // Lists are numbered as rows come to them.
      uint32_t next = 0;
      for (const uint32_t list : buffer.lists) {
        ASSERT_LE(list, next) << spec.name << ", run " << i;
        next = std::max(next, list + 1);
      }
    }
  }
}

TEST(PutInOrderTest, MemoryIsUsedAgain) {
  SpareMemory spare;
  GrowingBytes first = spare.Take(1000);
  EXPECT_EQ(first.size(), 1000U);
  const std::byte* const place = first.data();
  spare.Give(std::move(first));
  GrowingBytes second = spare.Take(10);
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(second.size(), 10U);
  // Nothing is there while it is in use, …
  GrowingBytes third = spare.Take(10);
  EXPECT_NE(third.data(), place);
  spare.Give(std::move(second));
  // … and what is too small makes room.
  EXPECT_EQ(spare.Take(1'000'000).size(), 1'000'000U);
  EXPECT_LT(spare.Take(10).capacity(), 1000U);
}

}  // namespace
}  // namespace dsi::internal
