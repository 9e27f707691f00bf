// Rows deleted of a file, and a rewrite that leaves nothing of them (F-084).
#include "dsi/rewrite/delete_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"

namespace dsi::test {
namespace {

// Numbers of the rows that a scan gives; the file is sound.
std::vector<uint64_t> RowsLeft(const std::string& path) {
  const auto reader = Reader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  if (!reader.ok()) return {};
  const auto verified = (*reader)->Verify();
  EXPECT_TRUE(verified.ok() && verified->empty()) << path;
  const auto scan = (*reader)->NewScan({});
  std::vector<uint64_t> rows;
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    for (const uint64_t row : FileRows(batch)) rows.push_back(row);
  }
  return rows;
}

std::vector<int64_t> SomeValues(const ModelColumn& column, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values;
  while (values.size() < count) {
    const auto& row = column.rows[random() % column.rows.size()];
    if (row.has_value()) values.push_back(static_cast<int64_t>(row->at(0)));
  }
  return values;
}

// Rows that have one of the values.
template <typename T>
Predicate In(const std::string& column, const std::vector<T>& values) {
  return {.column = column, .compare = Compare::kIn, .values = {values.begin(), values.end()}};
}

std::vector<uint64_t> Without(const ModelTable& table, const std::string& key,
                              const std::vector<int64_t>& values) {
  std::vector<uint64_t> left;
  for (size_t row = 0; row < table.num_rows; ++row) {
    const auto& value = table.Column(key).rows[row];
    const bool goes =
        value.has_value() &&
        std::find(values.begin(), values.end(), static_cast<int64_t>(value->at(0))) != values.end();
    if (!goes) left.push_back(row);
  }
  return left;
}

TEST(DeleteRows, F084ByKeyAndOnceMore) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    const ModelDataset from(RandomTable(seed, 300 * seed, 1 + seed), 1, 100 + 37 * seed);
    const std::string path = from.dataset->files()[0].path;
    const std::string together = from.folder.File("together");
    std::filesystem::copy_file(path, together);
    for (const std::string key : {"session_id", "item_id"}) {
      auto values = SomeValues(from.table.Column(key), seed, 2 + seed);
      const auto first = Without(from.table, key, values);
      const auto report = DeleteRows(path, {In(key, values)});
      ASSERT_TRUE(report.ok()) << report.status().ToString();
      EXPECT_EQ(report->num_rows, from.table.num_rows);
      EXPECT_EQ(report->num_deleted_rows, from.table.num_rows - RowsLeft(path).size());
      EXPECT_EQ(report->file_bytes, std::filesystem::file_size(path));
      if (key == "item_id") break;
      EXPECT_EQ(RowsLeft(path), first);
      EXPECT_EQ(report->num_deleted, from.table.num_rows - first.size());
      // In two steps or in one: the same bytes.
      auto more = SomeValues(from.table.Column(key), seed + 100, 3);
      ASSERT_TRUE(DeleteRows(path, {In(key, more)}).ok());
      values.insert(values.end(), more.begin(), more.end());
      ASSERT_TRUE(DeleteRows(together, {In(key, values)}).ok());
      EXPECT_EQ(RowsLeft(path), Without(from.table, key, values));
      EXPECT_EQ(ReadBytes(path), ReadBytes(together));
    }
  }
}

TEST(DeleteRows, ByConditionAndAll) {
  const ModelDataset from(RandomTable(5, 500, 4), 1, 100);
  const std::string path = from.dataset->files()[0].path;
  const auto condition = std::vector<Predicate>{{"label", Compare::kEqual, int64_t{1}}};
  DeleteOptions options;
  options.dry_run = true;
  const auto before = ReadBytes(path);
  const auto dry = DeleteRows(path, condition, options);
  ASSERT_TRUE(dry.ok()) << dry.status().ToString();
  EXPECT_EQ(ReadBytes(path), before);
  const auto report = DeleteRows(path, condition);
  EXPECT_EQ(report->num_deleted, dry->num_deleted);
  EXPECT_GT(report->num_deleted, 0U);
  EXPECT_EQ(RowsLeft(path).size(), 500 - report->num_deleted);
  // What is gone is not deleted again, and then nothing is written.
  const auto once = ReadBytes(path);
  EXPECT_EQ(DeleteRows(path, condition)->num_deleted, 0U);
  EXPECT_EQ(ReadBytes(path), once);
  // Both must hold.
  const auto& session = from.table.Column("session_id").rows;
  const auto values = SomeValues(from.table.Column("session_id"), 1, 300);
  ASSERT_TRUE(
      DeleteRows(path, {In("session_id", values), {"label", Compare::kEqual, int64_t{0}}}).ok());
  for (const uint64_t row : RowsLeft(path)) {
    const auto& label = from.table.Column("label").rows[row];
    if (!label.has_value() || label->at(0) != 0) continue;
    EXPECT_EQ(std::count(values.begin(), values.end(), static_cast<int64_t>(session[row]->at(0))),
              0);
  }
  ASSERT_TRUE(DeleteRows(path, {{"time", Compare::kGreaterEqual, int64_t{INT64_MIN}}}).ok());
  for (const uint64_t row : RowsLeft(path)) EXPECT_FALSE(from.table.Column("time").rows[row]);
}

TEST(DeleteRows, ByText) {
  DatasetFolder folder;
  Schema schema;
  schema.features = {OneColumn("user", Kind::kKey, Type::kBytes)};
  folder.PutRows("a.dsi", 0, 100, schema, 30);
  const std::vector<std::string> users = {"7", "99", "7 ", ""};
  const auto report = DeleteRows(folder.File("a.dsi"), {In("user", users)});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_deleted, 2U);
  const auto left = RowsLeft(folder.File("a.dsi"));
  EXPECT_EQ(left.size(), 98U);
  EXPECT_EQ(std::count(left.begin(), left.end(), 7), 0);
}

// F-033: the list that was there does not stand last, and is left where it is.
TEST(DeleteRows, F033LeavesAGap) {
  TempFolder folder;
  const std::string path = folder.File("grown.dsi");
  const auto rules = std::filesystem::path(DSI_SOURCE_DIR) / "tests/golden/rules";
  for (const char* name :
       {"sound.deleted.dsi", "sound.deleted_all.dsi", "sound.deleted_none.dsi"}) {
    std::filesystem::copy_file(rules / name, path,
                               std::filesystem::copy_options::overwrite_existing);
    const size_t before = RowsLeft(path).size();
    const auto report = DeleteRows(path, {In<int64_t>("k", {50, 53, 57})});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(RowsLeft(path).size(), before - report->num_deleted);
    EXPECT_EQ(report->num_deleted == 0, before == 0) << name;
  }
}

TEST(DeleteRows, ARewriteLeavesNothingOfThem) {
  const ModelDataset from(RandomTable(7, 900, 5), 1, 200);
  const std::string path = from.dataset->files()[0].path;
  const auto values = SomeValues(from.table.Column("session_id"), 7, 40);
  ASSERT_TRUE(DeleteRows(path, {In("session_id", values)}).ok());
  std::vector<size_t> left;
  for (const uint64_t row : RowsLeft(path)) left.push_back(row);
  const auto dataset = Dataset::Open(path);
  RewriteOptions options;
  options.writer = StripesOf(200);
  options.writer.cluster_by = {"session_id", "time"};
  const std::string erased = from.folder.File("erased");
  ASSERT_TRUE(Rewrite(**dataset, erased, options).ok());
  // To the byte what a writer makes that has never seen the deleted rows.
  ModelTable table = Slice(from.table, left);
  SetIds(**dataset, &table);
  EXPECT_EQ(ReadBytes(erased), WriteRows(table, options.writer));
}

TEST(DeleteRows, BytesAreGoneAfterARewrite) {
  DatasetFolder folder;
  Schema schema;
  schema.features = {OneColumn("user", Kind::kKey, Type::kInt64),
                     OneColumn("mail", Kind::kString, Type::kBytes)};
  const std::string path = folder.File("a.dsi");
  std::mt19937_64 random(1);
  std::string
      secret;  // Bytes that nothing makes smaller, so that they stand in the file as they are.
  {
    auto writer = Writer::Create(path, schema);
    ASSERT_TRUE(writer.ok());
    RowBatch rows((*writer)->schema());
    for (int64_t user = 0; user < 50; ++user) {
      ASSERT_TRUE(rows.SetInt(0, user).ok());
      std::string text(32, '\0');
      for (char& c : text) c = static_cast<char>(random());
      if (user == 17) secret = text;
      ASSERT_TRUE(rows.SetBytes(1, text).ok());
      ASSERT_TRUE(rows.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const auto holds = [&](const std::string& name) {
    const auto bytes = ReadBytes(name);
    const auto part = std::as_bytes(std::span(secret));
    return std::search(bytes.begin(), bytes.end(), part.begin(), part.end()) != bytes.end();
  };
  ASSERT_TRUE(holds(path));
  ASSERT_TRUE(DeleteRows(path, {{"user", Compare::kEqual, 17}}).ok());
  EXPECT_TRUE(holds(path));  // A list of deleted rows hides them.
  const auto dataset = Dataset::Open(path);
  ASSERT_TRUE(Rewrite(**dataset, folder.File("b.dsi")).ok());
  EXPECT_FALSE(holds(folder.File("b.dsi")));
}

TEST(DeleteRows, SaysWhatIsWrong) {
  DatasetFolder folder;
  Schema schema = SmallSchema();
  schema.features.push_back(OneColumn("small", Kind::kLabel, Type::kUint8));
  schema.features.push_back(OneColumn("list", Kind::kList, Type::kInt64));
  folder.PutRows("a.dsi", 0, 20, schema);
  const std::string path = folder.File("a.dsi");
  const auto before = ReadBytes(path);
  const auto code = [&](const std::vector<Predicate>& where) {
    return DeleteRows(path, where).status().code();
  };
  EXPECT_EQ(code({}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({In<int64_t>("kex", {1})}), StatusCode::kNotFound);
  EXPECT_EQ(code({In<int64_t>("list", {1})}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({In<std::string>("key", {"1"})}), StatusCode::kInvalidArgument);
  // No row has what the type does not hold.
  for (const FilterValue& value :
       std::vector<FilterValue>{int64_t{-1}, int64_t{256}, 1e20, -1e20, 1.5}) {
    const auto none = DeleteRows(path, {In<FilterValue>("small", {value})});
    ASSERT_TRUE(none.ok()) << none.status().ToString();
    EXPECT_EQ(none->num_deleted, 0U);
  }
  DeleteOptions options;
  options.progress = [](uint64_t, uint64_t) { return false; };
  EXPECT_EQ(DeleteRows(path, {In<int64_t>("key", {1})}, options).status().code(),
            StatusCode::kCancelled);
  // Replaced while it was read.
  options.progress = [&](uint64_t, uint64_t) {
    folder.PutRows("a.dsi", 5, 20, schema);
    return true;
  };
  EXPECT_EQ(DeleteRows(path, {In<int64_t>("key", {1})}, options).status().code(), StatusCode::kIo);
  folder.Put("a.dsi", before);
  EXPECT_EQ(code({In<int64_t>("key", {0, 19})}), StatusCode::kOk);
  EXPECT_EQ(RowsLeft(path).size(), 18U);
}

std::vector<uint64_t> RowsLeft(const Dataset& dataset) {
  DatasetScanOptions options;
  options.scan.features = {{.name = "key", .layout = Layout::kPadded}};
  const auto scan = dataset.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<uint64_t> rows;
  Batch batch;
  while (*(*scan)->Next(&batch)) {
    for (const uint64_t row : FileRows(batch)) rows.push_back(row);
  }
  return rows;
}

// What a file calls otherwise, lacks, or has in an overlay: as the table has it.
TEST(DeleteRows, OfFilesThatAreOneTable) {
  DatasetFolder folder;
  Schema old_schema;
  old_schema.features = {OneColumn("key", Kind::kKey, Type::kInt32),
                         OneColumn("user", Kind::kKey, Type::kInt64, 7)};
  Schema new_schema;
  new_schema.features = {OneColumn("key", Kind::kKey, Type::kInt64),
                         OneColumn("user_id", Kind::kKey, Type::kInt64, 7)};
  Schema without;
  without.features = {OneColumn("key", Kind::kKey, Type::kInt64)};
  folder.PutRows("a.dsi", 0, 20, old_schema);
  folder.PutRows("b.dsi", 10, 20, new_schema);
  folder.PutRows("c.dsi", 10, 20, without);
  const auto open = [&] {
    auto dataset = Dataset::Open(folder.path());
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    return *std::move(dataset);
  };
  // Of the file by itself nothing is called so.
  const std::vector<Predicate> users = {In<int64_t>("user_id", {15, 16})};
  EXPECT_EQ(DeleteRows(folder.File("a.dsi"), users).status().code(), StatusCode::kNotFound);
  DeleteOptions dry{.dry_run = true};
  auto reports = DeleteRows(*open(), users, dry);
  ASSERT_TRUE(reports.ok()) << reports.status().ToString();
  EXPECT_EQ(RowsLeft(*open()).size(), 60U);
  reports = DeleteRows(*open(), users);
  ASSERT_TRUE(reports.ok()) << reports.status().ToString();
  std::vector<uint64_t> deleted;
  for (const DeleteReport& report : *reports) deleted.push_back(report.num_deleted);
  EXPECT_EQ(deleted, (std::vector<uint64_t>{2, 2, 0}));
  std::vector<uint64_t> left;
  for (uint64_t row = 0; row < 60; ++row) {
    if (row != 15 && row != 16 && row != 25 && row != 26) left.push_back(row);
  }
  EXPECT_EQ(RowsLeft(*open()), left);

  // By a feature that an overlay has.
  OverlayOptions over;
  over.key = "key";
  Schema score;
  score.features = {OneColumn("key", Kind::kKey, Type::kInt64),
                    OneColumn("score", Kind::kDense, Type::kFloat32)};
  DatasetFolder other;
  other.PutRows("s.dsi", 20, 10, score);
  const auto scores = Dataset::Open(other.path());
  const auto made = WriteOverlay(**scores, folder.File("b.dsi"), folder.File("b.score.dsi"), over);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  reports = DeleteRows(*open(), {{"score", Compare::kGreaterEqual, 14.0}});
  ASSERT_TRUE(reports.ok()) << reports.status().ToString();
  EXPECT_EQ((*reports)[1].num_deleted, 2U);  // 28 and 29 halved.
  left.erase(std::find(left.begin(), left.end(), 38U), std::find(left.begin(), left.end(), 40U));
  EXPECT_EQ(RowsLeft(*open()), left);
}

// Nothing is changed where a condition cannot be, or a file is not what it was.
TEST(DeleteRows, OfFilesAllAreLookedAtFirst) {
  DatasetFolder folder;
  Schema list = SmallSchema();
  list.features[1] = OneColumn("score", Kind::kList, Type::kInt64);
  folder.PutRows("a.dsi", 0, 20, SmallSchema());
  folder.PutRows("b.dsi", 20, 20, list);
  const auto dataset = Dataset::Open(folder.path());
  const auto bytes = ReadBytes(folder.File("a.dsi"));
  EXPECT_EQ(DeleteRows(**dataset, {{"score", Compare::kLess, 5.0}}).status().code(),
            StatusCode::kBadInput);
  EXPECT_EQ(DeleteRows(**dataset, std::vector<Predicate>{}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(DeleteRows(**dataset, {{"skore", Compare::kLess, 5.0}}).status().code(),
            StatusCode::kNotFound);
  DeleteOptions options;
  options.progress = [](uint64_t, uint64_t) { return false; };
  EXPECT_EQ(DeleteRows(**dataset, {{"key", Compare::kLess, 5}}, options).status().code(),
            StatusCode::kCancelled);
  folder.PutRows("b.dsi", 20, 21, list);
  const Status replaced = DeleteRows(**dataset, {{"key", Compare::kLess, 5}}).status();
  EXPECT_FALSE(replaced.ok());
  EXPECT_NE(replaced.message().find("b.dsi"), std::string::npos) << replaced.ToString();
  EXPECT_EQ(ReadBytes(folder.File("a.dsi")), bytes);
}

}  // namespace
}  // namespace dsi::test
