// Rows that come clustered: their stripes are written while they come, with the sessions, the
// stripes and, in small files, the bytes that clustering gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/heap_use.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/tests/writer/clustered_clicks.h"

namespace dsi::test {
namespace {

class ClusteredInput : public ::testing::TestWithParam<int> {};

// The rows as they came, the stripes and sessions of clustering where that moves no row, and the
// same bytes whatever the batches, the threads and the memory.
TEST_P(ClusteredInput, IsWrittenAsItCame) {
  const auto seed = static_cast<uint64_t>(GetParam());
  const bool has_long = seed % 8 == 3 || seed % 8 == 6;  // Sessions longer than a stripe.
  const int longest = has_long ? 150 : 12;
  const bool by_first_time = seed % 2 == 0;
  const Keys& keys = seed % 3 == 0 ? kBoth : kOne;
  const Clicks clicks = MakeClicks(seed, 300 + seed * 61 % 900, longest, by_first_time);
  WriterOptions options = {.cluster_by = keys,
                           .input_is_clustered = true,
                           .keep_position = seed % 5 == 0,
                           .stripe_rows = kClickStripeRows};
  const Outcome whole = WriteClicks(clicks, clicks.size(), options);
  ASSERT_TRUE(whole.status.ok()) << whole.status.ToString();
  const auto reader = OpenBytes(whole.bytes);
  EXPECT_TRUE(reader->Verify()->empty());
  EXPECT_EQ(reader->schema()->cluster_by, keys);
  CheckCuts(clicks, CutsOf(*reader));
  uint64_t sessions = 0;
  for (const Cut& cut : CutsOf(*reader)) sessions += cut.num_sessions;
  EXPECT_EQ(whole.report.num_sessions, sessions);
  EXPECT_EQ(reader->info().num_sessions, sessions);

  WriterOptions as_it_came = options;
  as_it_came.cluster_by = {};
  as_it_came.input_is_clustered = false;
  const Outcome kept = WriteClicks(clicks, 100, as_it_came);
  EXPECT_EQ(TextOf(*reader), TextOf(*OpenBytes(kept.bytes)));
  EXPECT_FALSE(kept.report.came_clustered);

  WriterOptions sorted_options = options;
  sorted_options.input_is_clustered = false;
  const Outcome sorted = WriteClicks(clicks, 100, sorted_options);
  ASSERT_TRUE(sorted.status.ok()) << sorted.status.ToString();
  EXPECT_EQ(sorted.report.num_sessions, sessions);
  EXPECT_TRUE(whole.report.came_clustered);
  EXPECT_EQ(sorted.report.came_clustered, by_first_time);
  if (by_first_time) {
    EXPECT_EQ(CutsOf(*OpenBytes(sorted.bytes)), CutsOf(*reader));
    EXPECT_EQ(TextOf(*OpenBytes(sorted.bytes)), TextOf(*reader));
  }

  for (const size_t rows_of_batch : {size_t{1}, size_t{37}, size_t{500}}) {
    for (const uint64_t budget : {0U, 1'000'000U}) {
      options.memory_bytes = budget;
      options.threads = 1 + static_cast<int>(rows_of_batch) % 3;
      const Outcome other = WriteClicks(clicks, rows_of_batch, options);
      ASSERT_TRUE(other.status.ok()) << other.status.ToString();
      EXPECT_TRUE(other.bytes == whole.bytes) << rows_of_batch << " rows, budget " << budget;
      EXPECT_EQ(other.report.values_stored, whole.report.values_stored);
      EXPECT_EQ(other.report.values_in, sorted.report.values_in);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClusteredInput, ::testing::Range(0, 16));

// The layout is planned on all rows where they are few, so that it is that of clustering.
TEST(ClusteredInputTest, FilesOfFewStripesHaveTheBytesOfClustering) {
  for (const uint64_t budget : {0U, 1'000U}) {
    for (const size_t num_rows : {0U, 1U, 50U, 130U}) {
      const Clicks clicks = MakeClicks(num_rows, num_rows, 9, /*by_first_time=*/true);
      WriterOptions options = {
          .cluster_by = kBoth, .stripe_rows = kClickStripeRows, .memory_bytes = budget};
      const Outcome sorted = WriteClicks(clicks, 10, options);
      options.input_is_clustered = true;
      const Outcome streamed = WriteClicks(clicks, 7, options);
      ASSERT_TRUE(sorted.status.ok() && streamed.status.ok()) << streamed.status.ToString();
      EXPECT_TRUE(sorted.bytes == streamed.bytes) << num_rows;
    }
  }
}

// Rows that wait in a spill file between stripes, and in stripes that a budget makes smaller.
TEST(ClusteredInputTest, ASmallBudgetChangesStripesAndNoRow) {
  const Clicks clicks = MakeClicks(3, 2'000, 30, /*by_first_time=*/false);
  WriterOptions options = {
      .cluster_by = kOne, .input_is_clustered = true, .stripe_rows = 200, .memory_bytes = 1'000};
  const Outcome spilled = WriteClicks(clicks, 17, options);
  ASSERT_TRUE(spilled.status.ok()) << spilled.status.ToString();
  EXPECT_NE(spilled.report.spilled_bytes, 0U);
  EXPECT_TRUE(WriteClicks(clicks, 450, options).bytes == spilled.bytes);
  const auto reader = OpenBytes(spilled.bytes);
  CheckCuts(clicks, CutsOf(*reader));
  options.memory_bytes = 0;
  EXPECT_EQ(TextOf(*reader), TextOf(*OpenBytes(WriteClicks(clicks, 450, options).bytes)));
}

TEST(ClusteredInputTest, StripesAreWrittenWhileRowsCome) {
  const auto calls_before_finish = [](const std::string& precision, bool is_clustered) {
    std::vector<std::byte> bytes;
    int calls = 0;
    Schema schema = *Schema::FromJson(
        R"({"features": [{"name": "k", "kind": "key", "type": "int64"},
            {"name": "x", "kind": "dense", "type": "float32", "precision": ")" +
        precision + "\"}]}");
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), schema,
                                 {.cluster_by = {"k"},
                                  .input_is_clustered = is_clustered,
                                  .stripe_rows = 10,
                                  .progress = [&](const WriteProgress& now) {
                                    calls += now.phase == WriteProgress::Phase::kEncode ? 1 : 0;
                                    return true;
                                  }});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    for (int row = 0; row < 500; ++row) {
      EXPECT_TRUE(batch.SetInt(0, -row / 3).ok());
      EXPECT_TRUE(batch.SetDouble(1, row).ok());
      EXPECT_TRUE(batch.EndRow().ok());
    }
    EXPECT_TRUE((*writer)->Append(batch).ok());
    const int before = calls;
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_sessions, 167U);
    return before;
  };
  EXPECT_GT(calls_before_finish("exact", true), 0);
  EXPECT_GT(calls_before_finish("fp16", true), 0);
  // The greatest value of all is asked for.
  EXPECT_EQ(calls_before_finish("int8", true), 0);
  EXPECT_EQ(calls_before_finish("exact", false), 0);
}

// Items have states that change in time, and rows of many sessions see them: stripes are encoded by
// the times of their rows, not by how these lie.
TEST(ClusteredInputTest, StatesOfItemsAreStoredInTime) {
  constexpr int64_t kSessions = 600;
  constexpr int64_t kRowsOfSession = 6;
  constexpr size_t kItems = 12;
  struct View {
    int64_t session = 0;
    int64_t time = 0;
    int64_t item = 0;
    std::vector<int64_t> viewers = {};  // Of the item, the last before.
  };
  std::vector<View> views;
  for (int64_t session = 0; session < kSessions; ++session) {
    for (int64_t row = 0; row < kRowsOfSession; ++row) {
      views.push_back({.session = session,
                       .time = 10 * session + 400 * row + row,
                       .item = (session * 7 + row * 5) % static_cast<int64_t>(kItems)});
    }
  }
  std::vector<View*> in_time;
  for (View& view : views) in_time.push_back(&view);
  std::stable_sort(in_time.begin(), in_time.end(),
                   [](const View* a, const View* b) { return a->time < b->time; });
  std::vector<std::vector<int64_t>> viewers(kItems);
  for (View* view : in_time) {
    std::vector<int64_t>& of_item = viewers[static_cast<size_t>(view->item)];
    view->viewers = of_item;
    of_item.insert(of_item.begin(), view->session * 1'000'003 % 99'991);
    if (of_item.size() > 30) of_item.pop_back();
  }
  const auto write = [&](bool is_clustered) {
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(R"({
        "features": [{"name": "session", "kind": "key", "type": "int64"},
                     {"name": "t", "kind": "timestamp", "type": "int64", "unit": "s"},
                     {"name": "item", "kind": "key", "type": "int64"},
                     {"name": "viewers", "kind": "list", "type": "int64"}],
        "cluster_by": ["session", "t"]})"),
                                 {.input_is_clustered = is_clustered, .stripe_rows = 600});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    for (const View& view : views) {
      RowBatch batch((*writer)->schema());
      EXPECT_TRUE(batch.SetInt(0, view.session).ok());
      EXPECT_TRUE(batch.SetInt(1, view.time).ok());
      EXPECT_TRUE(batch.SetInt(2, view.item).ok());
      EXPECT_TRUE(batch.SetInts(3, 0, view.viewers).ok());
      EXPECT_TRUE(batch.EndRow().ok());
      EXPECT_TRUE((*writer)->Append(std::move(batch)).ok());
    }
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    const auto reader = OpenBytes(bytes);
    EXPECT_TRUE(reader->Verify()->empty());
    return std::pair(report->values_stored, TextOf(*reader));
  };
  const auto sorted = write(false);
  const auto streamed = write(true);
  EXPECT_EQ(streamed.second, sorted.second);
  EXPECT_LT(streamed.first, sorted.first + sorted.first / 10);
}

// Only a time: there are no sessions, and rows follow each other in time.
TEST(ClusteredInputTest, ATimeAloneIsAnOrder) {
  Clicks clicks = MakeClicks(4, 600, 1, /*by_first_time=*/true);
  WriterOptions options = {
      .cluster_by = {"t"}, .input_is_clustered = true, .stripe_rows = kClickStripeRows};
  const Outcome done = WriteClicks(clicks, 50, options);
  ASSERT_TRUE(done.status.ok()) << done.status.ToString();
  EXPECT_EQ(done.report.num_sessions, 0U);
  EXPECT_GT(done.report.num_stripes, 10U);
  options.input_is_clustered = false;
  EXPECT_EQ(TextOf(*OpenBytes(done.bytes)),
            TextOf(*OpenBytes(WriteClicks(clicks, 50, options).bytes)));
  clicks[500].time = 3;
  options.input_is_clustered = true;
  const Status status = WriteClicks(clicks, 50, options).status;
  EXPECT_EQ(status.code(), StatusCode::kBadInput);
  EXPECT_NE(status.message().find("row 500 "), std::string::npos) << status.message();
}

TEST(ClusteredInputTest, ALongFileTakesMemoryForAFewStripes) {
  const auto peak_of = [](size_t num_rows) {
    const TempFolder folder;
    const Clicks clicks = MakeClicks(14, num_rows, 9, /*by_first_time=*/true);
    auto writer = Writer::Create(
        folder.File("out.dsi"), *Schema::FromJson(kClickFeatures),
        {.cluster_by = kOne, .input_is_clustered = true, .stripe_rows = 1'000, .threads = 1});
    EXPECT_TRUE(writer.ok());
    HeapMeter meter;
    for (size_t row = 0; row < num_rows; row += 500) {
      EXPECT_TRUE((*writer)->Append(BatchOf(**writer, std::span(clicks).subspan(row, 500))).ok());
      meter.Look();
    }
    EXPECT_TRUE((*writer)->Finish().ok());
    return meter.peak();
  };
  const uint64_t of_short = peak_of(10'000);
  EXPECT_LE(peak_of(40'000), of_short + of_short / 2);
}

}  // namespace
}  // namespace dsi::test
