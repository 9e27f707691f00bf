// Whose bytes stay in memory, and for how long: pages that several cursors read, rows that a filter
// left far apart, pools of which little is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {
namespace {

constexpr int64_t kRows = 60'000;

// Random lists, ids of an id space, in one stripe of pages that are read one by one.
std::vector<std::byte> ListFile(int64_t num_rows, size_t length) {
  Schema schema;
  schema.features.push_back(Feature("row", Kind::kKey, {{"", Type::kInt64, ""}}));
  schema.features.push_back(Feature("a", Kind::kList, {{"", Type::kInt32, "ids"}}));
  schema.features.push_back(Feature("b", Kind::kList, {{"", Type::kInt32, "ids"}}));
  schema.features.push_back(Feature("vector", Kind::kEmbedding, {{"", Type::kFloat32, ""}}));
  schema.features.back().fixed_length = 4;
  std::mt19937_64 random(1);
  std::vector<int64_t> list(length);
  std::vector<double> vector(4);
  const auto set = [&](int64_t row, RowBatch* rows) {
    EXPECT_TRUE(rows->SetInt(0, row).ok());
    for (uint32_t f = 1; f < 3; ++f) {
      // Each list stands twice.
      if (row % 2 == 0) {
        for (int64_t& id : list) id = static_cast<int64_t>(random() % 20'000);
      }
      EXPECT_TRUE(rows->SetInts(f, 0, list).ok());
    }
    for (double& value : vector) value = static_cast<double>(random() % 1000);
    EXPECT_TRUE(rows->SetDoubles(3, 0, vector).ok());
  };
  return FileOfRows(schema, num_rows, WriterOptions().stripe_rows, set);
}

std::unique_ptr<Reader> Open(std::vector<std::byte> bytes, const ReaderOptions& options = {}) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "lists"), options);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

Status Drain(const Reader& reader, const ScanOptions& options, ScanStats* stats) {
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  for (;;) {
    const auto more = scan->Next(&batch);
    *stats = scan->stats();
    if (!more.ok()) return more.status();
    if (!*more) return Status::Ok();
  }
}

// Two types of one column are two cursors over its pages. Neither may take them from the other: no
// range is read twice.
TEST(PageMemory, TwoCursorsShareTheirPages) {
  const auto reader = Open(ListFile(6'000, 10), {.coalesce_gap = 0, .max_read_bytes = 1});
  ScanOptions options;
  options.batch_size = 100;
  options.features = {{.name = "a", .layout = Layout::kJagged, .dtype = Type::kInt32},
                      {.name = "a", .layout = Layout::kIkjt, .dtype = Type::kFloat64},
                      {.name = "b", .layout = Layout::kJagged}};
  const auto plan = reader->Plan(options);
  ASSERT_TRUE(plan.ok());
  ScanStats stats;
  ASSERT_TRUE(Drain(*reader, options, &stats).ok());
  EXPECT_EQ(stats.bytes_read, plan->bytes);
  EXPECT_EQ(stats.reads, plan->ranges.size());
}

// One row in a thousand: a filtered scan needs what one of everything needs, and a constant for the
// rows that it passes over.
TEST(PageMemory, FilteredScansNeedNoMoreSlow) {
  const auto reader = Open(ListFile(kRows, 40));
  ScanOptions options;
  options.batch_size = 50;
  options.features = {{.name = "a", .layout = Layout::kJagged},
                      {.name = "b", .layout = Layout::kIkjt},
                      {.name = "vector", .layout = Layout::kPadded}};
  ScanStats all;
  for (options.memory_bytes = 1 << 20; !Drain(*reader, options, &all).ok();)
    options.memory_bytes += 1 << 18;
  EXPECT_LT(options.memory_bytes, 8U << 20);
  options.memory_bytes += 1 << 19;
  EXPECT_EQ(all.rows, static_cast<uint64_t>(kRows));
  options.filter.sample = {{.when = {}, .keep = 0.001}};
  ScanStats few;
  const Status status = Drain(*reader, options, &few);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_GT(few.rows, 20U);
}

// The newest 10 entries of long lists: room for the tiers that are read, not for the pool (D-014).
TEST(PageMemory, TiersThatAreReadAloneSlow) {
  Schema schema;
  schema.features.push_back(Feature("item", Kind::kKey, {{"", Type::kInt64, ""}}));
  schema.features.push_back(Feature("list", Kind::kList, {{"", Type::kInt64, "ids"}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "tiers"), schema,
                               {.page_values = 1024, .threads = 1});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  std::mt19937_64 random(1);
  std::vector<std::vector<int64_t>> lists(4'000);
  for (size_t i = 0; i < lists.size(); ++i) {
    lists[i].resize(200 + random() % 300);
    for (int64_t& id : lists[i]) id = static_cast<int64_t>(random() >> 20);
    ASSERT_TRUE(rows.SetInt(0, static_cast<int64_t>(i)).ok());
    ASSERT_TRUE(rows.SetInts(1, 0, lists[i]).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto reader = Open(std::move(bytes));
  ScanOptions options;
  options.batch_size = 100;
  options.memory_bytes = 8 << 20;
  options.features = {{.name = "list", .layout = Layout::kJagged}};
  ScanStats whole;
  EXPECT_EQ(Drain(*reader, options, &whole).code(), StatusCode::kResourceExhausted);
  for (const bool filtered : {false, true}) {
    options.features = {{.name = "list", .layout = Layout::kPadded, .width = 10}};
    if (filtered) options.filter.sample = {{.when = {}, .keep = 0.01}};
    auto scan = reader->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      if (!*more) break;
      const auto view = *batch.Padded("list");
      for (size_t i = 0; i < batch.num_rows(); ++i) {
        const size_t row = filtered ? batch.row_numbers()[i] : batch.first_row() + i;
        const std::vector<int64_t> last(lists[row].end() - 10, lists[row].end());
        const auto* const found = static_cast<const int64_t*>(view.values) + i * 10;
        ASSERT_EQ(std::vector<int64_t>(found, found + 10), last) << row;
        ASSERT_EQ(view.lengths[i], 10);
      }
    }
  }
}

// Batches of rows far apart are those of a scan that hands out everything.
TEST(PageMemory, RowsFarApartAreRight) {
  const auto reader = Open(ListFile(9'000, 7));
  const auto bytes_of = [](const void* values, size_t size) {
    return std::string(static_cast<const char*>(values), size);
  };
  for (const uint32_t batch_size : {3U, 64U, 400U}) {
    ScanOptions options;
    options.features = {{.name = "a", .layout = Layout::kJagged},
                        {.name = "b", .layout = Layout::kIkjt},
                        {.name = "row", .layout = Layout::kPadded},
                        {.name = "vector", .layout = Layout::kJagged}};
    options.batch_size = 9'000;
    Batch everything;
    ASSERT_TRUE(*(*reader->NewScan(options))->Next(&everything));
    const auto all_a = *everything.Jagged("a");
    const auto all_b = *everything.Ikjt("b");
    const auto all_vectors = *everything.Jagged("vector");
    options.batch_size = batch_size;
    options.filter.sample = {{.when = {}, .keep = 0.05}};
    auto scan = reader->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    size_t num_rows = 0;
    while (*(*scan)->Next(&batch)) {
      const auto a = *batch.Jagged("a");
      const auto b = *batch.Ikjt("b");
      const auto vectors = *batch.Jagged("vector");
      const auto* const rows = static_cast<const int64_t*>((*batch.Padded("row")).values);
      const auto entries = [&](const JaggedView& view, size_t i, size_t width) {
        return bytes_of(
            static_cast<const char*>(view.values) + static_cast<size_t>(view.offsets[i]) * width,
            static_cast<size_t>(view.offsets[i + 1] - view.offsets[i]) * width);
      };
      std::vector<int32_t> sorted(b.inverse, b.inverse + batch.num_rows());
      for (size_t i = 0; i < batch.num_rows(); ++i) {
        const auto row = static_cast<size_t>(batch.row_numbers()[i]);
        ASSERT_EQ(rows[i], static_cast<int64_t>(row));
        ASSERT_EQ(entries(a, i, 4), entries(all_a, row, 4));
        ASSERT_EQ(entries(vectors, i, 4), entries(all_vectors, row, 4));
        ASSERT_EQ(entries(b.unique, static_cast<size_t>(b.inverse[i]), 4),
                  entries(all_b.unique, static_cast<size_t>(all_b.inverse[row]), 4));
        // Unique rows in order of first use: no number is skipped.
        ASSERT_LE(
            b.inverse[i],
            i == 0 ? 0
                   : *std::max_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(i)) +
                         1);
      }
      num_rows += batch.num_rows();
    }
    EXPECT_GT(num_rows, 300U);
  }
}

}  // namespace
}  // namespace dsi::test
