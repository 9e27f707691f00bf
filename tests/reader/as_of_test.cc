// Groups whose rows are told by time (spec D-006): what scans, filters and Verify make of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/reader/decode/time_order_internal.h"
#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {
namespace {

constexpr int64_t kRows = 12'000;

struct LogRow {
  int64_t session = 0, time = 0, item = 0, shown = 0, clicked = 0;
  bool has_time = true;
};

// Sessions that are open for long and meet the same items: an item's counters grow with every row
// of it, whosever that is.
std::vector<LogRow> Log(bool with_gaps) {
  std::mt19937 random(7);
  std::map<int64_t, std::pair<int64_t, int64_t>> counters;
  std::vector<LogRow> log;
  for (int64_t i = 0; i < kRows; ++i) {
    LogRow row{.session = static_cast<int64_t>(random() % 60) + i / 4000 * 60,
               .time = 1'000'000 + i / 2,
               .item = static_cast<int64_t>(random() % 97)};
    row.has_time = !with_gaps || random() % 50 != 0;
    auto& [shown, clicked] = counters[row.item];
    row.shown = shown;
    row.clicked = clicked;
    ++shown;
    clicked += random() % 6 == 0 ? 1 : 0;
    log.push_back(row);
  }
  return log;
}

std::vector<std::byte> Write(const std::vector<LogRow>& log, bool time_has_ids = false) {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "timestamp", "kind": "timestamp", "unit": "s"},
    {"name": "item_id", "kind": "key", "type": "int64"},
    {"name": "row", "kind": "dense", "type": "int64"},
    {"name": "item.shown", "kind": "dense", "type": "int64"},
    {"name": "item.clicked", "kind": "list", "type": "int64"}],
    "cluster_by": ["session_id", "timestamp"]})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  if (time_has_ids) schema->features[1].columns[0].id_space = "times";
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "as of"), *schema,
                               {.stripe_rows = 5000, .page_values = 1024, .threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (size_t i = 0; i < log.size(); ++i) {
    const LogRow& row = log[i];
    EXPECT_TRUE(rows.SetInt(0, row.session).ok());
    if (row.has_time) {
      EXPECT_TRUE(rows.SetInt(1, row.time).ok());
    }
    EXPECT_TRUE(rows.SetInt(2, row.item).ok());
    EXPECT_TRUE(rows.SetInt(3, static_cast<int64_t>(i)).ok());
    EXPECT_TRUE(rows.SetInt(4, row.shown).ok());
    const int64_t clicked[] = {row.clicked, row.clicked + 1, row.item};
    EXPECT_TRUE(rows.SetInts(5, 0, std::span(clicked)).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

size_t StripesToldByTime(const Reader& reader) {
  const auto groups = reader.Groups();
  EXPECT_TRUE(groups.ok());
  size_t count = 0;
  for (const GroupInfo& group : *groups) {
    for (const auto& stripe : group.stripes) count += stripe.form == IndexForm::kAsOf ? 1 : 0;
  }
  return count;
}

// Rows of a scan against the log; returns how many there are.
size_t CompareRows(const Reader& reader, const std::vector<LogRow>& log, ScanOptions options) {
  options.features.push_back({.name = "row"});
  options.features.push_back({.name = "item.shown"});
  options.features.push_back({.name = "item.clicked", .layout = Layout::kIkjt});
  const auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t count = 0;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    const auto* const ids = static_cast<const int64_t*>(batch.Padded("row")->values);
    const auto* const shown = static_cast<const int64_t*>(batch.Padded("item.shown")->values);
    const auto clicked = *batch.Ikjt("item.clicked");
    for (size_t i = 0; i < batch.num_rows(); ++i) {
      const LogRow& row = log[static_cast<size_t>(ids[i])];
      const auto* const list = static_cast<const int64_t*>(clicked.unique.values) +
                               clicked.unique.offsets[clicked.inverse[i]];
      if (shown[i] != row.shown || list[0] != row.clicked || list[2] != row.item) {
        ADD_FAILURE() << "row " << ids[i];
        return count;
      }
    }
    count += batch.num_rows();
  }
  return count;
}

TEST(AsOf, ScansGiveTheRowsThatWereWritten) {
  for (const bool with_gaps : {false, true}) {
    const std::vector<LogRow> log = Log(with_gaps);
    const auto reader = *OpenBytes(Write(log));
    ASSERT_GE(StripesToldByTime(*reader), 2U);
    EXPECT_EQ(CompareRows(*reader, log, {.batch_size = 256}), log.size());
    EXPECT_EQ(CompareRows(*reader, log, {.batch_size = 4096, .row_begin = 4321, .row_end = 9000}),
              9000U - 4321);
    // The time is also asked for, as the first and in another type.
    EXPECT_EQ(CompareRows(*reader, log, {.features = {{.name = "timestamp"}}, .batch_size = 100}),
              log.size());
    ScanOptions filtered{.batch_size = 64};
    filtered.filter.where = {{"item_id", Compare::kLess, int64_t{10}}};
    const auto passes = [](const LogRow& row) { return row.item < 10; };
    EXPECT_EQ(CompareRows(*reader, log, filtered),
              static_cast<size_t>(std::count_if(log.begin(), log.end(), passes)));
    const auto verified = reader->Verify();
    ASSERT_TRUE(verified.ok()) << verified.status().ToString();
    EXPECT_TRUE(verified->empty());
  }
}

// D-006: the order must be told by the column alone.
TEST(AsOf, ATimeWithAnIdSpaceTellsNothing) {
  const std::vector<LogRow> log = Log(false);
  const auto reader = *OpenBytes(Write(log, /*time_has_ids=*/true));
  EXPECT_EQ(StripesToldByTime(*reader), 0U);
  EXPECT_EQ(CompareRows(*reader, log, {}), log.size());
}

TEST(AsOf, APlanReadsTheTime) {
  const auto reader = *OpenBytes(Write(Log(false)));
  const auto alone = reader->Plan({.features = {{.name = "item.clicked"}}});
  const auto with_time =
      reader->Plan({.features = {{.name = "item.clicked"}, {.name = "timestamp"}}});
  ASSERT_TRUE(alone.ok() && with_time.ok());
  EXPECT_EQ(alone->bytes_needed, with_time->bytes_needed);
}

// By owner, those without a time first, then by time; equal ones as they stand.
void ExpectOrdered(const std::vector<uint32_t>& owners, uint32_t num_owners,
                   const std::vector<uint32_t>& index, const std::vector<int64_t>& times,
                   const std::vector<uint8_t>& is_timed) {
  internal::MemoryBudget budget{.limit = UINT64_MAX};
  internal::RowsByTime by_time(&budget);
  by_time.Set({.index = index,
               .times = reinterpret_cast<const std::byte*>(times.data()),
               .is_timed = is_timed});
  std::vector<uint32_t> ends(num_owners, 0);
  std::vector<uint32_t> rows(owners.size());
  OrderRows(&by_time, owners, ends, rows.data());
  std::vector<uint32_t> expected(owners.size());
  std::iota(expected.begin(), expected.end(), 0U);
  const auto key = [&](uint32_t row) {
    const uint32_t u = index[row];
    const bool has_time = is_timed.empty() || is_timed[u] != 0;
    return std::tuple(owners[row], has_time, has_time ? times[u] : 0);
  };
  std::stable_sort(expected.begin(), expected.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  EXPECT_EQ(rows, expected);
  for (uint32_t o = 0; o < num_owners; ++o) {
    EXPECT_EQ(ends[o], std::count_if(owners.begin(), owners.end(),
                                     [&](uint32_t owner) { return owner <= o; }));
  }
}

TEST(AsOf, RowsOfOwnersAreOrderedAsAStableSortDoes) {
  std::mt19937_64 random(11);
  for (const int64_t span : {int64_t{1}, int64_t{7}, int64_t{5'000'000'000}, INT64_MAX}) {
    for (const size_t num_rows : {size_t{1}, size_t{5}, size_t{3000}}) {
      for (const uint32_t num_owners : {1U, 3U, 400U}) {
        for (const double late : {0.0, 0.1, 1.0}) {
          SCOPED_TRACE(testing::Message()
                       << span << " " << num_rows << " " << num_owners << " " << late);
          const size_t num_times = std::max<size_t>(1, num_rows / 3);
          std::vector<int64_t> times(num_times);
          for (int64_t& time : times)
            time = static_cast<int64_t>(random() % static_cast<uint64_t>(span)) - span / 2;
          if (span == INT64_MAX && num_times > 2) {
            times[0] = times[1] = INT64_MIN;
            times[2] = INT64_MAX;
          }
          // In the order of their times, but for so many of them.
          std::sort(times.begin(), times.end());
          std::vector<uint32_t> index(num_rows);
          for (uint32_t& u : index) u = static_cast<uint32_t>(random() % num_times);
          std::sort(index.begin(), index.end());
          for (uint32_t& u : index) {
            if (static_cast<double>(random() % 1000) < late * 1000)
              u = static_cast<uint32_t>(random() % num_times);
          }
          std::vector<uint32_t> owners(num_rows);
          for (uint32_t& owner : owners) owner = static_cast<uint32_t>(random() % num_owners);
          ExpectOrdered(owners, num_owners, index, times, {});
          std::vector<uint8_t> is_timed(num_times);
          for (size_t u = 0; u < num_times; ++u) {
            is_timed[u] = random() % 3 != 0 ? 1 : 0;
            if (is_timed[u] == 0) times[u] = INT64_MIN;
          }
          ExpectOrdered(owners, num_owners, index, times, is_timed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsi::test
