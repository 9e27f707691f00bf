// Counts of values against counting every row of the table that the files hold.
#include "dsi/dataset/value_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A value that sorts as ValueCounts does.
using Key = std::tuple<double, uint64_t, std::string>;

double RealOf(uint64_t bits, Type type) {
  const double value = type == Type::kFloat32 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                              : std::bit_cast<double>(bits);
  return std::isnan(value) ? kInf : value + 0.0;
}

int64_t SignedOf(uint64_t bits, Type type) {
  const int unused = 64 - 8 * TypeWidth(type);
  return IsSignedInteger(type) ? static_cast<int64_t>(bits << unused) >> unused
                               : static_cast<int64_t>(bits);
}

// Whole numbers by their bits, the sign turned so that they sort.
Key KeyOf(uint64_t bits, Type type) {
  if (IsFloat(type)) {
    const double value = RealOf(bits, type);
    return {value, std::isinf(value) && value > 0 ? 1 : 0, ""};
  }
  if (type == Type::kUint64) return {0, bits, ""};
  return {0, static_cast<uint64_t>(SignedOf(bits, type)) ^ (uint64_t{1} << 63), ""};
}

struct Expected {
  uint64_t missing = 0;
  uint64_t entries = 0;
  std::map<Key, uint64_t> counts;
};

Expected CountRows(const ModelColumn& column, const std::vector<size_t>& rows) {
  Expected expected;
  for (const size_t row : rows) {
    const auto& entries = column.rows[row];
    if (!entries) {
      ++expected.missing;
    } else if (column.type == Type::kBytes) {
      ++expected.entries;
      ++expected.counts[{0, 0, std::string(entries->begin(), entries->end())}];
    } else {
      expected.entries += entries->size();
      for (const uint64_t bits : *entries) ++expected.counts[KeyOf(bits, column.type)];
    }
  }
  return expected;
}

std::vector<Key> KeysOf(const ValueCounts& counts) {
  std::vector<Key> keys;
  const auto add = [&]<typename T>(const std::vector<T>& values) {
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, std::string>) {
        keys.push_back({0, 0, value});
      } else {
        keys.push_back(
            KeyOf(std::bit_cast<uint64_t>(value), std::is_same_v<T, double>     ? Type::kFloat64
                                                  : std::is_same_v<T, uint64_t> ? Type::kUint64
                                                                                : Type::kInt64));
      }
    }
  };
  std::visit(add, counts.values);
  return keys;
}

void Compare(const ValueCounts& counts, const Expected& expected, size_t num_rows) {
  SCOPED_TRACE(counts.column);
  EXPECT_EQ(counts.rows, num_rows);
  EXPECT_EQ(counts.missing, expected.missing);
  EXPECT_EQ(counts.entries, expected.entries);
  const std::vector<Key> keys = KeysOf(counts);
  ASSERT_EQ(keys.size(), expected.counts.size());
  ASSERT_EQ(counts.counts.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto known = expected.counts.find(keys[i]);
    ASSERT_NE(known, expected.counts.end());
    EXPECT_EQ(counts.counts[i], known->second);
    if (i == 0) continue;
    EXPECT_GE(counts.counts[i - 1], counts.counts[i]);
    EXPECT_TRUE(counts.counts[i - 1] > counts.counts[i] || keys[i - 1] < keys[i]);
  }
}

TEST(ValueCounts, AreThoseOfAllRows) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const ModelDataset model(seed % 2 == 0 ? RandomTable(seed, 900, 9) : HistoryTable(seed, 900), 3,
                             200);
    std::vector<size_t> all(model.table.num_rows);
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    CountOptions options;
    for (const ModelColumn& column : model.table.columns)
      options.scan.scan.features.push_back({.name = column.name});
    for (const uint32_t threads : {1U, 3U}) {
      options.scan.scan.threads = threads;
      const auto counted = CountValues(*model.dataset, options);
      ASSERT_TRUE(counted.ok()) << counted.status().ToString();
      ASSERT_EQ(counted->size(), model.table.columns.size());
      for (size_t c = 0; c < counted->size(); ++c) {
        const ModelColumn& column = model.table.columns[c];
        EXPECT_EQ((*counted)[c].column, column.name);
        EXPECT_EQ((*counted)[c].type, column.type);
        Compare((*counted)[c], CountRows(column, all), all.size());
      }
    }
  }
}

TEST(ValueCounts, OfRowsThatPassAFilter) {
  const ModelDataset model(HistoryTable(3, 1000), 2, 300);
  const ModelColumn& label = model.table.Column("label");
  std::vector<size_t> passing;
  for (size_t row = 0; row < model.table.num_rows; ++row) {
    if (label.rows[row] && label.rows[row]->at(0) == 1) passing.push_back(row);
  }
  ASSERT_FALSE(passing.empty());
  CountOptions options;
  options.scan.scan.filter.where = {{"label", Compare::kEqual, int64_t{1}}};
  options.scan.scan.features = {{.name = "user.history.item"}, {.name = "label"}};
  const auto counted = CountValues(*model.dataset, options);
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  const ModelColumn& items = model.table.Column("user.history.item");
  Compare((*counted)[0], CountRows(items, passing), passing.size());
  Compare((*counted)[1], CountRows(label, passing), passing.size());
  EXPECT_EQ((*counted)[1].counts, std::vector<uint64_t>{passing.size()});
}

TEST(ValueCounts, OfWhatAPipelineMakes) {
  const ModelDataset model(HistoryTable(5, 400), 2, 300);
  CountOptions options;
  options.scan.scan.features = {{.name = "bucket"}, {.name = "user.history.item"}};
  options.scan.pipeline.steps = {
      {.output = "bucket", .op = TransformOp::kModulus, .inputs = {"user.history.item"}, .max = 3}};
  const auto counted = CountValues(*model.dataset, options);
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  const auto& items = std::get<std::vector<int64_t>>((*counted)[1].values);
  std::map<int64_t, uint64_t> expected;
  for (size_t i = 0; i < items.size(); ++i)
    expected[((items[i] % 3) + 3) % 3] += (*counted)[1].counts[i];
  const auto& buckets = std::get<std::vector<int64_t>>((*counted)[0].values);
  ASSERT_EQ(buckets.size(), expected.size());
  for (size_t i = 0; i < buckets.size(); ++i)
    EXPECT_EQ((*counted)[0].counts[i], expected[buckets[i]]);
}

// Keys 0 to 99 and scores that are half of them, twice over.
std::vector<ValueCounts> Twice(const DatasetFolder& folder) {
  const auto dataset = Dataset::Open(folder.File("*.dsi"));
  EXPECT_TRUE(dataset.ok());
  auto counted = CountValues(**dataset, {});
  EXPECT_TRUE(counted.ok()) << counted.status().ToString();
  return counted.ok() ? *std::move(counted) : std::vector<ValueCounts>(2);
}

TEST(ValueCounts, WhatFollowsFromThem) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 100);
  folder.PutRows("b.dsi", 0, 60);
  const std::vector<ValueCounts> counted = Twice(folder);
  const ValueCounts& keys = counted[0];
  EXPECT_EQ(keys.NumAtLeast(0), 100U);
  EXPECT_EQ(keys.NumAtLeast(1), 100U);
  EXPECT_EQ(keys.NumAtLeast(2), 60U);
  EXPECT_EQ(keys.NumAtLeast(3), 0U);
  EXPECT_EQ(std::get<std::vector<int64_t>>(keys.values)[60], 60);
  EXPECT_EQ(std::tuple(keys.min_length, keys.max_length), std::tuple(1U, 1U));
  const ValueCounts& scores = counted[1];
  double sum = 0, squares = 0;
  for (int i = 0; i < 160; ++i) sum += (i % 100) / 2.0;
  for (int i = 0; i < 160; ++i) squares += std::pow((i % 100) / 2.0 - sum / 160, 2);
  EXPECT_DOUBLE_EQ(scores.Mean(), sum / 160);
  EXPECT_DOUBLE_EQ(scores.Deviation(), std::sqrt(squares / 160));
  // Of 160 entries 120 are below 60: half of all are not above the 40th different one.
  const std::vector<double> shares = {0, 0.5, 120.0 / 160, 121.0 / 160, 1};
  const auto places = scores.Quantiles(shares);
  ASSERT_TRUE(places.ok());
  std::vector<double> values;
  for (const size_t i : *places) values.push_back(std::get<std::vector<double>>(scores.values)[i]);
  EXPECT_EQ(values, (std::vector<double>{0, 19.5, 29.5, 30, 49.5}));
}

TEST(ValueCounts, NumbersThatAreNone) {
  ValueCounts counts;
  EXPECT_TRUE(std::isnan(counts.Mean()));
  EXPECT_TRUE(std::isnan(counts.Deviation()));
  const std::vector<double> half = {0.5};
  EXPECT_EQ(counts.Quantiles(half).status().code(), StatusCode::kInvalidArgument);
  counts.values = std::vector<double>{std::nan(""), 3, -kInf};
  counts.counts = {5, 1, 1};
  EXPECT_EQ(counts.Mean(), -kInf);
  EXPECT_EQ(*counts.Quantiles(half), std::vector<size_t>{2});
  for (const double share : {-0.1, 1.1, std::nan("")}) {
    EXPECT_EQ(counts.Quantiles(std::vector<double>{share}).status().code(),
              StatusCode::kInvalidArgument);
  }
  // Ids that are one as doubles.
  counts.values = std::vector<int64_t>{INT64_MAX, INT64_MAX - 2, INT64_MAX - 1};
  EXPECT_EQ(*counts.Quantiles(std::vector<double>{0, 1.0 / 7, 2.0 / 7, 1}),
            (std::vector<size_t>{1, 1, 2, 0}));
  counts.type = Type::kBytes;
  counts.values = std::vector<std::string>{"a"};
  EXPECT_EQ(counts.Quantiles(half).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(std::isnan(counts.Mean()));
}

TEST(ValueCounts, WithinABudgetOrNotAtAll) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 50'000);
  const auto dataset = Dataset::Open(folder.File("a.dsi"));
  ASSERT_TRUE(dataset.ok());
  CountOptions options;
  options.scan.scan.features = {{.name = "key"}};
  // 50,000 different numbers, 65 bytes for each while the table grows.
  options.memory_bytes = 65 * 50'000;
  EXPECT_TRUE(CountValues(**dataset, options).ok());
  options.memory_bytes = 19 * 50'000;
  EXPECT_EQ(CountValues(**dataset, options).status().code(), StatusCode::kResourceExhausted);
  Schema texts;
  texts.features = {OneColumn("word", Kind::kString, Type::kBytes)};
  folder.PutRows("words.dsi", 0, 50'000, texts);
  const auto words = Dataset::Open(folder.File("words.dsi"));
  ASSERT_TRUE(words.ok());
  options.scan.scan.features = {};
  EXPECT_EQ(CountValues(**words, options).status().code(), StatusCode::kResourceExhausted);
  options.memory_bytes = 300 * 50'000;
  EXPECT_EQ(CountValues(**words, options)->at(0).counts.size(), 50'000U);
}

TEST(ValueCounts, CanBeStoppedAndTellOfErrors) {
  DatasetFolder folder;
  folder.PutRows("a.dsi", 0, 200'000);
  const auto dataset = Dataset::Open(folder.File("a.dsi"));
  ASSERT_TRUE(dataset.ok());
  CountOptions options;
  std::vector<std::pair<uint64_t, uint64_t>> told;
  options.progress = [&](uint64_t done, uint64_t total) {
    told.emplace_back(done, total);
    return done < 2;
  };
  EXPECT_EQ(CountValues(**dataset, options).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(told, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 4}, {1, 4}, {2, 4}}));
  options.scan.scan.features = {{.name = "kex"}};
  EXPECT_EQ(CountValues(**dataset, options).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace dsi::test
