// A small file of every kind of feature, as the writer makes it, for tests of the reader.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace dsi::test {

inline FeatureSpec Feature(std::string name, Kind kind, std::vector<ColumnSpec> columns) {
  FeatureSpec f;
  f.name = std::move(name);
  f.kind = kind;
  f.columns = std::move(columns);
  return f;
}

// Ordinals as below; SampleFile fills them in this order.
inline Schema SampleSchema() {
  Schema s;
  s.features.push_back(Feature("session_id", Kind::kKey, {{"", Type::kInt64, ""}}));
  s.features.push_back(Feature("timestamp", Kind::kTimestamp, {{"", Type::kInt64, ""}}));
  s.features.back().columns[0].time_unit = TimeUnit::kMillis;
  s.features.push_back(Feature("label", Kind::kLabel, {{"", Type::kBool, ""}}));
  s.features.push_back(Feature("user.age", Kind::kDense, {{"", Type::kFloat32, ""}}));
  s.features.back().default_bits = 0x3F800000;
  s.features.back().id = 17;
  s.features.push_back(Feature("user.clicks", Kind::kList, {{"", Type::kInt64, "item"}}));
  s.features.back().max_length = 5;
  s.features.push_back(Feature("user.history", Kind::kSequence,
                               {{"item", Type::kInt64, "item"}, {"time", Type::kInt32, ""}}));
  s.features.back().newest_first = true;
  s.features.push_back(Feature("topics", Kind::kWeighted,
                               {{"ids", Type::kUint64, ""}, {"weights", Type::kFloat32, ""}}));
  s.features.push_back(Feature("vector", Kind::kEmbedding, {{"", Type::kFloat64, ""}}));
  s.features.back().fixed_length = 3;
  s.features.push_back(Feature("query", Kind::kString, {{"", Type::kBytes, ""}}));
  s.cluster_by = {"session_id", "timestamp"};
  s.groups = {{"user", "session_id", {"user.age", "user.clicks", "user.history"}}};
  s.metadata = {{"team", "ads"}, {"quote", "\"\n"}};
  return s;
}

inline void FillRow(RowBatch* rows, int64_t i) {
  const int64_t session = i / 5;
  const std::vector<int64_t> clicks(static_cast<size_t>(session % 4), session % 7);
  const std::vector<double> weights(static_cast<size_t>(i % 3), 0.5);
  const std::vector<int64_t> topics(static_cast<size_t>(i % 3), i);
  const std::vector<double> vector = {1.0, static_cast<double>(i), -0.0};
  ASSERT_TRUE(rows->SetInt(0, session).ok());
  ASSERT_TRUE(rows->SetInt(1, 1'000 + i).ok());
  ASSERT_TRUE(rows->SetInt(2, i % 2).ok());
  if (session % 3 != 0) {
    ASSERT_TRUE(rows->SetDouble(3, static_cast<double>(session)).ok());
  }
  ASSERT_TRUE(rows->SetInts(4, 0, clicks).ok());
  ASSERT_TRUE(rows->SetInts(5, 0, clicks).ok());
  ASSERT_TRUE(rows->SetInts(5, 1, clicks).ok());
  ASSERT_TRUE(rows->SetInts(6, 0, topics).ok());
  ASSERT_TRUE(rows->SetDoubles(6, 1, weights).ok());
  if (i % 4 != 0) {
    ASSERT_TRUE(rows->SetDoubles(7, 0, vector).ok());
  }
  ASSERT_TRUE(rows->SetBytes(8, "q" + std::to_string(i % 11)).ok());
  ASSERT_TRUE(rows->EndRow().ok());
}

// A file of rows in their order, in small pages; `set` sets what a row has.
inline std::vector<std::byte> FileOfRows(const Schema& schema, int64_t num_rows,
                                         uint32_t stripe_rows,
                                         const std::function<void(int64_t, RowBatch*)>& set) {
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.keep_order = true;
  options.stripe_rows = stripe_rows;
  options.page_values = 1024;
  options.threads = 1;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "rows"), schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < num_rows; ++row) {
    set(row, &rows);
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

inline std::vector<std::byte> SampleFile(int64_t num_rows = 100, uint32_t stripe_rows = 1 << 18) {
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.stripe_rows = stripe_rows;
  options.page_values = 1024;
  options.threads = 1;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "sample"), SampleSchema(), options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  if (!writer.ok()) return bytes;
  RowBatch rows((*writer)->schema());
  for (int64_t i = 0; i < num_rows; ++i) FillRow(&rows, i);
  EXPECT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

inline Result<std::unique_ptr<Reader>> OpenBytes(std::vector<std::byte> bytes) {
  return Reader::Open(OpenMemoryFile(std::move(bytes), "sample"));
}

}  // namespace dsi::test
