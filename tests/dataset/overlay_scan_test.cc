// Files and their overlays (DS-040 …) are read as the one table that they are: in every layout,
// order and form of filter, and from every state.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "dsi/format/statistics_internal.h"
#include "dsi/reader/filter/predicate_internal.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/overlaid_table.h"
#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/batch_checker.h"

namespace dsi::test {
namespace {

// A random scan of what the dataset has: of a column that no file has it knows nothing.
DatasetScanOptions RandomScanOf(const OverlaidTable& model, std::mt19937_64* random) {
  std::set<std::string> known;
  const auto columns = model.dataset->Columns();
  for (const ColumnInfo& column : *columns) known.insert(column.name);
  DatasetScanOptions options;
  options.scan = MakeRandomScan(model.table, random);
  std::erase_if(options.scan.features,
                [&](const Projection& asked) { return !known.contains(asked.name); });
  const auto is_unknown = [&](const Predicate& predicate) {
    const std::vector<const Predicate*> all = internal::AlternativesOf(predicate);
    return !std::all_of(all.begin(), all.end(),
                        [&](const Predicate* one) { return known.contains(one->column); });
  };
  std::erase_if(options.scan.filter.where, is_unknown);
  std::erase_if(options.scan.filter.sample,
                [&](const Sampling& sampling) { return is_unknown(sampling.when[0]); });
  if (options.scan.features.empty())
    options.scan.features.push_back({.name = "session_id", .layout = Layout::kJagged});
  options.rows = {
      {options.scan.row_begin, std::min<uint64_t>(options.scan.row_end, model.table.num_rows)}};
  options.scan.row_begin = 0;
  options.scan.row_end = UINT64_MAX;
  options.scan.drop_last = false;
  options.scan.threads = 1 + static_cast<uint32_t>((*random)() % 3);
  options.scan.read_ahead_bytes = (*random)() % 2 == 0 ? 0 : 1 << 20;
  const std::vector<OrderOptions> orders = Orders();
  options.order = orders[(*random)() % orders.size()];
  options.order.block_rows = 50;
  return options;
}

// Rows that such a scan gives, ascending.
std::vector<uint64_t> RowsOfScan(const ModelTable& table, const DatasetScanOptions& options) {
  ScanOptions scan = options.scan;
  scan.row_begin = options.rows[0].begin;
  scan.row_end = options.rows[0].end;
  return ExpectedRows(table, scan);
}

TEST(OverlayScan, DS040DS042AreOneTable) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    const auto stripe_rows = static_cast<uint32_t>(60 + 40 * (seed % 3));
    const OverlaidTable model(seed, 1 + seed % 4, stripe_rows, 4);
    ASSERT_EQ(model.dataset->num_rows(), model.table.num_rows);
    std::mt19937_64 random(seed * 77);
    for (int i = 0; i < 12; ++i) {
      const DatasetScanOptions options = RandomScanOf(model, &random);
      const auto scan = model.dataset->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      std::vector<uint64_t> rows;
      Batch batch;
      for (;;) {
        const auto more = (*scan)->Next(&batch);
        ASSERT_TRUE(more.ok()) << more.status().ToString();
        if (!*more) break;
        BatchChecker checker(model.table, batch);
        for (const Projection& asked : options.scan.features) {
          checker.Check(asked);
          ASSERT_FALSE(testing::Test::HasFatalFailure())
              << "seed " << seed << ", scan " << i << ", " << asked.name;
        }
        for (const uint64_t row : FileRows(batch)) rows.push_back(row);
      }
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(rows, RowsOfScan(model.table, options)) << "seed " << seed << ", scan " << i;
      const auto counted = model.dataset->CountRows(options);
      ASSERT_TRUE(counted.ok()) << counted.status().ToString();
      ASSERT_EQ(*counted, rows.size()) << "seed " << seed << ", scan " << i;
    }
  }
}

// Pipelines take features from wherever they are.
TEST(OverlayScan, TransformsAreThoseOfOneFile) {
  for (uint64_t seed = 30; seed <= 36; ++seed) {
    const OverlaidTable model(seed, 1, 90, 4);
    TempFolder folder;
    ModelTable afresh = model.table;
    WriterOptions options = StripesOf(1000);
    options.cluster_by = {"session_id", "time"};
    WriteBytes(folder.File("all.dsi"), WriteRows(afresh, options));
    const auto one = Dataset::Open(folder.File("all.dsi"));
    DatasetScanOptions asked;
    asked.scan.batch_size = 64;
    std::set<std::string> known;
    std::vector<Projection> shown;
    const auto columns = model.dataset->Columns();
    for (const ColumnInfo& column : *columns) known.insert(column.name);
    for (const ModelColumn& column : model.table.columns) {
      const bool is_list = column.kind == Kind::kList || column.kind == Kind::kSequence;
      if (!is_list || !known.contains(column.name) || IsFloat(column.type)) continue;
      const std::string& name = column.name;
      auto& steps = asked.pipeline.steps;
      const bool is_first = steps.empty();
      if (!is_first) {
        steps.push_back({.output = name + ".hashed",
                         .op = TransformOp::kSigridHash,
                         .inputs = {name},
                         .salt = 5,
                         .max = int64_t{1} << 40});
        // What nobody else takes is done while it is decoded, unless it is shown as well.
        shown.push_back({.name = name, .layout = Layout::kJagged});
        if (shown.size() % 2 == 0) {
          steps.push_back(
              {.output = name + ".rest", .op = TransformOp::kModulus, .inputs = {name}, .max = 97});
          continue;
        }
      }
      steps.push_back(
          {.output = name + ".first", .op = TransformOp::kFirstX, .inputs = {name}, .n = 2});
      if (is_first) continue;
      steps.push_back({.output = name + ".cross",
                       .op = TransformOp::kCartesian,
                       .inputs = {name + ".first", steps[0].output},
                       .salt = 3,
                       .max = int64_t{1} << 40,
                       .limit = 10});
    }
    for (const TransformStep& step : asked.pipeline.steps) {
      asked.pipeline.outputs.push_back(step.output);
      for (const Layout layout : {Layout::kJagged, Layout::kIkjt})
        asked.scan.features.push_back({.name = step.output, .layout = layout});
    }
    ASSERT_FALSE(asked.scan.features.empty());
    const auto a = model.dataset->NewScan(asked);
    auto& features = asked.scan.features;
    features.insert(features.end(), shown.begin(), shown.end());
    const auto b = (*one)->NewScan(asked);
    ASSERT_TRUE(a.ok()) << a.status().ToString();
    ASSERT_TRUE(b.ok()) << b.status().ToString();
    Batch batch, expected;
    while (*(*b)->Next(&expected)) {
      ASSERT_TRUE(*(*a)->Next(&batch));
      for (const TransformStep& step : asked.pipeline.steps) {
        const auto rows = RowsOf(*expected.Jagged(step.output));
        ASSERT_EQ(RowsOf(*batch.Jagged(step.output)), rows) << step.output;
        const auto ikjt = batch.Ikjt(step.output);
        ASSERT_EQ(Expand(RowsOf(ikjt->unique), ikjt->inverse, rows.size()), rows) << step.output;
      }
    }
  }
}

// DS-043: a state says which rows are left, whatever the features.
TEST(OverlayScan, DS043GoesOnFromAState) {
  const OverlaidTable model(5, 3, 80, 3);
  std::mt19937_64 random(9);
  for (int i = 0; i < 10; ++i) {
    DatasetScanOptions options = RandomScanOf(model, &random);
    options.scan.batch_size = 50;
    const std::vector<std::vector<uint64_t>> all = Batches(*model.dataset, options);
    const auto scan = model.dataset->NewScan(options);
    Batch batch;
    for (size_t n = 0; n < all.size() / 2; ++n) ASSERT_TRUE(*(*scan)->Next(&batch));
    options.state = *(*scan)->state();
    const std::vector<std::vector<uint64_t>> rest = Batches(*model.dataset, options);
    EXPECT_EQ(rest, std::vector(all.begin() + static_cast<ptrdiff_t>(all.size() / 2), all.end()));
  }
}

// F-084, F-086: rows deleted of the base are gone, and what is left still fits.
TEST(OverlayScan, DS043F086DeletedRowsAreThoseOfTheBase) {
  OverlaidTable model(8, 1, 80, 4);
  ASSERT_FALSE(model.dataset->files()[0].overlays.empty());
  const std::string path = model.dataset->files()[0].path;
  const ModelColumn& sessions = model.table.Column("session_id");
  const uint64_t gone = sessions.rows[100]->at(0);
  const auto report = DeleteRows(path, {{"session_id", Compare::kEqual, gone}});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_GT(report->num_deleted, 0U);
  model.Open();
  std::vector<uint64_t> expected;
  for (uint64_t row = 0; row < model.table.num_rows; ++row) {
    if (!sessions.rows[row].has_value() || sessions.rows[row]->at(0) != gone)
      expected.push_back(row);
  }
  DatasetScanOptions options;
  const auto columns = model.dataset->Columns();
  for (const ColumnInfo& column : *columns)
    options.scan.features.push_back({.name = column.name, .layout = Layout::kJagged});
  const auto scan = model.dataset->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<uint64_t> rows;
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    BatchChecker checker(model.table, batch);
    for (const Projection& asked : options.scan.features) checker.Check(asked);
    for (const uint64_t row : FileRows(batch)) rows.push_back(row);
  }
  EXPECT_EQ(rows, expected);
  // An overlay has no deleted rows of its own.
  const auto refused =
      DeleteRows(model.dataset->files()[0].overlays[0], {{"session_id", Compare::kEqual, gone}});
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
}

// What a plan says is what a scan in file order reads.
TEST(OverlayScan, APlanSaysWhatAScanReads) {
  for (uint64_t seed = 60; seed <= 66; ++seed) {
    const OverlaidTable model(seed, 2, 80, 4);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 6; ++i) {
      DatasetScanOptions options = RandomScanOf(model, &random);
      options.scan.filter = {};
      options.order = {};
      const auto plan = model.dataset->Plan(options);
      ASSERT_TRUE(plan.ok()) << plan.status().ToString();
      const auto scan = model.dataset->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      Batch batch;
      while (*(*scan)->Next(&batch)) {
      }
      EXPECT_EQ(plan->reads.bytes_needed, (*scan)->stats().bytes_needed) << seed << " " << i;
      EXPECT_EQ(plan->reads.num_rows, (*scan)->stats().rows);
    }
  }
  // What statistics of either file rule out is read of neither.
  OverlaidTable model(8, 1, 60, 4);
  DatasetScanOptions options;
  options.scan.features = {{.name = "session_id", .layout = Layout::kJagged}};
  const auto columns = model.dataset->Columns();
  for (const ColumnInfo& column : *columns) {
    if (!IsInteger(column.type) || !HasOneValue(column.kind)) continue;
    options.scan.filter.where = {{column.name, Compare::kGreater, uint64_t{1} << 63}};
    const auto plan = model.dataset->Plan(options);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    const auto scan = model.dataset->NewScan(options);
    Batch batch;
    while (*(*scan)->Next(&batch)) {
    }
    if (plan->reads.stripes_skipped == plan->reads.num_stripes) {
      EXPECT_EQ((*scan)->stats().bytes_needed, 0U) << column.name;
    }
  }
}

// A projection of what the base has reads nothing of the overlays, and the other way round.
TEST(OverlayScan, ReadsWhatIsAskedFor) {
  DatasetFolder folder;
  Schema schema = SmallSchema();
  folder.PutRows("a.dsi", 0, 5000, schema, 1000);
  schema.features = {OneColumn("more", Kind::kList, Type::kInt64)};
  const auto base = Reader::Open(folder.File("a.dsi"));
  WriterOptions options;
  options.overlay = *BindOverlay(**base);
  std::vector<std::byte> bytes;
  const auto writer = Writer::Create(CreateMemoryFile(&bytes, "o"), schema, options);
  RowBatch rows((*writer)->schema());
  for (int64_t i = 0; i < 5000; ++i) {
    const std::vector<int64_t> two = {i, i * i};
    ASSERT_TRUE(rows.SetInts(0, 0, two).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  folder.Put("a.more.dsi", bytes);
  const auto bytes_needed = [&](const std::string& where, const std::string& name) {
    const auto dataset = Dataset::Open(where);
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    DatasetScanOptions asked;
    asked.scan.features = {{.name = name, .layout = Layout::kJagged}};
    const auto scan = (*dataset)->NewScan(asked);
    Batch batch;
    while (*(*scan)->Next(&batch)) {
    }
    return (*scan)->stats().bytes_needed;
  };
  EXPECT_EQ(bytes_needed(folder.path(), "key"), bytes_needed(folder.File("a.dsi"), "key"));
  // Of the overlay no more than a reader of it alone.
  const auto alone = Reader::Open(folder.File("a.more.dsi"));
  ScanOptions asked;
  asked.features = {{.name = "more", .layout = Layout::kJagged}};
  EXPECT_EQ(bytes_needed(folder.path(), "more"), (*alone)->Plan(asked)->bytes_needed);
}

}  // namespace
}  // namespace dsi::test
