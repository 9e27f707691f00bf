// Scans over many files against a model of plain rows: every order, mixing, shard, batch size and
// layout gives each row once, and the right one.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_checker.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

// Rows of each batch.
using Batches = std::vector<std::vector<uint64_t>>;

void Scan(const ModelDataset& model, const DatasetScanOptions& options, Batches* batches) {
  auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  ASSERT_EQ(*model.dataset->CountBatches(options), (*scan)->num_batches());
  const size_t num_before = batches->size();
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    const std::vector<uint64_t> rows = FileRows(batch);
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    std::vector<BatchRow> places;
    ASSERT_TRUE((*scan)->RowsOf(batch, &places).ok());
    ASSERT_EQ(places.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(model.dataset->files()[places[i].file].first_row + places[i].row, rows[i]);
    BatchChecker checker(model.table, batch);
    for (const Projection& asked : options.scan.features) {
      SCOPED_TRACE("batch " + std::to_string(batches->size()) + ", column " + asked.name +
                   ", layout " + std::to_string(static_cast<int>(asked.layout)));
      ASSERT_NO_FATAL_FAILURE(checker.Check(asked));
    }
    batches->push_back(rows);
  }
  ASSERT_EQ(batches->size() - num_before, (*scan)->num_batches());
}

std::vector<uint64_t> Sorted(const Batches& batches) {
  std::vector<uint64_t> rows;
  for (const auto& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<uint64_t> Iota(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows;
  for (uint64_t row = begin; row < end; ++row) rows.push_back(row);
  return rows;
}

OrderOptions RandomOrder(std::mt19937_64* random) {
  OrderOptions order;
  order.unit = static_cast<OrderUnit>((*random)() % 4);
  order.seed = (*random)();
  order.epoch = (*random)() % 3;
  order.block_rows = static_cast<uint32_t>(1 + (*random)() % 300);
  order.mixing_rows = (*random)() % 2 == 0 ? 0 : static_cast<uint32_t>(1 + (*random)() % 2000);
  order.mix = (*random)() % 2 == 0 ? Mix::kSessions : Mix::kRows;
  return order;
}

TEST(DatasetScan, EveryOrderGivesEachRowOnce) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 30; ++i) {
    const ModelTable input = i % 2 == 0 ? HistoryTable(random(), 1500 + random() % 1000)
                                        : RandomTable(random(), 1000 + random() % 1000, 9);
    const uint32_t stripes[] = {100, 700, 262'144};
    const ModelDataset model(input, 1 + random() % 5, stripes[random() % 3]);
    ASSERT_NE(model.dataset, nullptr);
    for (int s = 0; s < 4; ++s) {
      DatasetScanOptions options;
      options.scan = MakeRandomScan(model.table, &random);
      options.scan.batch_size = std::max(options.scan.batch_size, 7U);
      const uint64_t begin = options.scan.row_begin;
      const uint64_t end = std::min<uint64_t>(options.scan.row_end, model.table.num_rows);
      options.scan.threads = static_cast<uint32_t>(1 + random() % 3);
      options.scan.read_ahead_bytes = random() % 3 == 0 ? 1 << 20 : 0;
      std::vector<uint64_t> expected = ExpectedRows(model.table, options.scan);
      options.scan.row_begin = 0;
      options.scan.row_end = UINT64_MAX;
      const bool drops = std::exchange(options.scan.drop_last, false);
      if (drops) continue;
      options.rows = {{begin, end}};
      options.order = RandomOrder(&random);
      SCOPED_TRACE("table " + std::to_string(i) + ", scan " + std::to_string(s));
      Batches batches;
      ASSERT_NO_FATAL_FAILURE(Scan(model, options, &batches));
      ASSERT_EQ(Sorted(batches), expected);
    }
  }
}

DatasetScanOptions SomeColumns(uint32_t batch_size) {
  DatasetScanOptions options;
  options.scan.features = {{.name = "user.history.item", .layout = Layout::kIkjt},
                           {.name = "item.viewers", .layout = Layout::kPadded, .width = 5},
                           {.name = "session_id", .layout = Layout::kPadded, .width = 1}};
  options.scan.batch_size = batch_size;
  return options;
}

TEST(DatasetScan, WholeSessionsAreDealtOut_DO010) {
  const ModelDataset model(HistoryTable(3, 4000), 3, 700);
  DatasetScanOptions options = SomeColumns(100);
  options.order = {.unit = OrderUnit::kStripe, .seed = 5, .mixing_rows = 4000};
  Batches batches;
  ASSERT_NO_FATAL_FAILURE(Scan(model, options, &batches));
  ASSERT_EQ(Sorted(batches), Iota(0, 4000));
  // All that shares a session stays together but where a batch ends, and sessions do not follow
  // each other as they did.
  size_t cut = 0;
  size_t follow = 0;
  const ModelColumn& session = model.table.Column("session_id");
  for (const auto& batch : batches) {
    for (const uint64_t row : batch) {
      const bool goes_on = row + 1 < 4000 && session.rows[row] == session.rows[row + 1];
      const bool has_next = std::binary_search(batch.begin(), batch.end(), row + 1);
      cut += goes_on && !has_next ? 1 : 0;
      follow += !goes_on && has_next ? 1 : 0;
    }
  }
  EXPECT_LE(cut, batches.size());
  EXPECT_LT(follow, 40U);
  options.order.mix = Mix::kRows;
  Batches by_rows;
  ASSERT_NO_FATAL_FAILURE(Scan(model, options, &by_rows));
  ASSERT_EQ(Sorted(by_rows), Iota(0, 4000));
  EXPECT_NE(batches, by_rows);
}

TEST(DatasetScan, ThreadsAndReadAheadChangeNothing) {
  const ModelDataset model(HistoryTable(4, 3000), 4, 300);
  DatasetScanOptions options = SomeColumns(64);
  options.order = {.unit = OrderUnit::kBlock, .seed = 9, .block_rows = 128, .mixing_rows = 1024};
  Batches expected;
  ASSERT_NO_FATAL_FAILURE(Scan(model, options, &expected));
  for (const uint32_t threads : {2U, 5U}) {
    for (const uint64_t ahead : {0U, 1U << 22}) {
      options.scan.threads = threads;
      options.scan.read_ahead_bytes = ahead;
      Batches batches;
      ASSERT_NO_FATAL_FAILURE(Scan(model, options, &batches));
      ASSERT_EQ(batches, expected);
    }
  }
}

TEST(DatasetScan, RanksShareTheBatches) {
  const ModelDataset model(HistoryTable(5, 2500), 3, 400);
  DatasetScanOptions options = SomeColumns(90);
  options.order = {.unit = OrderUnit::kBlock, .seed = 1, .block_rows = 100, .mixing_rows = 500};
  Batches whole;
  ASSERT_NO_FATAL_FAILURE(Scan(model, options, &whole));
  for (const uint32_t world : {2U, 3U, 7U}) {
    Batches all;
    options.shard = {.world = world, .remainder = Remainder::kUneven};
    for (options.shard.rank = 0; options.shard.rank < world; ++options.shard.rank)
      ASSERT_NO_FATAL_FAILURE(Scan(model, options, &all));
    ASSERT_EQ(all, whole) << world;
  }
}

// The readers that one rank divides its batches among give what the rank gives, but repetitions.
TEST(DatasetScan, ARankSharesItsOwnBatches_DO018) {
  const ModelDataset model(HistoryTable(5, 2500), 3, 400);
  for (const Remainder remainder : {Remainder::kDrop, Remainder::kPad, Remainder::kUneven}) {
    DatasetScanOptions options = SomeColumns(90);
    options.order = {.unit = OrderUnit::kBlock, .seed = 1, .block_rows = 100, .mixing_rows = 500};
    for (options.shard = {.world = 3, .remainder = remainder}; options.shard.rank < 3;
         ++options.shard.rank) {
      const auto whole = model.dataset->NewScan(options);
      ASSERT_TRUE(whole.ok());
      Batches expected;
      Batch batch;
      while (*(*whole)->Next(&batch))
        if (!(*whole)->is_repeated()) expected.push_back(FileRows(batch));
      DatasetScanOptions divided = options;
      const auto state = model.dataset->ShareState(options);
      ASSERT_TRUE(state.ok()) << state.status().ToString();
      divided.state = *state;
      Batches all;
      divided.shard = {.world = 2, .remainder = Remainder::kUneven};
      for (; divided.shard.rank < 2; ++divided.shard.rank)
        ASSERT_NO_FATAL_FAILURE(Scan(model, divided, &all));
      ASSERT_EQ(all, expected) << static_cast<int>(remainder) << ", rank " << options.shard.rank;
    }
  }
}

TEST(DatasetScan, ResumesWithOtherRanksAndThreads) {
  const ModelDataset model(HistoryTable(6, 2000), 2, 400);
  DatasetScanOptions options = SomeColumns(70);
  options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 60, .mixing_rows = 300};
  Batches whole;
  ASSERT_NO_FATAL_FAILURE(Scan(model, options, &whole));
  std::sort(whole.begin(), whole.end());
  for (const uint64_t steps : {0U, 1U, 5U, 9U}) {
    Batches all;
    std::string state;
    options.state.clear();
    options.scan.threads = 1;
    options.scan.read_ahead_bytes = 1 << 20;
    options.shard = {.world = 3, .remainder = Remainder::kDrop};
    for (options.shard.rank = 0; options.shard.rank < 3; ++options.shard.rank) {
      auto scan = model.dataset->NewScan(options);
      ASSERT_TRUE(scan.ok());
      Batch batch;
      for (uint64_t i = 0; i < steps; ++i) {
        ASSERT_TRUE(*(*scan)->Next(&batch));
        all.push_back(FileRows(batch));
      }
      const auto here = (*scan)->state();
      ASSERT_TRUE(here.ok());
      if (options.shard.rank != 0) {
        ASSERT_EQ(*here, state);
      }
      state = *here;
    }
    options.state = state;
    options.scan.threads = 2;
    options.scan.read_ahead_bytes = 0;
    options.shard = {.world = 2, .remainder = Remainder::kUneven};
    for (options.shard.rank = 0; options.shard.rank < 2; ++options.shard.rank)
      ASSERT_NO_FATAL_FAILURE(Scan(model, options, &all));
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all, whole) << steps;
  }
}

// What rank `rank` hands out under these options, batch by batch, and the state before each.
void WalkRank(const ModelDataset& model, const DatasetScanOptions& options, Batches* batches,
              std::vector<std::string>* states) {
  const auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  states->push_back(*(*scan)->state());
  while (true) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) return;
    batches->push_back(FileRows(batch));
    states->push_back(*(*scan)->state());
  }
}

TEST(DatasetScan, OneBatchOfAJobIsFoundByAStateOfIt) {
  const ModelDataset model(HistoryTable(6, 1300), 2, 400);
  for (const Remainder remainder : {Remainder::kDrop, Remainder::kPad, Remainder::kUneven}) {
    DatasetScanOptions options = SomeColumns(90);
    options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 60, .mixing_rows = 300};
    options.shard = {.world = 4, .remainder = remainder};  // 15 batches: one does not go round.
    for (options.shard.rank = 0; options.shard.rank < 4; ++options.shard.rank) {
      Batches batches;
      std::vector<std::string> states;
      ASSERT_NO_FATAL_FAILURE(WalkRank(model, options, &batches, &states));
      for (size_t at = 0; at < states.size(); ++at) {
        for (size_t of = 0; of < batches.size(); ++of) {
          const int64_t step = static_cast<int64_t>(of) - static_cast<int64_t>(at);
          auto one = OptionsOfBatch(states[at], options.shard.rank, step);
          ASSERT_TRUE(one.ok()) << one.status().ToString();
          one->scan.features = options.scan.features;
          Batches found;
          ASSERT_NO_FATAL_FAILURE(Scan(model, *one, &found));
          ASSERT_EQ(found, Batches{batches[of]}) << at << " " << of;
        }
        const auto refused = [&](int64_t step, std::string_view part) {
          const Status status = OptionsOfBatch(states[at], options.shard.rank, step).status();
          EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
          EXPECT_NE(status.message().find(part), std::string::npos) << status.ToString();
        };
        const auto left = static_cast<int64_t>(batches.size() - at);
        refused(left, left == 0 ? "no batch left" : "the last batch of the rank is step");
        refused(-static_cast<int64_t>(at) - 1, "take a state of before");
        refused(INT64_MAX, "batch");
        refused(INT64_MIN, "take a state of before");
      }
    }
  }
  const std::string state = *(*model.dataset->NewScan(SomeColumns(50)))->state();
  EXPECT_EQ(OptionsOfBatch(state, 1, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(OptionsOfBatch("{}", 0, 0).status().code(), StatusCode::kBadInput);
}

TEST(DatasetScan, AStateOfSomethingElseIsRefused) {
  const ModelDataset model(HistoryTable(6, 500), 2, 400);
  const ModelDataset other(HistoryTable(7, 500), 2, 400);
  DatasetScanOptions options = SomeColumns(50);
  options.order = {.unit = OrderUnit::kBlock, .seed = 3, .block_rows = 60};
  const std::string state = *(*model.dataset->NewScan(options))->state();
  const auto refused = [&](const ModelDataset& of, const DatasetScanOptions& with) {
    const auto scan = of.dataset->NewScan(with);
    ASSERT_FALSE(scan.ok());
    EXPECT_EQ(scan.status().code(), StatusCode::kBadInput) << scan.status().ToString();
  };
  options.state = state;
  ASSERT_TRUE(model.dataset->NewScan(options).ok());
  refused(other, options);
  DatasetScanOptions changed = options;
  changed.order.seed = 4;
  refused(model, changed);
  changed = options;
  changed.scan.batch_size = 51;
  refused(model, changed);
  changed = options;
  changed.rows = {{0, 100}};
  refused(model, changed);
}

TEST(DatasetScan, ImpossibleOptionsAreSaid) {
  const ModelDataset model(HistoryTable(6, 200), 2, 400);
  DatasetScanOptions options = SomeColumns(50);
  const auto code = [&] { return model.dataset->NewScan(options).status().code(); };
  EXPECT_EQ(code(), StatusCode::kOk);
  options.scan.batch_size = 0;
  EXPECT_EQ(code(), StatusCode::kInvalidArgument);
  options = SomeColumns(50);
  options.scan.row_begin = 1;
  EXPECT_EQ(code(), StatusCode::kInvalidArgument);
  options = SomeColumns(50);
  options.rows = {{10, 20}, {15, 30}};
  EXPECT_EQ(code(), StatusCode::kInvalidArgument);
  options.rows = {{10, 201}};
  EXPECT_EQ(code(), StatusCode::kInvalidArgument);
  options = SomeColumns(50);
  options.shard = {.rank = 2, .world = 2};
  EXPECT_EQ(code(), StatusCode::kInvalidArgument);
  options = SomeColumns(50);
  options.scan.features.push_back({.name = "nothing"});
  EXPECT_EQ(code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace dsi::test
