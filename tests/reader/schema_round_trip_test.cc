// The schema of a file is the one it was written with: declared groups whole, whatever the writer
// made of them (F-073), and clustering under one set of rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

constexpr char kTable[] = R"({"features": [
    {"name": "session", "kind": "key"},
    {"name": "time", "kind": "timestamp", "unit": "s"},
    {"name": "price", "kind": "dense", "type": "float64"},
    {"name": "item.id", "kind": "key", "type": "int64"},
    {"name": "item.words", "kind": "list", "type": "int64", "id_space": "word"},
    {"name": "item.views", "kind": "dense", "type": "int64"},
    {"name": "item.viewers", "kind": "list", "type": "int64", "id_space": "user"},
    {"name": "user.age", "kind": "dense", "type": "int8"},
    {"name": "user.clicks", "kind": "list", "type": "int64"}],
  "cluster_by": ["session", "time"],
  "groups": [
    {"name": "items", "owner": "item.id",
     "features": ["item.id", "item.words", "item.views", "item.viewers"]},
    {"name": "users", "features": ["user.age", "user.clicks"]}]})";

// Items come back again and again, with words that stay and counters that move.
void Fill(RowBatch* batch, int num_rows) {
  std::mt19937_64 random(1);
  std::vector<int64_t> views(20);
  for (int row = 0; row < num_rows; ++row) {
    const auto item = static_cast<int64_t>(random() % 20);
    const int64_t user = row / 7;
    const int64_t seen = ++views[static_cast<size_t>(item)];
    ASSERT_TRUE(batch->SetInt(0, user).ok());
    ASSERT_TRUE(batch->SetInt(1, row).ok());
    ASSERT_TRUE(batch->SetDouble(2, static_cast<double>(random() % 100)).ok());
    ASSERT_TRUE(batch->SetInt(3, item).ok());
    ASSERT_TRUE(batch->SetInts(4, 0, std::vector<int64_t>{item, item * 7, item * 11}).ok());
    ASSERT_TRUE(batch->SetInt(5, seen).ok());
    ASSERT_TRUE(batch->SetInts(6, 0, std::vector<int64_t>{seen, seen + 1, seen + 2}).ok());
    ASSERT_TRUE(batch->SetInt(7, user % 90).ok());
    ASSERT_TRUE(batch->SetInts(8, 0, std::vector<int64_t>{user, user * 3}).ok());
    ASSERT_TRUE(batch->EndRow().ok());
  }
}

// Groups and what is in them as sets.
std::vector<GroupSpec> Sorted(std::vector<GroupSpec> groups) {
  for (GroupSpec& group : groups) std::sort(group.features.begin(), group.features.end());
  std::sort(groups.begin(), groups.end(),
            [](const GroupSpec& a, const GroupSpec& b) { return a.name < b.name; });
  return groups;
}

struct Written {
  Schema schema;
  uint64_t num_groups = 0;
};

Written Write(const Schema& schema, int num_rows, const WriterOptions& options) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  Fill(&batch, num_rows);
  EXPECT_TRUE((*writer)->Append(batch).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  const Schema promised = *(*writer)->schema();
  auto reader = Reader::Open(OpenMemoryFile(bytes, "memory"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  const auto found = (*reader)->schema();
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(found->cluster_by, promised.cluster_by);
  EXPECT_TRUE(found->Validate().ok()) << found->Validate().ToString();
  return {*found, report->num_groups};
}

void ExpectGroupsOf(const Schema& schema, const Schema& found) {
  const std::vector<GroupSpec> expected = Sorted(schema.groups);
  const std::vector<GroupSpec> groups = Sorted(found.groups);
  ASSERT_EQ(groups.size(), expected.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    EXPECT_EQ(groups[g].name, expected[g].name);
    EXPECT_EQ(groups[g].owner, expected[g].owner);
    EXPECT_EQ(groups[g].features, expected[g].features);
  }
}

TEST(SchemaRoundTrip, DeclaredGroupsKeepWhatTheWriterMoved) {
  const Schema schema = *Schema::FromJson(kTable);
  const Written written = Write(schema, 2'000, {});
  EXPECT_GE(written.num_groups, 3U) << "what moves was to be stored beside the rest";
  ExpectGroupsOf(schema, written.schema);
  // And once more, from what came back.
  ExpectGroupsOf(schema, Write(written.schema, 2'000, {}).schema);
}

// S-012, F-079: columns of one feature have units of their own, or none.
TEST(SchemaRoundTrip, UnitsOfLists) {
  const Result<Schema> schema = Schema::FromJson(R"({"features": [
      {"name": "seen", "kind": "list", "type": "int64", "unit": "ms"},
      {"name": "events", "kind": "sequence", "columns": [
          {"name": "item", "type": "int64"}, {"name": "at", "type": "int64", "unit": "s"},
          {"name": "until", "type": "int64", "unit": "us"}]}]})");
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *schema, {});
  ASSERT_TRUE(writer.ok());
  RowBatch batch((*writer)->schema());
  const std::vector<int64_t> values = {1, 2};
  ASSERT_TRUE(batch.SetInts(0, 0, values).ok());
  for (size_t c = 0; c < 3; ++c) ASSERT_TRUE(batch.SetInts(1, c, values).ok());
  ASSERT_TRUE(batch.EndRow().ok());
  ASSERT_TRUE((*writer)->Append(batch).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  auto reader = Reader::Open(OpenMemoryFile(bytes, "memory"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_TRUE((*reader)->Verify().ok());
  const auto found = (*reader)->schema();
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->features[0].columns[0].time_unit, TimeUnit::kMillis);
  EXPECT_EQ(found->features[1].columns[0].time_unit, TimeUnit::kNone);
  EXPECT_EQ(found->features[1].columns[1].time_unit, TimeUnit::kSeconds);
  EXPECT_EQ(found->features[1].columns[2].time_unit, TimeUnit::kMicros);
}

TEST(SchemaRoundTrip, DeclaredGroupsOfNoRows) {
  const Schema schema = *Schema::FromJson(kTable);
  ExpectGroupsOf(schema, Write(schema, 0, {}).schema);
}

TEST(SchemaRoundTrip, DeclaredGroupsWithoutDedup) {
  const Schema schema = *Schema::FromJson(kTable);
  for (const int num_rows : {0, 500})
    ExpectGroupsOf(schema, Write(schema, num_rows, {.dedup = false}).schema);
}

TEST(SchemaRoundTrip, ClusteringIsWhatTheOptionsSay) {
  const Schema schema = *Schema::FromJson(kTable);
  using Names = std::vector<std::string>;
  EXPECT_EQ(Write(schema, 100, {}).schema.cluster_by, (Names{"session", "time"}));
  EXPECT_EQ(Write(schema, 100, {.cluster_by = {"item.id", "session"}}).schema.cluster_by,
            (Names{"item.id", "session"}));
  EXPECT_EQ(Write(schema, 100, {.keep_order = true}).schema.cluster_by, Names{});
}

// The option takes what a schema may declare, and nothing else.
TEST(SchemaRoundTrip, ClusteringIsCheckedLikeASchema) {
  const std::vector<std::vector<std::string>> wrong = {
      {"price"}, {"session", "session"}, {"time", "session"}, {"item.words"}, {"nope"}};
  for (const auto& names : wrong) {
    std::vector<std::byte> bytes;
    const auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"),
                                       *Schema::FromJson(kTable), {.cluster_by = names});
    EXPECT_EQ(writer.status().code(), StatusCode::kInvalidArgument) << names[0];
  }
}

}  // namespace
}  // namespace dsi::test
