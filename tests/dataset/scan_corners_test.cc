// Scans of datasets at their corners: files of no rows, batches of none, sessions that go on, keys
// of bytes, features that were renamed, one column in many layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

std::vector<size_t> Range(size_t begin, size_t end) {
  std::vector<size_t> rows;
  for (size_t row = begin; row < end; ++row) rows.push_back(row);
  return rows;
}

// Files of these numbers of rows of one table, as they stand.
struct SlicedDataset {
  TempFolder folder;
  ModelTable table;
  std::unique_ptr<Dataset> dataset;

  SlicedDataset(const ModelTable& input, const std::vector<size_t>& sizes, uint32_t stripe_rows) {
    size_t begin = 0;
    for (size_t f = 0; f < sizes.size(); ++f) {
      WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"),
                 WriteTable(Slice(input, Range(begin, begin + sizes[f])), StripesOf(stripe_rows)));
      begin += sizes[f];
    }
    table = Slice(input, Range(0, begin));
    auto opened = Dataset::Open(folder.path());
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    dataset = std::move(*opened);
  }
};

// All batches; a column's rows are checked in each.
std::vector<std::vector<uint64_t>> Batches(const Dataset& dataset,
                                           const DatasetScanOptions& options,
                                           const ModelColumn* checked = nullptr) {
  std::vector<std::vector<uint64_t>> batches;
  const auto scan = dataset.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  if (!scan.ok()) return batches;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    batches.push_back(FileRows(batch));
    if (checked == nullptr) continue;
    const auto view = batch.Jagged(checked->name);
    EXPECT_TRUE(view.ok());
    std::vector<ModelRow> expected;
    for (const uint64_t row : batches.back()) expected.push_back(checked->rows[row]);
    EXPECT_EQ(RowsOf(*view), expected);
  }
  EXPECT_EQ(batches.size(), (*scan)->num_batches());
  EXPECT_EQ(batches.size(), *dataset.CountBatches(options));
  return batches;
}

std::vector<uint64_t> Sorted(const std::vector<std::vector<uint64_t>>& batches) {
  std::vector<uint64_t> rows;
  for (const auto& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<uint64_t> Numbers(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows;
  for (; begin < end; ++begin) rows.push_back(begin);
  return rows;
}

std::vector<OrderOptions> Orders() {
  std::vector<OrderOptions> orders;
  for (const OrderUnit unit :
       {OrderUnit::kNone, OrderUnit::kBlock, OrderUnit::kStripe, OrderUnit::kFile}) {
    for (const uint32_t mixing : {0U, 1U, 50U}) {
      for (const Mix mix : {Mix::kSessions, Mix::kRows})
        orders.push_back(
            {.unit = unit, .seed = 3, .block_rows = 2, .mixing_rows = mixing, .mix = mix});
    }
  }
  return orders;
}

TEST(DatasetCorners, FilesOfFewRowsAndNone) {
  for (const std::vector<size_t>& sizes :
       std::vector<std::vector<size_t>>{{0}, {0, 0}, {1}, {0, 1, 0, 0, 5, 1, 0}, {1, 1, 1}}) {
    size_t all = 0;
    for (const size_t size : sizes) all += size;
    const SlicedDataset model(HistoryTable(1, 20), sizes, 2);
    for (const OrderOptions& order : Orders()) {
      for (const uint32_t batch_size : {1U, 3U, 1U << 30}) {
        DatasetScanOptions options;
        options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
        options.scan.batch_size = batch_size;
        options.order = order;
        if (batch_size == 1U << 30) options.order.mixing_rows = 0;
        const auto batches = Batches(*model.dataset, options, &model.table.Column("item.words"));
        ASSERT_EQ(Sorted(batches), Numbers(0, all));
        options.scan.drop_last = true;
        ASSERT_EQ(Batches(*model.dataset, options).size(), all / batch_size);
      }
    }
  }
}

TEST(DatasetCorners, SpansThatTouch) {
  const SlicedDataset model(HistoryTable(1, 100), {30, 70}, 20);
  DatasetScanOptions options;
  options.scan.batch_size = 7;
  options.scan.features = {{.name = "item.words", .layout = Layout::kJagged}};
  options.rows = {{0, 10}, {10, 25}, {25, 25}, {29, 31}, {31, 32}, {99, 100}};
  DatasetScanOptions joined = options;
  joined.rows = {{0, 25}, {29, 32}, {99, 100}};
  for (const OrderOptions& order : Orders()) {
    options.order = joined.order = order;
    const auto batches = Batches(*model.dataset, options, &model.table.Column("item.words"));
    EXPECT_EQ(batches.size(), 5U);
    EXPECT_EQ(batches, Batches(*model.dataset, joined));
  }
}

TEST(DatasetCorners, BatchesWithoutRows) {
  const SlicedDataset model(HistoryTable(1, 500), {250, 250}, 100);
  DatasetScanOptions options;
  options.scan.batch_size = 60;
  options.scan.features = {{.name = "label", .layout = Layout::kDense},
                           {.name = "user.history.item", .layout = Layout::kVbe},
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

TEST(DatasetCorners, AFilterOnAColumnThatAFileLacks) {
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
  }
}

TEST(DatasetCorners, SamplingIsOfTheRowAlone) {
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

// Sessions of four rows, whose key is bytes; they go on over stripes of three.
std::vector<std::byte> BytesKeys(int num_rows, bool has_key) {
  auto schema = Schema::FromJson(has_key ? R"({"features": [
    {"name": "session", "kind": "key", "type": "bytes"},
    {"name": "n", "kind": "dense", "type": "int32"}], "cluster_by": ["session"]})"
                                         : R"({"features": [
    {"name": "n", "kind": "dense", "type": "int32"}]})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "keys"), *schema, StripesOf(3));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int i = 0; i < num_rows; ++i) {
    const std::string key = "session " + std::to_string(1000 + i / 4);
    EXPECT_TRUE(!has_key || rows.SetBytes(0, key).ok());
    EXPECT_TRUE(rows.SetInt(has_key ? 1 : 0, i).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

TEST(DatasetCorners, SessionsByBytesBesideAFileWithoutThem) {
  TempFolder folder;
  WriteBytes(folder.File("a.dsi"), BytesKeys(100, true));
  WriteBytes(folder.File("b.dsi"), BytesKeys(100, false));
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok());
  DatasetScanOptions options;
  options.scan.features = {{.name = "session", .layout = Layout::kIkjt},
                           {.name = "n", .layout = Layout::kPadded}};
  options.scan.batch_size = 20;
  options.order = {.mixing_rows = 200};
  const auto batches = Batches(**dataset, options);
  EXPECT_EQ(Sorted(batches), Numbers(0, 200));
  // Sessions are cut at most where a batch ends; rows of the other file are each by itself.
  size_t whole[2] = {0, 0};
  for (const auto& batch : batches) {
    for (uint64_t row = 0; row < 200; row += 4) {
      const auto count = std::count_if(batch.begin(), batch.end(),
                                       [&](uint64_t r) { return r >= row && r < row + 4; });
      if (count == 4) ++whole[row / 100];
    }
  }
  EXPECT_GE(whole[0], 25 - batches.size());
  EXPECT_LT(whole[1], 3U);
}

TEST(DatasetCorners, TheOrderIsThatOfTheManifest) {
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

TEST(DatasetCorners, OneColumnInManyTypesAndLayouts) {
  const ModelDataset model(HistoryTable(3, 600), 2, 100);
  DatasetScanOptions options;
  options.scan.batch_size = 100;
  options.pipeline.steps = {{.output = "hashed",
                             .op = TransformOp::kSigridHash,
                             .inputs = {"session_id"},
                             .salt = 7,
                             .max = 1000}};
  options.scan.features = {
      {.name = "session_id", .layout = Layout::kIkjt, .dtype = Type::kFloat64},
      {.name = "session_id", .layout = Layout::kVbe, .dtype = Type::kFloat32},
      {.name = "session_id", .layout = Layout::kJagged},
      {.name = "session_id", .layout = Layout::kPaddedIkjt, .dtype = Type::kFloat32},
      {.name = "hashed", .layout = Layout::kJagged},
      {.name = "hashed", .layout = Layout::kIkjt}};
  for (const uint32_t mixing : {0U, 300U}) {
    options.order.mixing_rows = mixing;
    const auto scan = model.dataset->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    uint64_t rows = 0;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      rows += batch.num_rows();
      const auto jagged = batch.Jagged("session_id");
      const auto ikjt = batch.Ikjt("session_id");
      for (size_t i = 0; i < batch.num_rows(); ++i) {
        const auto at = static_cast<size_t>(ikjt->unique.offsets[ikjt->inverse[i]]);
        EXPECT_EQ(static_cast<const double*>(ikjt->unique.values)[at],
                  static_cast<double>(static_cast<const int64_t*>(jagged->values)[i]));
      }
    }
    EXPECT_EQ(rows, 600U);
  }
}

TEST(DatasetCorners, FeaturesAreKnownByTheirIds) {
  TempFolder folder;
  // The second file has other names, one of which was another's.
  const char* const schemas[] = {R"({"features": [
    {"name": "a", "kind": "list", "type": "int32", "id": 1},
    {"name": "b", "kind": "list", "type": "int64", "id": 2}]})",
                                 R"({"features": [
    {"name": "c", "kind": "list", "type": "int64", "id": 1},
    {"name": "a", "kind": "list", "type": "int64", "id": 2}]})"};
  for (int f = 0; f < 2; ++f) {
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "ids"), *Schema::FromJson(schemas[f]));
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch rows((*writer)->schema());
    for (int64_t i = 0; i < 50; ++i) {
      const int64_t one[] = {i + 100 * f};
      const int64_t two[] = {1000 + i + 100 * f, i};
      ASSERT_TRUE(rows.SetInts(0, 0, std::span<const int64_t>(one)).ok());
      ASSERT_TRUE(rows.SetInts(1, 0, std::span<const int64_t>(two)).ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
    WriteBytes(folder.File(std::to_string(f) + ".dsi"), bytes);
  }
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok());
  const auto columns = (*dataset)->Columns();
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  ASSERT_EQ(columns->size(), 2U);
  DatasetScanOptions options;
  options.scan.batch_size = 30;
  options.order = {.unit = OrderUnit::kBlock, .block_rows = 7, .mixing_rows = 60};
  options.pipeline.steps = {
      {.output = "last", .op = TransformOp::kLastX, .inputs = {(*columns)[1].name}, .n = 1}};
  options.scan.features = {{.name = (*columns)[0].name, .layout = Layout::kJagged},
                           {.name = (*columns)[1].name, .layout = Layout::kJagged},
                           {.name = "last", .layout = Layout::kJagged}};
  const auto scan = (*dataset)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  uint64_t sum = 0;
  while (*(*scan)->Next(&batch)) {
    const auto numbers = FileRows(batch);
    const auto* one = static_cast<const int64_t*>(batch.Jagged(size_t{0})->values);
    const auto* two = static_cast<const int64_t*>(batch.Jagged(size_t{1})->values);
    const auto* last = static_cast<const int64_t*>(batch.Jagged(size_t{2})->values);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto row = static_cast<int64_t>(numbers[i]);
      const int64_t plain = row % 50 + (row < 50 ? 0 : 100);
      EXPECT_EQ(one[i], plain);
      EXPECT_EQ(two[2 * i], 1000 + plain);
      EXPECT_EQ(last[i], row % 50);
      ++sum;
    }
  }
  EXPECT_EQ(sum, 100U);
}

TEST(DatasetCorners, APipelineOverFilesThatLackItsInput) {
  TempFolder folder;
  const ModelTable input = HistoryTable(4, 400);
  for (int f = 0; f < 2; ++f) {
    ModelTable slice = Slice(input, Range(f == 0 ? 0 : 200, f == 0 ? 200 : 400));
    const std::string lacks = f == 0 ? "item.words" : "weight";
    std::erase_if(slice.schema.features, [&](const auto& spec) { return spec.name == lacks; });
    std::erase_if(slice.columns, [&](const auto& column) { return column.name == lacks; });
    WriteBytes(folder.File("part-" + std::to_string(f) + ".dsi"), WriteTable(slice, StripesOf(60)));
  }
  const auto dataset = Dataset::Open(folder.path());
  DatasetScanOptions options;
  options.pipeline.steps = {
      {.output = "first", .op = TransformOp::kFirstX, .inputs = {"item.words"}, .n = 2},
      {.output = "filled", .op = TransformOp::kFill, .inputs = {"weight"}, .value = 9.0}};
  options.scan.features = {{.name = "first", .layout = Layout::kJagged},
                           {.name = "first", .layout = Layout::kIkjt},
                           {.name = "first", .layout = Layout::kVbe},
                           {.name = "filled", .layout = Layout::kDense}};
  options.scan.batch_size = 64;
  for (const OrderOptions& order : Orders()) {
    options.order = order;
    const auto scan = (*dataset)->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    uint64_t rows = 0;
    while (*(*scan)->Next(&batch)) {
      const auto numbers = FileRows(batch);
      rows += numbers.size();
      const auto jagged = RowsOf(*batch.Jagged("first"));
      const auto ikjt = batch.Ikjt("first");
      ASSERT_EQ(Expand(RowsOf(ikjt->unique), ikjt->inverse, numbers.size()), jagged);
      const auto dense = batch.Dense();
      for (size_t i = 0; i < numbers.size(); ++i) {
        ModelRow words = input.Column("item.words").rows[numbers[i]];
        if (words.has_value() && words->size() > 2) words->resize(2);
        ASSERT_EQ(jagged[i], numbers[i] < 200 ? ModelRow() : words);
        const ModelRow& weight = input.Column("weight").rows[numbers[i]];
        const bool is_filled = numbers[i] >= 200 || !weight.has_value();
        const float expected = is_filled ? 9.0F : std::bit_cast<float>(uint32_t((*weight)[0]));
        const float got = static_cast<const float*>(dense->values)[i];
        ASSERT_TRUE(got == expected || (got != got && expected != expected)) << numbers[i];
      }
    }
    ASSERT_EQ(rows, 400U);
  }
}

}  // namespace
}  // namespace dsi::test
