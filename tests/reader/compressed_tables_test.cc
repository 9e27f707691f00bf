// Files of many features: compressed tables (spec F-042) and compressed pages (F-065).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dsi/format/core_internal.h"
#include "dsi/format/table_blocks_internal.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

constexpr int kFeatures = 300;
constexpr int kRows = 20;

int64_t ValueOf(int feature, int row) { return row % 3 == feature % 3 ? 1000 * feature + row : 7; }

std::string NameOf(int feature) { return "context.feature_" + std::to_string(feature); }

std::vector<std::byte> WideFile() {
  Schema schema;
  for (int f = 0; f < kFeatures; ++f) {
    FeatureSpec spec{.name = NameOf(f), .kind = Kind::kDense};
    spec.columns.emplace_back().type = Type::kInt32;
    schema.features.push_back(spec);
  }
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "wide"), schema, {.threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int row = 0; row < kRows; ++row) {
    for (int f = 0; f < kFeatures; ++f)
      EXPECT_TRUE(rows.SetInt(static_cast<size_t>(f), ValueOf(f, row)).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

TEST(CompressedTables, RecordsAreTransposedAndBack) {
  for (const size_t size : {1U, 24U, 96U}) {
    std::vector<std::byte> records(size * 7);
    for (size_t i = 0; i < records.size(); ++i) records[i] = static_cast<std::byte>(i * 37);
    std::vector<std::byte> there(records.size());
    std::vector<std::byte> back(records.size());
    internal::TransposeRecords(records, size, there.data());
    EXPECT_EQ(there[1], records[size]);
    internal::UntransposeRecords(there, size, back.data());
    EXPECT_EQ(back, records);
  }
}

TEST(CompressedTables, EachFeatureIsFoundAndRead) {
  const std::vector<std::byte> bytes = WideFile();
  EditableFile file(bytes);
  EXPECT_NE(file.columns().record_size() & internal::kTableCompressed, 0U);
  EXPECT_NE(file.stripe(0).streams().record_size() & internal::kTableCompressed, 0U);
  const auto reader = *OpenBytes(bytes);
  for (int f = 0; f < kFeatures; f += 7) {
    const auto scan = reader->NewScan({.features = {{.name = NameOf(f)}}, .batch_size = kRows});
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    ASSERT_TRUE(*(*scan)->Next(&batch));
    const auto* const values = static_cast<const int32_t*>(batch.Padded(NameOf(f))->values);
    for (int row = 0; row < kRows; ++row) ASSERT_EQ(values[row], ValueOf(f, row)) << f;
  }
  const auto damage = reader->Verify();
  ASSERT_TRUE(damage.ok());
  EXPECT_TRUE(damage->empty());
}

// 300 features at 96 + 16 + 40 + 40 bytes and their names would take more alone.
TEST(CompressedTables, AWideFileIsSmall) { EXPECT_LT(WideFile().size(), 300U * 130); }

// What fuzzing stands on: seals of compressed tables made anew are those that the writer made.
TEST(CompressedTables, SealsMadeAnewAreTheSame) {
  const std::vector<std::byte> bytes = WideFile();
  EditableFile file(bytes);
  const uint64_t entries = file.columns().offset();
  file.Put<uint64_t>(entries, 1);
  EXPECT_NE(file.bytes(), bytes);
  EXPECT_EQ(file.Reseal().bytes(), bytes);
}

TEST(CompressedTables, TheLayoutIsTheWholeFile) {
  const std::vector<std::byte> bytes = WideFile();
  const auto parts = (*OpenBytes(bytes))->Layout();
  ASSERT_TRUE(parts.ok()) << parts.status().ToString();
  uint64_t sum = 0;
  for (const LayoutPart& part : *parts) {
    sum += part.bytes;
    const bool compressed = part.name == "directory: columns" || part.name == "stripes: streams" ||
                            part.name == "pages of small streams";
    if (compressed) {
      EXPECT_GT(part.content_bytes, part.bytes) << part.name;
    }
    if (part.name == "directory: columns") {
      EXPECT_EQ(part.count, kFeatures);
      EXPECT_EQ(part.content_bytes, kFeatures * internal::ColumnRecord::kSize);
    }
    if (part.name == "core footer") {
      EXPECT_EQ(part.bytes, bytes.size() - 80 - EditableFile(bytes).core_offset());
    }
  }
  EXPECT_EQ(sum, bytes.size());
}

TEST(CompressedTables, DamageIsFoundWhereverItIs) {
  const std::vector<std::byte> sound = WideFile();
  for (size_t at = 64; at < sound.size(); at += 41) {
    std::vector<std::byte> bytes = sound;
    bytes[at] ^= std::byte{0x10};
    const auto reader = OpenBytes(bytes);
    if (!reader.ok()) continue;
    const auto damage = (*reader)->Verify();
    EXPECT_TRUE(!damage.ok() || !damage->empty()) << "byte " << at;
  }
}

}  // namespace
}  // namespace dsi::test
