// What a newer version of the format knows concerns only who asks for it (S-010, S-011): a kind or
// a type without a meaning stops neither the reading of other features nor what the file tells of
// itself, and Verify tells it apart from damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
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
constexpr uint64_t kKindAt = 64, kTypeAt = 65;

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

// Whether a file lacks a column of a sequence is not known where one of them cannot be read.
TEST_F(UnsupportedTest, S011Ds026NothingIsBlankBesideAColumnOfANewerVersion) {
  MakeNewer();
  Batch batch;
  const BlankEntries blank{.type = Type::kInt32, .bits = 0};
  const Status status =
      ReadAll({{.name = "user.history.item", .layout = Layout::kJagged, .blank = blank}}, &batch);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported) << status.ToString();
  EXPECT_NE(status.message().find("user.history.time"), std::string::npos) << status.ToString();
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
    const uint64_t at = EditableFile::Place(damaged.columns(), column) + 24;
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

// E-005: an encoding that this build does not know hides no damage of other columns, not even what
// shows only where streams are put together (D-014).
TEST(Unsupported, E005HidesNoDamageOfOthers) {
  std::ifstream in(std::string(DSI_SOURCE_DIR) + "/tests/golden/valid/tiers.dsi", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(text));
  EditableFile file({bytes.begin(), bytes.end()});
  const auto stream = [&](uint32_t slot) { return file.Stream(0, slot); };
  const auto verify = [&](StatusCode code) {
    const auto reader = OpenBytes(file.Reseal().bytes());
    EXPECT_TRUE(reader.ok());
    const auto findings = (*reader)->Verify();
    EXPECT_TRUE(findings.ok());
    return std::count_if(findings->begin(), findings->end(),
                         [&](const Damage& d) { return d.status.code() == code; });
  };
  bool has_reach = false;
  bool has_unknown = false;
  for (uint32_t c = 0; c < file.columns().count(); ++c) {
    const uint64_t column = EditableFile::Place(file.columns(), c);
    const uint32_t windows = internal::WindowsSlot(c - file.Get<uint16_t>(column + 40));
    const bool tiers = file.Get<uint32_t>(column + 56) != internal::kNone32;
    const uint64_t values = stream(internal::ValuesSlot(c));
    if (tiers && !has_reach && file.Get<uint32_t>(stream(windows) + 36) != 0) {
      const uint64_t reach = stream(windows) + 36;
      file.Put<uint32_t>(reach, file.Get<uint32_t>(reach) + 1);
      has_reach = true;
    } else if (!tiers && !has_unknown && file.Get<uint8_t>(values + 33) == 2) {
      const uint64_t page =
          EditableFile::Place(file.stripe(0).pages(), file.Get<uint32_t>(values + 16));
      file.Put<uint8_t>(file.Get<uint64_t>(page) + file.Get<uint32_t>(values + 24), 99);
      has_unknown = true;
    }
  }
  ASSERT_TRUE(has_reach && has_unknown);
  EXPECT_EQ(verify(StatusCode::kUnsupported), 1);
  EXPECT_EQ(verify(StatusCode::kCorrupt), 1);
}

}  // namespace
}  // namespace dsi::test
