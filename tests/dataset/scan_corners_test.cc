// Scans of datasets at their corners: files of no rows, batches of none, sessions that go on, keys
// of bytes, features that were renamed, one column in many layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/sliced_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

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
