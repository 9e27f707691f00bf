// Rules with exceptions (spec D-001, form 4): a group that follows its parent but for a few rows.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {
namespace {

constexpr uint32_t kRows = 20000;
constexpr uint32_t kItems = 900;
constexpr uint32_t kCategories = 60;

struct TableRow {
  int64_t item = 0;
  int64_t category = 0;
};

// Items in no order; the category of every n-th row is not the item's.
std::vector<TableRow> Table(uint32_t every) {
  std::vector<TableRow> table(kRows);
  uint32_t state = 7;
  for (uint32_t i = 0; i < kRows; ++i) {
    state = state * 1664525U + 1013904223U;
    table[i].item = (state >> 8) % kItems;
    table[i].category = table[i].item % kCategories;
    if (i % every == every - 1) table[i].category = (i / every) % kCategories;
  }
  return table;
}

std::vector<std::byte> Write(const std::vector<TableRow>& table) {
  const auto schema = Schema::FromJson(R"({"features": [
    {"name": "item_id", "kind": "key", "type": "int64"},
    {"name": "item.words", "kind": "list", "type": "int64"},
    {"name": "item.category", "kind": "list", "type": "int64"}],
    "groups": [{"name": "categories", "features": ["item.category"]}],
    "cluster_by": []})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "noisy"), *schema, {.threads = 1});
  EXPECT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  for (const TableRow& row : table) {
    EXPECT_TRUE(rows.SetInt(0, row.item).ok());
    const int64_t words[] = {row.item * 1000003, row.item * 77, row.item * 31};
    const int64_t categories[] = {row.category, row.category * 1000003, 5, 6};
    EXPECT_TRUE(rows.SetInts(1, 0, std::span(words)).ok());
    EXPECT_TRUE(rows.SetInts(2, 0, std::span(categories)).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

uint64_t IndexBytesViaParent(const Reader& reader) {
  const auto groups = reader.Groups();
  EXPECT_TRUE(groups.ok());
  uint64_t bytes = 0;
  for (const GroupInfo& group : *groups) {
    for (const auto& stripe : group.stripes)
      bytes += stripe.form == IndexForm::kViaParent ? stripe.index_bytes : 0;
  }
  return bytes;
}

void ExpectRows(const Reader& reader, const std::vector<TableRow>& table) {
  const auto scan = reader.NewScan(
      {.features = {{.name = "item_id"}, {.name = "item.category", .layout = Layout::kIkjt}},
       .batch_size = 777});
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t at = 0;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    const auto* const items = static_cast<const int64_t*>(batch.Padded("item_id")->values);
    const auto lists = *batch.Ikjt("item.category");
    for (size_t i = 0; i < batch.num_rows(); ++i, ++at) {
      ASSERT_EQ(items[i], table[at].item);
      const auto* const list =
          static_cast<const int64_t*>(lists.unique.values) + lists.unique.offsets[lists.inverse[i]];
      ASSERT_EQ(list[0], table[at].category) << "row " << at;
    }
  }
  EXPECT_EQ(at, table.size());
  const auto verified = reader.Verify();
  ASSERT_TRUE(verified.ok()) << verified.status().ToString();
  EXPECT_TRUE(verified->empty());
}

TEST(ViaParent, FewRowsMayBeExceptions) {
  for (const uint32_t every : {40U, 200U, 997U}) {
    const std::vector<TableRow> table = Table(every);
    const auto reader = *OpenBytes(Write(table));
    const uint64_t index = IndexBytesViaParent(*reader);
    EXPECT_GT(index, 0U) << every;
    // A byte for each item; ten bits or so for the gap and six for the category of an exception.
    EXPECT_LT(index, kItems + 1024 + kRows / every * 3) << every;
    ExpectRows(*reader, table);
  }
}

TEST(ViaParent, ManyExceptionsAreNoRule) {
  const std::vector<TableRow> table = Table(20);
  const auto reader = *OpenBytes(Write(table));
  EXPECT_EQ(IndexBytesViaParent(*reader), 0U);
  ExpectRows(*reader, table);
}

}  // namespace
}  // namespace dsi::test
