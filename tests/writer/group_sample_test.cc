// Groups are found on rows of the whole input, not on those that happen to come first.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "dsi/writer/cluster/row_sample_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

internal::RowList InOrder(uint32_t num_rows, uint32_t session) {
  internal::RowList rows(true, UINT64_MAX, "");
  for (uint32_t row = 0; row < num_rows; ++row) {
    EXPECT_TRUE(rows.Append({.time = 0,
                             .input_row = num_rows - 1 - row,
                             .bytes = 10,
                             .starts_session = row % session == 0})
                    .ok());
  }
  return rows;
}

constexpr uint32_t kMost = 4'096;
using Ranges = std::vector<internal::RowInterval>;

uint32_t CountRows(const Ranges& ranges) {
  uint32_t count = 0;
  for (const internal::RowInterval& range : ranges) count += range.num_rows;
  return count;
}

// Of features that have ten entries in each row of [first, end).
Ranges Sample(const internal::RowList& rows, const internal::RowLimits& most,
              const std::vector<std::pair<uint32_t, uint32_t>>& features) {
  const auto count = [&](std::span<const internal::RowInterval> intervals) {
    std::vector<uint64_t> counts;
    for (const auto& [begin, end_of_feature] : features) {
      for (const internal::RowInterval& range : intervals) {
        const uint32_t first = std::max(range.first, begin);
        const uint32_t end = std::min(range.first + range.num_rows, end_of_feature);
        counts.push_back(first < end ? 10 * (end - first) : 0);
      }
    }
    return Result<std::vector<uint64_t>>(std::move(counts));
  };
  auto ranges = internal::SampleRows(rows, most, features.size(), count);
  EXPECT_TRUE(ranges.ok());
  return *std::move(ranges);
}

void ExpectSound(const Ranges& ranges, uint32_t num_rows) {
  uint32_t end = 0;
  for (const internal::RowInterval& range : ranges) {
    EXPECT_GE(range.first, end);
    end = range.first + range.num_rows;
  }
  EXPECT_LE(end, num_rows);
  EXPECT_LE(CountRows(ranges), kMost);
}

TEST(SampleRows, TakesAllWhereThereAreFew) {
  const Ranges ranges = Sample(InOrder(1'000, 10), {.rows = 1'000}, {{500, 600}});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].num_rows, 1'000U);
}

TEST(SampleRows, TheFirstRowsDoWhereAllFeaturesAreThere) {
  const uint32_t num_rows = 100'000;
  const Ranges ranges = Sample(InOrder(num_rows, 10), {.rows = kMost},
                               {{0, num_rows}, {0, num_rows / 2}, {90'000, 90'010}});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(CountRows(ranges), kMost);
  ExpectSound(ranges, num_rows);
}

TEST(SampleRows, SeesWhatComesLater) {
  for (const uint32_t num_rows : {4'097U, 5'000U, 8'192U, 9'000U, 20'000U, 1'000'000U}) {
    for (const uint32_t session : {7U, 100U, 3'000U}) {
      const uint32_t late = num_rows - num_rows / 10;
      const Ranges ranges = Sample(InOrder(num_rows, session), {.rows = kMost},
                                   {{0, num_rows}, {late, num_rows}, {0, 1'000}});
      ExpectSound(ranges, num_rows);
      const internal::RowInterval last = ranges.back();
      EXPECT_GT(last.first + last.num_rows, late) << num_rows << ", " << session;
      EXPECT_EQ(ranges[0].first, 0U);
    }
  }
}

TEST(SampleRows, SeesFeaturesOfDifferentTimes) {
  const uint32_t num_rows = 1'000'000;
  const Ranges ranges =
      Sample(InOrder(num_rows, 10), {.rows = kMost}, {{300'000, 400'000}, {700'000, 800'000}});
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[1].first / 100'000, 3U);
  EXPECT_EQ(ranges[2].first / 100'000, 7U);
  ExpectSound(ranges, num_rows);
}

TEST(SampleRows, HasNoMoreBytesThanAStripe) {
  const Ranges ranges = Sample(InOrder(10'000, 10), {.rows = kMost, .bytes = 500}, {{0, 10'000}});
  EXPECT_EQ(CountRows(ranges), 50U);
}

TEST(SampleRows, NoRows) { EXPECT_EQ(CountRows(Sample(InOrder(0, 1), {}, {})), 0U); }

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

// 50 users, whose lists shift by an entry with every row; `others`: numbers that count beside them.
uint64_t ValuesStoredOfUsers(Kind kind, size_t others) {
  Schema schema;
  const ColumnSpec number{.name = "", .type = Type::kInt64, .id_space = ""};
  schema.features = {{.name = "user", .kind = kind, .columns = {number}},
                     {.name = "list", .kind = Kind::kList, .columns = {number}}};
  for (size_t i = 0; i < others; ++i) {
    schema.features.push_back(
        {.name = "n" + std::to_string(i), .kind = Kind::kDense, .columns = {number}});
  }
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), schema, {});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  std::vector<int64_t> list(20);
  for (int64_t row = 0; row < 5'000; ++row) {
    const int64_t user = row * 7 % 50;
    for (int64_t i = 0; i < 20; ++i) list[static_cast<size_t>(i)] = user * 1'000 + row / 50 + i;
    EXPECT_TRUE(batch.SetInt(0, user).ok());
    EXPECT_TRUE(batch.SetInts(1, 0, list).ok());
    for (size_t i = 0; i < others; ++i) EXPECT_TRUE(batch.SetInt(2 + i, row % 11).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? report->values_stored : 0;
}

// A caller of Append may know types and no kinds.
TEST(GroupSample, AWholeNumberMayBeTheOwner) {
  const uint64_t as_key = ValuesStoredOfUsers(Kind::kKey, 0);
  EXPECT_LT(as_key, 20'000U);
  EXPECT_EQ(ValuesStoredOfUsers(Kind::kDense, 0), as_key);
  EXPECT_LT(ValuesStoredOfUsers(Kind::kDense, 31), 40'000U);
  EXPECT_GT(ValuesStoredOfUsers(Kind::kDense, 32), 100'000U);
}

}  // namespace
}  // namespace dsi
