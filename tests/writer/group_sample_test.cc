// Groups are found on rows of the whole input, not on those that happen to come first.
#include <gtest/gtest.h>

#include <random>

#include "dsi/writer/row_sample_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

internal::RowOrder InOrder(uint32_t num_rows, uint32_t session) {
  internal::RowOrder order;
  for (uint32_t row = 0; row < num_rows; ++row) {
    order.input_row.push_back(num_rows - 1 - row);
    order.input_entry.push_back(num_rows - 1 - row);
    order.time_rank.push_back(num_rows - 1 - row);
    if (row % session == 0) order.session_starts.push_back(row);
  }
  return order;
}

TEST(SampleRows, TakesAllWhereThereAreFew) {
  const internal::RowOrder order = InOrder(1'000, 10);
  const internal::RowSample sample = internal::SampleRows(order, 1'000, 1'000);
  ASSERT_EQ(sample.ranges.size(), 1U);
  EXPECT_EQ(sample.ranges[0].num_rows, 1'000U);
  EXPECT_EQ(sample.input_entry, order.input_entry);
  EXPECT_EQ(sample.rows_in_time, internal::RowsInTime(order.time_rank));
}

TEST(SampleRows, SpreadsSessionsFromFirstToLast) {
  for (const uint32_t num_rows : {4'097U, 5'000U, 20'000U, 1'000'000U}) {
    for (const uint32_t session : {7U, 100U, 3'000U}) {
      const auto sample = internal::SampleRows(InOrder(num_rows, session), num_rows, 4'096);
      ASSERT_EQ(sample.ranges.size(), 8U);
      EXPECT_EQ(sample.num_rows(), 4'096U);
      EXPECT_EQ(sample.rows_in_time.size(), 4'096U);
      EXPECT_EQ(sample.ranges[0].first, 0U);
      EXPECT_GE(sample.ranges[7].first + 512 + session, num_rows);
      uint32_t end = 0;
      size_t at = 0;
      for (const internal::RowRange& range : sample.ranges) {
        EXPECT_GE(range.first, end);
        EXPECT_LE(range.first + range.num_rows, num_rows);
        EXPECT_EQ(sample.input_entry[at], num_rows - 1 - range.first);
        at += range.num_rows;
        end = range.first + range.num_rows;
      }
    }
  }
}

TEST(SampleRows, NoRows) { EXPECT_EQ(internal::SampleRows({}, 0, 0).num_rows(), 0U); }

// A launch: sessions carry a list that none of the first stripe has.
uint64_t ValuesStored(bool from_the_start) {
  Schema schema;
  schema.features = {{.name = "session",
                      .kind = Kind::kKey,
                      .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}},
                     {.name = "late",
                      .kind = Kind::kList,
                      .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}}};
  schema.cluster_by = {"session"};
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), schema, {.stripe_rows = 2'000});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  std::mt19937_64 random(3);
  std::vector<int64_t> list(20);
  for (int row = 0; row < 10'000; ++row) {
    if (row % 10 == 0) {
      for (int64_t& id : list) id = static_cast<int64_t>(random() >> 1);
    }
    EXPECT_TRUE(batch.SetInt(0, row / 10).ok());
    if (from_the_start || row >= 5'000) EXPECT_TRUE(batch.SetInts(1, 0, list).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? report->values_stored : 0;
}

TEST(GroupSample, AFeatureThatTheFirstStripeLacksIsStoredOncePerSession) {
  const uint64_t lists = 1'000 * 20;
  EXPECT_LT(ValuesStored(true), lists + 10'000 + 1);
  EXPECT_LT(ValuesStored(false), lists / 2 + 10'000 + 1);
}

}  // namespace
}  // namespace dsi
