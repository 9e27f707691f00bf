// What a newer version of the format knows concerns only who asks for it (S-010, S-011): a kind or
// a type without a meaning stops neither the reading of other features nor what the file tells of
// itself, and Verify tells it apart from damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dsi/format/wire_internal.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

// Ordinals of columns in SampleSchema.
constexpr uint32_t kSession = 0, kLabel = 2, kAge = 3, kHistoryTime = 6;
constexpr uint64_t kKindAt = 80, kTypeAt = 81;

class UnsupportedTest : public testing::Test {
 protected:
  UnsupportedTest() : file_(SampleFile(200, 80)) {}

  void Put(uint32_t column, uint64_t at, uint8_t value) {
    file_.Put<uint8_t>(EditableFile::Place(file_.columns(), column) + at, value);
  }
  // A feature of a kind, and one column of a sequence of a type, that nobody knows.
  void MakeNewer() {
    Put(kLabel, kKindAt, 77);
    Put(kHistoryTime, kTypeAt, 77);
    const auto reader = OpenBytes(file_.Reseal().bytes());
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    reader_ = *std::move(const_cast<Result<std::unique_ptr<Reader>>&>(reader));
  }

  // All rows in one batch.
  Status ReadAll(std::vector<Projection> features, Batch* batch) const {
    DSI_ASSIGN_OR_RETURN(auto scan, reader_->NewScan({.features = std::move(features)}));
    DSI_ASSIGN_OR_RETURN(const bool found, scan->Next(batch));
    EXPECT_TRUE(found);
    EXPECT_EQ(batch->num_rows(), 200U);
    return Status::Ok();
  }
  Status ReadJagged(const char* name) const {
    Batch batch;
    return ReadAll({{.name = name, .layout = Layout::kJagged, .dtype = {}}}, &batch);
  }

  EditableFile file_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(UnsupportedTest, S010S011ColumnsAreListed) {
  MakeNewer();
  const auto columns = reader_->Columns();
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  ASSERT_EQ(columns->size(), 11U);
  for (const ColumnInfo& column : *columns) {
    const bool is_newer = column.ordinal == kLabel || column.ordinal == kHistoryTime;
    EXPECT_EQ(column.support.code(), is_newer ? StatusCode::kUnsupported : StatusCode::kOk)
        << column.name;
  }
  EXPECT_EQ((*columns)[kLabel].name, "label");
  EXPECT_EQ((*columns)[kHistoryTime].feature, "user.history");
  EXPECT_TRUE(reader_->Groups().ok());
  EXPECT_EQ(reader_->Dedup()->size(), 8U);
  EXPECT_TRUE(reader_->Streams("").ok());
  EXPECT_TRUE(reader_->Choices().ok());
}

TEST_F(UnsupportedTest, S010S011OtherFeaturesAreRead) {
  MakeNewer();
  Batch all;
  const Status read = ReadAll({}, &all);
  ASSERT_TRUE(read.ok()) << read.ToString();
  for (const char* name : {"user.clicks", "user.history.item", "topics.weights", "query"})
    EXPECT_TRUE(all.Jagged(name).ok()) << name;
  EXPECT_TRUE(all.Padded("user.age").ok());
  EXPECT_EQ(all.Padded("label").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(all.Jagged("user.history.time").status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(reader_->Plan({}).ok());
  EXPECT_TRUE(ReadJagged("user.*").ok());
  EXPECT_TRUE(ReadJagged("user.history.item").ok());
  for (const char* name : {"label", "user.history.time", "user.history"}) {
    const Status status = ReadJagged(name);
    EXPECT_EQ(status.code(), StatusCode::kUnsupported) << name << ": " << status.ToString();
    EXPECT_NE(status.message().find(name), std::string::npos) << status.ToString();
  }
}

// A schema is of whole features: one that lacks a column would be another.
TEST_F(UnsupportedTest, S010S011SchemaIsOfOtherFeatures) {
  MakeNewer();
  const auto schema = reader_->schema();
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(schema->Validate().ok()) << schema->Validate().ToString();
  EXPECT_EQ(schema->features.size(), 7U);
  ASSERT_EQ(schema->groups.size(), 1U);
  EXPECT_EQ(schema->groups[0].features.size(), 2U);
  EXPECT_EQ(schema->cluster_by, (std::vector<std::string>{"session_id", "timestamp"}));
}

TEST_F(UnsupportedTest, S011SchemaWithoutItsKey) {
  Put(kSession, kTypeAt, 77);
  const auto reader = OpenBytes(file_.Reseal().bytes());
  ASSERT_TRUE(reader.ok());
  const auto schema = (*reader)->schema();
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(schema->Validate().ok()) << schema->Validate().ToString();
  EXPECT_TRUE(schema->cluster_by.empty());
  EXPECT_TRUE(schema->groups[0].owner.empty());
}

TEST_F(UnsupportedTest, S010S011VerifyTellsItFromDamage) {
  MakeNewer();
  const auto newer = reader_->Verify();
  ASSERT_TRUE(newer.ok());
  ASSERT_EQ(newer->size(), 2U);
  for (const Damage& finding : *newer)
    EXPECT_EQ(finding.status.code(), StatusCode::kUnsupported) << finding.status.ToString();

  // Damage beside it is found, its own included: F-070 of the age, F-070 of the label.
  for (const uint32_t column : {kAge, kLabel}) {
    EditableFile damaged(file_.bytes());
    const uint64_t at = EditableFile::Place(damaged.columns(), column) + 32;
    damaged.Put<uint64_t>(at, damaged.Get<uint64_t>(at) + 1);
    const auto reader = OpenBytes(damaged.Reseal().bytes());
    ASSERT_TRUE(reader.ok());
    const auto findings = (*reader)->Verify();
    ASSERT_TRUE(findings.ok());
    EXPECT_EQ(
        std::count_if(findings->begin(), findings->end(),
                      [](const Damage& d) { return d.status.code() == StatusCode::kCorrupt; }),
        1)
        << column;
  }
}

}  // namespace
}  // namespace dsi::test
