// Filters in scans of datasets: batches of no rows, columns that a file lacks, samples, files that
// a manifest lets pass over.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

TEST(DatasetFilters, BatchesWithoutRows) {
  const SlicedDataset model(HistoryTable(1, 500), {250, 250}, 100);
  DatasetScanOptions options;
  options.scan.batch_size = 60;
  options.scan.features = {
      {.name = "label", .layout = Layout::kDense},
      {.name = "time", .layout = Layout::kDense, .dtype = Type::kInt64, .set = "times"},
      {.name = "user.history.item", .layout = Layout::kVbe},
      {.name = "user.history.item", .layout = Layout::kKjt},
      {.name = "item.views", .layout = Layout::kKjt, .dtype = Type::kInt64},
      {.name = "item.words", .layout = Layout::kJagged},
      {.name = "item.words", .layout = Layout::kIkjt},
      {.name = "topics.ids", .layout = Layout::kPaddedIkjt, .width = 3},
      {.name = "topics.ids", .layout = Layout::kPadded, .width = 3}};
  options.pipeline.steps = {
      {.output = "newest", .op = TransformOp::kFirstX, .inputs = {"item.words"}, .n = 3}};
  options.scan.features.push_back({.name = "newest", .layout = Layout::kIkjt});
  for (const int64_t end : {int64_t{0}, int64_t{1'000'000 + 7 * 150}}) {
    options.scan.filter.where = {{"time", Compare::kLess, end}};
    for (const OrderOptions& order : Orders()) {
      options.order = order;
      const auto scan = model.dataset->NewScan(options);
      ASSERT_TRUE(scan.ok());
      Batch batch;
      uint64_t rows = 0;
      uint64_t batches = 0;
      for (; *(*scan)->Next(&batch); ++batches) {
        const size_t n = batch.num_rows();
        rows += n;
        EXPECT_EQ(batch.Dense()->rows, n);
        EXPECT_EQ(batch.Dense("times")->rows, n);
        const auto kjt = batch.Kjt();
        EXPECT_EQ(kjt->rows, n);
        for (size_t f = 0; f < 2; ++f) EXPECT_EQ(RowsOf(*kjt, f).size(), n);
        EXPECT_EQ(batch.Jagged("item.words")->offsets[n],
                  static_cast<int64_t>(batch.Jagged("item.words")->num_values));
        EXPECT_EQ(batch.Padded("topics.ids")->rows, n);
        for (const char* name : {"item.words", "newest"}) {
          const auto ikjt = batch.Ikjt(name);
          EXPECT_EQ(ikjt->unique.rows == 0, n == 0);
          EXPECT_EQ(ikjt->unique.offsets[0], 0);
          EXPECT_EQ(ikjt->unique.offsets[ikjt->unique.rows],
                    static_cast<int64_t>(ikjt->unique.num_values));
        }
        EXPECT_EQ(batch.Vbe("")->stride_per_key[0] == 0, n == 0);
        EXPECT_EQ(RowsOf(*batch.Vbe(""), 0).empty(), n == 0);
        EXPECT_EQ(batch.PaddedIkjt("topics.ids")->unique.rows == 0, n == 0);
        std::vector<BatchRow> places;
        ASSERT_TRUE((*scan)->RowsOf(batch, &places).ok());
        EXPECT_EQ(places.size(), n);
      }
      EXPECT_EQ(rows, end == 0 ? 0U : 150U);
      EXPECT_EQ(batches, 9U);
      EXPECT_EQ((*scan)->stats().rows_dropped, 500 - rows);
    }
  }
}

TEST(DatasetFilters, AFilterOnAColumnThatAFileLacks) {
  TempFolder folder;
  const ModelTable input = HistoryTable(4, 300);
  for (int f = 0; f < 2; ++f) {
    ModelTable slice = Slice(input, Range(f == 0 ? 0 : 150, f == 0 ? 150 : 300));
    if (f == 1) {
      std::erase_if(slice.schema.features, [](const auto& spec) { return spec.name == "label"; });
      std::erase_if(slice.columns, [](const auto& column) { return column.name == "label"; });
    }
    WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"), WriteTable(slice, StripesOf(60)));
  }
  const auto dataset = Dataset::Open(folder.path());
  DatasetScanOptions options;
  options.scan.batch_size = 40;
  options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
  const auto passing = [&](int64_t label) {
    std::vector<uint64_t> rows;
    for (size_t row = 0; row < 150; ++row) {
      if ((*input.Column("label").rows[row])[0] == static_cast<uint64_t>(label))
        rows.push_back(row);
    }
    return rows;
  };
  for (const OrderOptions& order : Orders()) {
    options.order = order;
    options.scan.filter = {.where = {{"label", Compare::kEqual, 1}}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), passing(1));
    // No sampling by a label where there is none.
    options.scan.filter = {.sample = {{.when = {{"label", Compare::kEqual, 0}}, .keep = 0}}};
    std::vector<uint64_t> expected = passing(1);
    for (uint64_t row = 150; row < 300; ++row) expected.push_back(row);
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), expected);
    // It is missing in all rows of the file.
    const std::vector<uint64_t> lacking(expected.end() - 150, expected.end());
    options.scan.filter = {.where = {{"label", Compare::kMissing}}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), lacking);
    options.scan.filter = {.sample = {{.when = {{"label", Compare::kExists}}, .keep = 0}}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), lacking);
    options.scan.filter = {.sample = {{.when = {{"label", Compare::kMissing}}, .keep = 0}}};
    EXPECT_EQ(Sorted(Batches(**dataset, options)).size(), 150U);
    EXPECT_EQ((*dataset)->Plan(options)->reads.num_rows, 300U);
    // Of alternatives, those in columns that the file lacks are false, but that it is missing.
    Predicate either{.column = "label", .compare = Compare::kEqual, .value = 1};
    either.alternatives = {{"label", Compare::kGreater, 5}};
    options.scan.filter = {.where = {either}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), passing(1));
    either.alternatives = {{"label", Compare::kMissing}};
    options.scan.filter = {.where = {either}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), expected);
    either.alternatives = {{"label", Compare::kMissing}, {"time", Compare::kMissing}};
    options.scan.filter = {.where = {either}};
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), expected);
    either.alternatives = {{"label", Compare::kGreater, 5}, {"time", Compare::kExists}};
    options.scan.filter = {.where = {either}};
    EXPECT_EQ(Sorted(Batches(**dataset, options)).size(), 300U);
    const uint64_t time = (*input.Column("time").rows[200])[0];
    either.alternatives = {{"time", Compare::kEqual, time}};
    options.scan.filter = {.sample = {{.when = {either}, .keep = 0}}};
    std::vector<uint64_t> kept;
    for (uint64_t row = 0; row < 300; ++row) {
      const bool is_dropped = (row < 150 && (*input.Column("label").rows[row])[0] == 1) ||
                              (*input.Column("time").rows[row])[0] == time;
      if (!is_dropped) kept.push_back(row);
    }
    EXPECT_EQ(Sorted(Batches(**dataset, options, &input.Column("item.words"))), kept);
  }
}

// What a manifest says of files settles sets and presence as it does comparisons.
TEST(DatasetFilters, FilesThatTheManifestRulesOut) {
  TempFolder folder;
  std::vector<std::string> paths;
  Schema schema;
  schema.features.push_back({.name = "day", .kind = Kind::kLabel});
  schema.features.back().columns.emplace_back().type = Type::kInt64;
  schema.features.push_back({.name = "city", .kind = Kind::kKey});
  schema.features.back().columns.emplace_back().type = Type::kBytes;
  // Days 0 and 1; 10; 20 in every other row; none.
  for (int64_t f = 0; f < 4; ++f) {
    const std::string path = folder.File("part-" + std::to_string(f) + ".dsi");
    auto writer = Writer::Create(path, schema);
    ASSERT_TRUE(writer.ok());
    RowBatch rows((*writer)->schema());
    for (int64_t row = 0; row < 50; ++row) {
      if (f < 2 || (f == 2 && row % 2 == 0)) {
        ASSERT_TRUE(rows.SetInt(0, f == 0 ? row % 2 : f * 10).ok());
      }
      ASSERT_TRUE(rows.SetBytes(1, f % 2 == 0 ? "Bern" : "Oslo").ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const auto found = Dataset::Open(folder.path());
  std::ofstream(folder.File("all.json")) << *(*found)->Manifest(folder.path());
  const auto dataset = Dataset::Open(folder.File("all.json"));
  struct Case {
    Predicate predicate;
    uint64_t rows;
    uint64_t files_skipped;
  };
  const Case cases[] = {
      {{.column = "day", .compare = Compare::kIn, .values = {1, 5, 10}}, 75, 2},
      {{.column = "day", .compare = Compare::kIn, .values = {}}, 0, 4},
      {{.column = "day", .compare = Compare::kIn, .values = {10.5, -1, 30}}, 0, 4},
      {{.column = "day", .compare = Compare::kNotIn, .values = {10, 20}}, 50, 3},
      {{.column = "day", .compare = Compare::kNotIn, .values = {0}}, 100, 1},
      {{.column = "day", .compare = Compare::kMissing}, 75, 2},
      {{.column = "day", .compare = Compare::kExists}, 125, 1},
      {{.column = "city", .compare = Compare::kEqual, .value = "Oslo"}, 100, 2},
      {{.column = "city", .compare = Compare::kLess, .value = "Bern"}, 0, 4},
      {{.column = "city", .compare = Compare::kGreater, .value = "Bern"}, 100, 2},
      {{.column = "city", .compare = Compare::kIn, .values = {"Rome", "Bern"}}, 100, 2},
      {{.column = "city", .compare = Compare::kNotIn, .values = {"Oslo"}}, 100, 2},
      {{.column = "city", .compare = Compare::kMissing}, 0, 4},
      {{.column = "day", .value = 10, .alternatives = {{"day", Compare::kMissing}}}, 125, 1},
      {{.column = "day", .value = 5, .alternatives = {{"city", Compare::kLess, "Bern"}}}, 0, 4},
      {{.column = "day", .value = 5, .alternatives = {{"city", Compare::kEqual, "Oslo"}}}, 100, 2},
  };
  for (const Case& one : cases) {
    DatasetScanOptions options;
    options.scan.features = {{.name = "day"}};
    options.scan.filter.where = {one.predicate};
    EXPECT_EQ(Sorted(Batches(**dataset, options)).size(), one.rows);
    const auto plan = (*dataset)->Plan(options);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    EXPECT_EQ(plan->files_skipped, one.files_skipped)
        << one.predicate.column << " compare " << static_cast<int>(one.predicate.compare);
  }
  const auto refused = [&](const Predicate& predicate) {
    DatasetScanOptions options;
    options.scan.features = {{.name = "day"}};
    options.scan.filter.where = {predicate};
    EXPECT_EQ((*dataset)->Plan(options).status().code(),
              (*dataset)->NewScan(options).status().code());
    return (*dataset)->NewScan(options).status().ToString();
  };
  EXPECT_NE(refused({"city", Compare::kEqual, 1}).find("city holds strings"), std::string::npos);
  EXPECT_NE(refused({"day", Compare::kEqual, "1"}).find("day holds int64"), std::string::npos);
}

TEST(DatasetFilters, SamplingIsOfTheRowAlone) {
  // The same rows twice: each file has its own fate.
  TempFolder folder;
  for (int f = 0; f < 2; ++f)
    WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"),
               WriteTable(HistoryTable(4 + static_cast<uint64_t>(f), 400), StripesOf(90)));
  const auto dataset = Dataset::Open(folder.path());
  DatasetScanOptions options;
  options.scan.features = {{.name = "label", .layout = Layout::kPadded}};
  options.scan.filter.sample = {{.when = {}, .keep = 0.25}};
  std::vector<uint64_t> expected;
  for (const OrderOptions& order : Orders()) {
    for (const uint32_t batch_size : {1U, 64U, 1000U}) {
      options.order = order;
      options.scan.batch_size = batch_size;
      const auto rows = Sorted(Batches(**dataset, options));
      if (expected.empty()) expected = rows;
      ASSERT_EQ(rows, expected);
    }
  }
  EXPECT_GT(expected.size(), 120U);
  EXPECT_LT(expected.size(), 280U);
  std::vector<uint64_t> first, second;
  for (const uint64_t row : expected) (row < 400 ? first : second).push_back(row % 400);
  EXPECT_NE(first, second);
}

TEST(DatasetFilters, TheOrderIsThatOfTheManifest) {
  // A filter passes over whole files by the manifest, and over their stripes without it.
  // Times ascend, so that there are statistics of them.
  const SlicedDataset model(HistoryTable(8, 1000), {250, 250, 250, 250}, 60);
  const auto manifest = model.dataset->Manifest(model.folder.path());
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  std::ofstream(model.folder.File("all.json")) << *manifest;
  const auto told = Dataset::Open(model.folder.File("all.json"));
  ASSERT_TRUE(told.ok()) << told.status().ToString();
  ASSERT_EQ((*told)->snapshot(), model.dataset->snapshot());
  DatasetScanOptions options;
  options.scan.batch_size = 50;
  options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
  options.scan.filter.where = {{"time", Compare::kGreater, int64_t{1'000'000 + 7 * 620}}};
  std::vector<OrderOptions> orders = Orders();
  for (OrderOptions& order : orders) order.block_rows = 30;
  for (OrderOptions& order : orders) order.mixing_rows = order.mixing_rows == 1 ? 100 : 1000;
  std::vector<std::vector<std::vector<uint64_t>>> expected;
  for (const OrderOptions& order : orders) {
    options.order = order;
    expected.push_back(Batches(*model.dataset, options));
  }
  std::filesystem::remove(model.folder.File("part-1.dsi"));  // It is not opened.
  for (size_t i = 0; i < orders.size(); ++i) {
    options.order = orders[i];
    EXPECT_EQ(Batches(**told, options, &model.table.Column("item.words")), expected[i]);
  }
}

}  // namespace
}  // namespace dsi::test
