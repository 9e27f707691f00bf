// Streams of equal bytes are stored once (F-061), but not where their records must differ.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

// The shape codes of a list are its lengths and one, as uint32; a feature of just those numbers has
// a values stream of the same bytes, whose greatest value no record states. F-061: the record of a
// shape stream does, and a reader refuses one that does not.
TEST(Alias, F061AnotherGreatestValueIsAnotherStream) {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "twin", "kind": "dense", "type": "uint32"},
    {"name": "list", "kind": "list", "type": "uint8"},
    {"name": "later_twin", "kind": "dense", "type": "uint32"}]})");
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.dedup = options.find_groups = false;
  options.threads = 1;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "twins"), *schema, options);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  constexpr uint64_t kRows = 4000;
  const auto length = [](uint64_t row) { return row * 2654435761 % 97 % 60; };
  const std::vector<uint64_t> entries(100, 7);
  for (uint64_t row = 0; row < kRows; ++row) {
    ASSERT_TRUE(rows.SetUint(0, length(row) + 1).ok());
    ASSERT_TRUE(rows.SetUints(1, 0, std::span(entries).first(length(row))).ok());
    ASSERT_TRUE(rows.SetUint(2, length(row) + 1).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  ASSERT_TRUE(report.ok()) << report.status().ToString();

  auto reader = Reader::Open(OpenMemoryFile(bytes, "twins"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto damages = (*reader)->Verify();
  ASSERT_TRUE(damages.ok()) << damages.status().ToString();
  for (const Damage& damage : *damages)
    ADD_FAILURE() << damage.where << ": " << damage.status.ToString();
  ScanOptions scan_options;
  scan_options.features = {{.name = "twin", .width = 1},
                           {.name = "list", .layout = Layout::kJagged},
                           {.name = "later_twin", .width = 1}};
  auto scan = (*reader)->NewScan(scan_options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  const auto more = (*scan)->Next(&batch);
  ASSERT_TRUE(more.ok() && *more) << more.status().ToString();
  ASSERT_EQ(batch.num_rows(), kRows);
  const auto twin = batch.Padded("twin");
  const auto later = batch.Padded("later_twin");
  const auto list = batch.Jagged("list");
  ASSERT_TRUE(twin.ok() && later.ok() && list.ok());
  for (uint64_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(static_cast<const uint32_t*>(twin->values)[row], length(row) + 1);
    ASSERT_EQ(static_cast<const uint32_t*>(later->values)[row], length(row) + 1);
    ASSERT_EQ(list->offsets[row + 1] - list->offsets[row], static_cast<int64_t>(length(row)));
  }
  // The two features of the same numbers do share their bytes.
  const auto first = (*reader)->FindColumn("twin");
  const auto second = (*reader)->FindColumn("later_twin");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_LT(second->stored_bytes, first->stored_bytes / 4);
}

}  // namespace
}  // namespace dsi::test
