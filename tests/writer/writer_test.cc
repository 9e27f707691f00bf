// What a Writer promises besides the values (which the round-trip tests of tests/reader hold):
// equal bytes, all or nothing, clear errors.
#include "dsi/writer/writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "dsi/format/limits.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi {
namespace {

Schema ClickSchema() {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "timestamp", "kind": "timestamp", "unit": "s"},
    {"name": "label", "kind": "label", "type": "int8"},
    {"name": "price", "kind": "dense", "type": "float32"},
    {"name": "clicks", "kind": "list", "type": "int64"},
    {"name": "query", "kind": "string"}],
    "cluster_by": ["session_id", "timestamp"], "metadata": {"team": "ads"}})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return *schema;
}

void Fill(RowBatch* batch, int num_rows) {
  std::mt19937_64 random(7);
  std::vector<int64_t> clicks;
  for (int i = 0; i < num_rows; ++i) {
    if (i % 16 == 0) clicks.assign(random() % 40, static_cast<int64_t>(random() % 1'000));
    ASSERT_TRUE(batch->SetInt(0, i / 16 % 97).ok());
    ASSERT_TRUE(batch->SetInt(1, i).ok());
    ASSERT_TRUE(batch->SetInt(2, static_cast<int64_t>(random() % 2)).ok());
    if (random() % 3 != 0)
      ASSERT_TRUE(batch->SetDouble(3, static_cast<double>(random() % 1'000) / 8).ok());
    ASSERT_TRUE(batch->SetInts(4, 0, clicks).ok());
    ASSERT_TRUE(batch->SetBytes(5, std::string(random() % 9, 'q')).ok());
    ASSERT_TRUE(batch->EndRow().ok());
  }
}

Result<std::vector<std::byte>> Write(int num_rows, WriterOptions options,
                                     WriteReport* report = nullptr) {
  std::vector<std::byte> bytes;
  DSI_ASSIGN_OR_RETURN(auto writer, Writer::Create(CreateMemoryFile(&bytes, "memory"),
                                                   ClickSchema(), std::move(options)));
  RowBatch batch(writer->schema());
  Fill(&batch, num_rows);
  DSI_RETURN_IF_ERROR(writer->Append(batch));
  DSI_ASSIGN_OR_RETURN(const WriteReport done, writer->Finish());
  if (report != nullptr) *report = done;
  return bytes;
}

TEST(Writer, BytesDoNotDependOnThreads) {
  const auto one = Write(20'000, {.stripe_rows = 3'000, .threads = 1});
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  for (const int threads : {2, 3, 8}) {
    const auto many = Write(20'000, {.stripe_rows = 3'000, .threads = threads});
    ASSERT_TRUE(many.ok());
    EXPECT_EQ(*one, *many) << threads << " threads";
  }
}

// Features of a wide table take each other's plans, in an order that threads must not change. They
// go from even to skewed numbers in small steps, so that neighbours are alike and yet would choose
// differently: whose plan a feature takes shows in the bytes.
TEST(Writer, BytesOfWideTablesDoNotDependOnThreads) {
  constexpr uint32_t kFeatures = 100;
  Schema schema;
  for (uint32_t f = 0; f < kFeatures; ++f) {
    FeatureSpec& feature = schema.features.emplace_back();
    feature.name = "f" + std::to_string(f);
    feature.kind = Kind::kDense;
    feature.columns = {{"", f % 3 == 0 ? Type::kFloat32 : Type::kInt64, ""}};
  }
  const auto write = [&](int threads) {
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), schema,
                                 {.stripe_rows = 2'000, .threads = threads});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    std::mt19937_64 random(7);
    for (int row = 0; row < 5'000; ++row) {
      for (uint32_t f = 0; f < kFeatures; ++f) {
        const bool is_small = random() % (2 * kFeatures) < f;
        const auto value = static_cast<int64_t>(random() % (is_small ? 16 : 256));
        EXPECT_TRUE((f % 3 == 0 ? batch.SetDouble(f, static_cast<double>(value) / 8)
                                : batch.SetInt(f, value))
                        .ok());
      }
      EXPECT_TRUE(batch.EndRow().ok());
    }
    EXPECT_TRUE((*writer)->Append(batch).ok());
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_GT(report->choose_seconds, 0);
    EXPECT_LE(report->choose_seconds, report->encode_seconds);
    return bytes;
  };
  const std::vector<std::byte> one = write(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(one, write(threads)) << threads << " threads";
}

TEST(Writer, ReportsWhatItWrote) {
  WriteReport report;
  const auto bytes = Write(20'000, {.stripe_rows = 3'000}, &report);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(report.num_rows, 20'000U);
  EXPECT_EQ(report.num_sessions, 97U);
  EXPECT_GE(report.num_stripes, 7U);
  EXPECT_EQ(report.file_bytes, bytes->size());
  EXPECT_LT(report.values_stored, report.values_in);
}

TEST(Writer, DedupStoresLessAndCanBeSwitchedOff) {
  WriteReport deduplicated;
  const auto with = Write(20'000, {}, &deduplicated);
  WriteReport report;
  const auto without = Write(20'000, {.dedup = false}, &report);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_LT(deduplicated.values_stored * 2, report.values_stored);
  EXPECT_LT(with->size(), without->size() + without->size() / 100);
  EXPECT_EQ(report.values_stored, report.values_in);
  EXPECT_EQ(report.num_groups, 0U);
}

TEST(Writer, NoRowsMakeAValidEmptyFile) {
  const auto bytes = Write(0, {});
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_GT(bytes->size(), 144U);
}

TEST(Writer, CancelLeavesNothingBehind) {
  const test::TempFolder folder;
  const std::string path = folder.File("out.dsi");
  int calls = 0;
  auto writer = Writer::Create(
      path, ClickSchema(),
      {.stripe_rows = 500, .progress = [&](const WriteProgress&) { return ++calls < 5; }});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  Fill(&batch, 5'000);
  ASSERT_TRUE((*writer)->Append(batch).ok());
  EXPECT_EQ((*writer)->Finish().status().code(), StatusCode::kCancelled);
  writer->reset();
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

// Heavy rows among light ones: a stripe holds what was asked for, not what rows take on average.
TEST(Writer, StripesAreCutByTheBytesOfTheirRows) {
  constexpr uint64_t kStripeBytes = 1 << 20;
  constexpr uint64_t kHeavy = 100'000;
  const auto is_heavy = [](uint64_t row) { return row >= 1'000 && row < 1'040; };
  std::vector<uint64_t> first_rows;
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(
      CreateMemoryFile(&bytes, "memory"), ClickSchema(),
      {.keep_order = true, .stripe_bytes = kStripeBytes, .progress = [&](const WriteProgress& now) {
         if (now.phase == WriteProgress::Phase::kEncode) first_rows.push_back(now.rows_done);
         return true;
       }});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  for (uint64_t row = 0; row < 2'000; ++row) {
    ASSERT_TRUE(batch.SetBytes(5, std::string(is_heavy(row) ? kHeavy : 1, 'x')).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(batch).ok());
  const auto report = (*writer)->Finish();
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  first_rows.push_back(report->num_rows);
  for (size_t i = 1; i < first_rows.size(); ++i) {
    uint64_t heavy = 0;
    for (uint64_t row = first_rows[i - 1]; row < first_rows[i]; ++row) heavy += is_heavy(row);
    EXPECT_LE(heavy * kHeavy, kStripeBytes);
  }
  EXPECT_EQ(report->num_stripes, 4U);
}

TEST(Writer, FinishTwiceAndAppendAfterFinishAreRefused) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), ClickSchema(), {});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->Finish().status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*writer)->Append(RowBatch((*writer)->schema())).code(), StatusCode::kInvalidArgument);
}

TEST(Writer, OptionsAreCheckedAtTheirLimits) {
  const auto create = [](WriterOptions options) {
    std::vector<std::byte> bytes;
    return Writer::Create(CreateMemoryFile(&bytes, "memory"), ClickSchema(), std::move(options))
        .status()
        .code();
  };
  EXPECT_EQ(create({.stripe_rows = kMaxStripeRows}), StatusCode::kOk);
  EXPECT_EQ(create({.stripe_rows = kMaxStripeRows + 1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(create({.stripe_rows = 0}), StatusCode::kInvalidArgument);
  EXPECT_EQ(create({.page_values = 1'024}), StatusCode::kOk);
  EXPECT_EQ(create({.page_values = 1'023}), StatusCode::kInvalidArgument);
  EXPECT_EQ(create({.page_values = kMaxPageValues}), StatusCode::kOk);
  EXPECT_EQ(create({.page_values = kMaxPageValues + 1'024}), StatusCode::kInvalidArgument);
  EXPECT_EQ(create({.cluster_by = {"nope"}}), StatusCode::kInvalidArgument);
}

TEST(Writer, AnExistingFileIsReplacedOnlyWhenAsked) {
  const test::TempFolder folder;
  const std::string path = folder.File("out.dsi");
  auto first = Writer::Create(path, ClickSchema(), {});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE((*first)->Finish().ok());
  EXPECT_EQ(Writer::Create(path, ClickSchema(), {}).status().code(), StatusCode::kAlreadyExists);
  auto second = Writer::Create(path, ClickSchema(), {.overwrite = true});
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_TRUE((*second)->Finish().ok());
}

}  // namespace
}  // namespace dsi
