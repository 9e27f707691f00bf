// Stripes that statistics rule out (F-082): the same rows with and without them, what is not read,
// and what Verify says where they are not true (F-083).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/filter_model.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/random_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

std::unique_ptr<Reader> Open(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "statistics.dsi"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

int FindStatistics(const EditableFile& file) {
  const auto& sections = *file.core().sections();
  for (uint32_t i = 0; i < sections.size(); ++i) {
    if (sections.Get(i)->kind() == internal::kSectionStatistics) return static_cast<int>(i);
  }
  return -1;
}

// The section becomes one of a kind that nobody knows.
std::vector<std::byte> WithoutStatistics(const std::vector<std::byte>& bytes) {
  EditableFile file(bytes);
  const int i = FindStatistics(file);
  if (i < 0) return bytes;
  wire::SectionRef& s = file.section(static_cast<uint32_t>(i));
  s = wire::SectionRef(77, s.flags(), s.offset(), s.size(), s.seal());
  return file.ResealFooter().bytes();
}

std::vector<uint64_t> Rows(const Reader& reader, const ScanOptions& options, uint64_t* skipped) {
  std::vector<uint64_t> rows;
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  while (scan.ok()) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    const std::vector<uint64_t> in_batch = FileRows(batch);
    rows.insert(rows.end(), in_batch.begin(), in_batch.end());
  }
  const uint64_t end = std::min<uint64_t>(options.row_end, reader.info().num_rows);
  EXPECT_EQ((*scan)->stats().rows_dropped, end - options.row_begin - rows.size());
  EXPECT_EQ(*reader.CountRows(options), rows.size());
  EXPECT_EQ(reader.Plan(options)->stripes_skipped, (*scan)->stats().stripes_skipped);
  *skipped += (*scan)->stats().stripes_skipped;
  return rows;
}

TEST(StatisticsTest, F082TheSameRowsWithAndWithout) {
  uint64_t skipped = 0;
  uint64_t skipped_without = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const RandomFile file = MakeRandomFile(seed);
    if (file.table.num_rows == 0) continue;
    const auto with = Open(file.bytes);
    const auto without = Open(WithoutStatistics(file.bytes));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 80; ++i) {
      ScanOptions options;
      options.batch_size = 50;
      options.features = {{.name = file.table.columns[0].name, .width = 1}};
      for (uint64_t n = 1 + random() % 2; n > 0; --n)
        options.filter.where.push_back(RandomPredicate(file.table, &random));
      if (i % 4 == 0) {
        options.row_begin = random() % file.table.num_rows;
        options.row_end = options.row_begin + random() % file.table.num_rows;
      }
      ASSERT_EQ(Rows(*with, options, &skipped), Rows(*without, options, &skipped_without))
          << file.what << ": " << options.filter.where[0].column << " compare "
          << static_cast<int>(options.filter.where[0].compare);
    }
  }
  EXPECT_GT(skipped, 1000U);
  EXPECT_EQ(skipped_without, 0U);
}

class StatisticsFileTest : public ::testing::Test {
 protected:
  StatisticsFileTest() : bytes_(WriteTable(HistoryTable(3, 3000), StripesOf(500))) {}
  std::vector<std::byte> bytes_;
};

// Row i is at 1'000'000 + 7 i.
// A key, and dense features of which nearly all rows miss all.
std::vector<std::byte> FileOf(size_t num_features) {
  Schema schema;
  schema.features.push_back({.name = "key", .kind = Kind::kKey});
  schema.features.back().columns.emplace_back();
  for (size_t f = 1; f < num_features; ++f) {
    schema.features.push_back({.name = "dense" + std::to_string(f), .kind = Kind::kDense});
    schema.features.back().columns.emplace_back();
  }
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "wide"), schema, {.threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < 10; ++row) {
    EXPECT_TRUE(rows.SetInt(0, row).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

// Four bytes for each of 1,025 columns would be more than all their pages.
TEST(StatisticsTest, F082AreLeftOutOfWideTablesOfFewRows) {
  EXPECT_GE(FindStatistics(EditableFile(FileOf(1024))), 0);
  EXPECT_EQ(FindStatistics(EditableFile(FileOf(1025))), -1);
}

TEST_F(StatisticsFileTest, F082FiltersByTimeReadTheirStripesAlone) {
  ScanOptions options;
  options.features = {{.name = "noise"}};
  options.filter.where = {{"time", Compare::kGreaterEqual, 1'000'000 + 7 * 1200},
                          {"time", Compare::kLess, 1'000'000 + 7 * 1400}};
  const auto reader = Open(bytes_);
  const ReadPlan plan = *reader->Plan(options);
  EXPECT_EQ(plan.stripes_skipped, 5U);
  for (const ReadPlan::Range& range : plan.ranges) EXPECT_EQ(range.stripe, 2U);
  auto scan = *reader->NewScan(options);
  Batch batch;
  ASSERT_TRUE(*scan->Next(&batch));
  EXPECT_EQ(batch.num_rows(), 200U);
  EXPECT_FALSE(*scan->Next(&batch));
  EXPECT_EQ(scan->stats().stripes_skipped, 5U);
  EXPECT_EQ(scan->stats().values_decoded, 2 * 500U);
  EXPECT_EQ(scan->stats().bytes_read, plan.bytes);

  const auto without = Open(WithoutStatistics(bytes_));
  EXPECT_EQ(without->Plan(options)->stripes_skipped, 0U);
  EXPECT_GT(without->Plan(options)->bytes, plan.bytes);
}

// A stripe that no filter could want is not opened at all: its damage is nobody's concern.
TEST_F(StatisticsFileTest, F082DamageInASkippedStripeDoesNotMatter) {
  EditableFile file(bytes_);
  const uint64_t at = file.stripe(0).data_offset();
  for (uint64_t i = 0; i < file.stripe(0).data_size(); ++i) file.Put<uint8_t>(at + i, 0xAA);
  ScanOptions options;
  options.features = {{.name = "noise"}};
  options.filter.where = {{"time", Compare::kGreater, 1'000'000 + 7 * 2000}};
  EXPECT_EQ(*Open(file.bytes())->CountRows(options), 999U);
  EXPECT_EQ(Open(WithoutStatistics(file.bytes()))->CountRows(options).status().code(),
            StatusCode::kCorrupt);
}

TEST_F(StatisticsFileTest, F083VerifyFindsEveryLie) {
  ASSERT_TRUE(Open(bytes_)->Verify()->empty());
  EditableFile file(bytes_);
  const auto i = static_cast<uint32_t>(FindStatistics(file));
  const uint64_t begin = file.section(i).offset();
  const uint64_t size = file.section(i).size();
  std::mt19937_64 random(1);
  for (int n = 0; n < 300; ++n) {
    EditableFile edited(bytes_);
    const uint64_t at = begin + random() % size;
    edited.Put<uint8_t>(at, static_cast<uint8_t>(edited.Get<uint8_t>(at) + 1 + random() % 255));
    const auto found = Open(edited.Reseal().bytes())->Verify();
    ASSERT_TRUE(found.ok());
    ASSERT_FALSE(found->empty()) << "byte " << at - begin << " of " << size;
    const std::string message = found->front().status.message();
    EXPECT_TRUE(message.find("F-082") != std::string::npos ||
                message.find("F-083") != std::string::npos)
        << message;
  }
}

TEST_F(StatisticsFileTest, F080OnlyItsBlocksAreSealed) {
  EditableFile file(bytes_);
  const wire::SectionRef section = file.section(static_cast<uint32_t>(FindStatistics(file)));
  EXPECT_EQ(section.flags(), internal::kSectionInBlocks);
  file.Put<uint8_t>(section.offset() + section.size() - 1, 0xFF);
  const auto reader = Open(file.bytes());
  const auto found = reader->Verify();
  ASSERT_FALSE(found->empty());
  EXPECT_NE(found->front().status.message().find("F-040"), std::string::npos);
  ScanOptions options;
  options.features = {{.name = "noise"}};
  EXPECT_EQ(*reader->CountRows(options), 3000U);
  options.filter.where = {{"label", Compare::kEqual, 1}};
  EXPECT_EQ(reader->CountRows(options).status().code(), StatusCode::kCorrupt);

  for (const uint32_t flags : {0U, 1U, 4U, 6U}) {
    EditableFile other(bytes_);
    wire::SectionRef& s = other.section(static_cast<uint32_t>(FindStatistics(other)));
    s = wire::SectionRef(3, flags, s.offset(), s.size(), s.seal());
    const auto refused = Reader::Open(OpenMemoryFile(other.ResealFooter().bytes(), "flags"));
    EXPECT_EQ(refused.status().code(), StatusCode::kCorrupt) << flags;
    EXPECT_NE(refused.status().message().find("F-080"), std::string::npos);
  }
}

}  // namespace
}  // namespace dsi::test
