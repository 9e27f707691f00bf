// Rows taken out of a table on disk: files are replaced, in one commit, and never changed.
#include "dsi/rewrite/delete_from_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/table_folder.h"
#include "dsi/tests/rewrite/id_files.h"

namespace dsi::test {
namespace {

class DeleteFromTableTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int64_t file = 0; file < 3; ++file) Append("day-" + std::to_string(file), 10 * file);
  }

  void Append(const std::string& job, int64_t first) {
    std::vector<int64_t> ids = Ids(10);
    for (int64_t& id : ids) id += first;
    const auto table = folder_.Open();
    const auto staged = table->Stage(job, "t");
    ASSERT_TRUE(staged.ok());
    const auto out = CreateLocalFile((*staged)->path(), {});
    ASSERT_TRUE((*out)->Append(IdFile(ids, ScoreSchema())).ok() && (*out)->Publish().ok());
    const std::vector<std::string> messages = {*(*staged)->Finish()};
    ASSERT_TRUE(table->Commit(job, messages).ok());
  }

  // The ids of a snapshot, in the order of its files, by what rows hold.
  std::vector<int64_t> IdsOf(const std::string& at = "") const {
    const auto dataset = Dataset::Open(folder_.where() + at);
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    DatasetScanOptions options;
    options.scan.features = {
        {.name = "more", .layout = Layout::kPadded, .width = 1, .keep = Keep::kFirst}};
    const auto scan = (*dataset)->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    std::vector<int64_t> ids;
    Batch batch;
    while (*(*scan)->Next(&batch)) {
      const auto padded = batch.Padded("more");
      const auto* const values = reinterpret_cast<const int64_t*>(padded->values);
      ids.insert(ids.end(), values, values + batch.num_rows());
    }
    return ids;
  }

  static std::vector<int64_t> Without(const std::set<int64_t>& gone) {
    std::vector<int64_t> ids = Ids(30);
    std::erase_if(ids, [&](int64_t id) { return gone.contains(id); });
    return ids;
  }

  // Some file below the folder has the name of the row.
  bool IsInBytes(int64_t id, const std::set<std::string>& files) const {
    for (const std::string& name : files) {
      std::ostringstream text;
      text << std::ifstream(folder_.where() + "/" + name, std::ios::binary).rdbuf();
      if (text.str().find("n" + std::to_string(id)) != std::string::npos) return true;
    }
    return false;
  }

  // A list "extra" and a text "word" of the rows of a file, whose ids are first, first + 1, …
  void AddOverlay(const std::string& base, int64_t first) {
    Schema schema;
    schema.features = {OneColumn("extra", Kind::kList, Type::kInt64),
                       OneColumn("word", Kind::kString, Type::kBytes)};
    std::vector<int64_t> ids = Ids(10);
    for (int64_t& id : ids) id += first;
    const auto table = folder_.Open();
    const std::string job = "extra-" + std::to_string(first);
    const auto staged = table->Stage(job, "t");
    const auto out = CreateLocalFile((*staged)->path(), {});
    const auto bytes = IdFile(ids, schema, 1 << 18, *BindOverlay(**Reader::Open(base)));
    ASSERT_TRUE((*out)->Append(bytes).ok() && (*out)->Publish().ok());
    const std::vector<std::string> messages = {*(*staged)->Finish()};
    ASSERT_TRUE(table->Commit(job, messages).ok());
  }

  static Predicate In(std::vector<FilterValue> ids) {
    return {.column = "id", .compare = Compare::kIn, .values = std::move(ids)};
  }

  TableFolder folder_;
};

TEST_F(DeleteFromTableTest, FilesWithSuchRowsAreReplaced) {
  const std::set<std::string> before = folder_.NamesBelow("data");
  const auto table = folder_.Open();
  const auto report =
      DeleteFromTable(table.get(), {In({3, 17, 99})}, {.message = "asked by 3, 17"});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_rows, 30U);
  EXPECT_EQ(report->num_deleted, 2U);
  EXPECT_EQ(report->files.size(), 2U);
  EXPECT_EQ(report->snapshot.number, 5U);
  EXPECT_EQ(report->snapshot.operation, TableOperation::kReplace);
  EXPECT_EQ(report->snapshot.message, "asked by 3, 17");
  EXPECT_TRUE(report->snapshot.job.starts_with("delete-"));
  // In the order in which they were, and what was there is as it was.
  EXPECT_EQ(IdsOf(), Without({3, 17}));
  EXPECT_EQ(IdsOf("@4"), Ids(30));
  const std::set<std::string> after = folder_.NamesBelow("data");
  EXPECT_EQ(after.size(), 5U);
  for (const std::string& name : before) EXPECT_TRUE(after.contains(name)) << name;
  for (const std::string& name : report->files) EXPECT_TRUE(before.contains(name)) << name;
  // Nothing more is to be deleted, and nothing is committed.
  const auto again = DeleteFromTable(table.get(), {In({3, 17})});
  EXPECT_EQ(again->num_deleted, 0U);
  EXPECT_EQ(again->snapshot.number, 5U);
  EXPECT_EQ(table->Newest()->number, 5U);
  const auto more = DeleteFromTable(table.get(), {In({4})});
  EXPECT_EQ(more->num_deleted, 1U);
  EXPECT_EQ(IdsOf(), Without({3, 4, 17}));
}

TEST_F(DeleteFromTableTest, ErasingLeavesNoByte) {
  const auto table = folder_.Open();
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({3})}).ok());
  // All of a file, some of another, and those of before.
  const auto report = DeleteFromTable(
      table.get(), {{.column = "id", .compare = Compare::kGreater, .value = 18}}, {.erase = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_deleted, 11U);
  EXPECT_EQ(report->files.size(), 3U);
  std::set<int64_t> gone = {3};
  for (int64_t id = 19; id < 30; ++id) gone.insert(id);
  EXPECT_EQ(IdsOf(), Without(gone));
  ASSERT_TRUE(table->CollectGarbage({.keep = 1, .younger_than_ms = 0, .grace_ms = 0}).ok());
  const std::set<std::string> left = folder_.NamesBelow("data");
  EXPECT_EQ(left.size(), 3U);
  EXPECT_TRUE(IsInBytes(17, left));
  for (const int64_t id : {3, 19, 27}) EXPECT_FALSE(IsInBytes(id, left)) << id;
  EXPECT_EQ(IdsOf(), Without(gone));
  // Nothing more to erase.
  EXPECT_TRUE(DeleteFromTable(table.get(), {}, {.erase = true})->files.empty());
}

TEST_F(DeleteFromTableTest, OnlyCounted) {
  const auto table = folder_.Open();
  const auto report = DeleteFromTable(table.get(), {In({3, 4, 25})}, {.dry_run = true});
  EXPECT_EQ(report->num_deleted, 3U);
  EXPECT_EQ(report->files.size(), 2U);
  EXPECT_EQ(table->Newest()->number, 4U);
  EXPECT_EQ(folder_.NamesBelow("data").size(), 3U);
}

TEST_F(DeleteFromTableTest, OthersMayAppendMeanwhileAndAJobCommitsOnce) {
  const auto table = folder_.Open();
  bool appended = false;
  TableDeleteOptions options{.job = "forget-3"};
  options.progress = [&](uint64_t, uint64_t) {
    if (!std::exchange(appended, true)) Append("day-3", 30);
    return true;
  };
  const auto report = DeleteFromTable(table.get(), {In({3, 31})}, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->snapshot.job, "forget-3");
  // Rows of the other job stay.
  EXPECT_EQ(report->num_deleted, 1U);
  EXPECT_EQ(IdsOf().size(), 39U);
  // The job is done: a second run of it finds nothing, and takes no rows that have come since.
  const auto again = DeleteFromTable(table.get(), {In({3})}, {.job = "forget-3"});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->num_deleted, 0U);
  const Status other = DeleteFromTable(table.get(), {In({31})}, {.job = "forget-3"}).status();
  EXPECT_EQ(other.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(other.message().find("job forget-3 has committed snapshot"), std::string::npos);
  EXPECT_EQ(IdsOf().size(), 39U);
  // Somebody replaces such a file.
  bool replaced = false;
  options = {};
  options.progress = [&](uint64_t, uint64_t) {
    if (!std::exchange(replaced, true)) {
      EXPECT_TRUE(DeleteFromTable(folder_.Open().get(), {In({11})}).ok());
    }
    return true;
  };
  const auto late = DeleteFromTable(table.get(), {In({12})}, options);
  EXPECT_EQ(late.status().code(), StatusCode::kNotFound) << late.status().ToString();
  EXPECT_EQ(IdsOf().size(), 38U);
}

// The marked copy has the same rows: what the overlays add stays, and to no other file.
TEST_F(DeleteFromTableTest, FilesWithOverlaysKeepThem) {
  AddOverlay((*Dataset::Open(folder_.where()))->files()[1].path, 10);
  const auto table = folder_.Open();
  // A file of the same rows that came later has no overlay.
  Append("again", 10);
  const auto expect = [&](const std::set<int64_t>& gone) {
    std::vector<ModelRow> expected;
    for (const int64_t id : Ids(40)) {
      const int64_t shown = id < 30 ? id : id - 20;
      if (gone.contains(shown)) continue;
      expected.push_back(id >= 10 && id < 20 ? ListOf(id) : ModelRow());
    }
    EXPECT_EQ(Lists(**Dataset::Open(folder_.where()), "extra"), expected);
  };
  expect({});
  std::set<int64_t> gone;
  for (const int64_t id : {12, 3, 13}) {
    gone.insert(id);
    const auto report = DeleteFromTable(table.get(), {In({id})});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_deleted, id < 10 ? 1U : 2U);
    expect(gone);
  }
  // By what the overlay has.
  const auto report = DeleteFromTable(
      table.get(),
      {{.column = "extra", .compare = Compare::kGreater, .value = 0, .subject = Subject::kLength}});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_deleted, 8U);
  EXPECT_EQ((*Dataset::Open(folder_.where()))->files()[1].overlays.size(), 1U);
}

// Of two files of the three, each in its place; nothing of the rows is left in the overlays.
TEST_F(DeleteFromTableTest, ErasingMakesOverlaysPartOfTheirFiles) {
  for (const int64_t first : {0, 20})
    AddOverlay((*Dataset::Open(folder_.where()))->files()[first / 10].path, first);
  const auto table = folder_.Open();
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({23})}).ok());
  const auto report = DeleteFromTable(table.get(), {In({4})}, {.erase = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_deleted, 1U);
  EXPECT_EQ(report->files.size(), 4U);
  const auto dataset = Dataset::Open(folder_.where());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  ASSERT_EQ((*dataset)->files().size(), 3U);
  for (const DatasetFile& file : (*dataset)->files()) EXPECT_TRUE(file.overlays.empty());
  EXPECT_EQ(IdsOf(), Without({4, 23}));
  std::vector<ModelRow> expected;
  for (const int64_t id : Without({4, 23}))
    expected.push_back(id < 10 || id >= 20 ? ListOf(id) : ModelRow());
  EXPECT_EQ(Lists(**dataset, "extra"), expected);
  ASSERT_TRUE(table->CollectGarbage({.keep = 1, .younger_than_ms = 0, .grace_ms = 0}).ok());
  const std::set<std::string> left = folder_.NamesBelow("data");
  EXPECT_EQ(left.size(), 3U);
  for (const int64_t id : {4, 23}) EXPECT_FALSE(IsInBytes(id, left)) << id;
  EXPECT_TRUE(IsInBytes(25, left));
  EXPECT_EQ(Lists(**Dataset::Open(folder_.where()), "extra"), expected);
}

// Files of equal rows that were there before the overlay have it both.
TEST_F(DeleteFromTableTest, ErasingFromOneOfTwoEqualFilesKeepsWhatAnOverlayAdds) {
  Append("again", 10);
  AddOverlay((*Dataset::Open(folder_.where()))->files()[1].path, 10);
  std::vector<ModelRow> expected = Lists(**Dataset::Open(folder_.where()), "extra");
  ASSERT_EQ(expected[13], ListOf(13));
  ASSERT_EQ(expected[33], ListOf(13));
  const auto table = folder_.Open();
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({3})}).ok());
  // One of the equal files alone has deleted rows to be erased.
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({13})}).ok());
  const auto report = DeleteFromTable(table.get(), {}, {.erase = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const std::set<std::string> files(report->files.begin(), report->files.end());
  EXPECT_EQ(files.size(), report->files.size());
  EXPECT_EQ(files.size(), 4U);  // Three bases, one overlay.
  expected.erase(expected.begin() + 33);
  expected.erase(expected.begin() + 13);
  expected.erase(expected.begin() + 3);
  EXPECT_EQ(Lists(**Dataset::Open(folder_.where()), "extra"), expected);
}

TEST_F(DeleteFromTableTest, AnOverlayThatIsSharedGoesWithAllItsFiles) {
  // As "day-1" once was: a marked copy, and a file of the rows that it was made of.
  const auto table = folder_.Open();
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({12})}).ok());
  Append("again", 10);
  AddOverlay((*Dataset::Open(folder_.where()))->files()[3].path, 10);
  std::vector<ModelRow> expected = Lists(**Dataset::Open(folder_.where()), "extra");
  ASSERT_EQ(expected.size(), 39U);
  ASSERT_EQ(expected[38], ListOf(19));
  const auto report = DeleteFromTable(table.get(), {}, {.erase = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->files.size(), 3U);
  EXPECT_EQ(Lists(**Dataset::Open(folder_.where()), "extra"), expected);
  for (const DatasetFile& file : (*Dataset::Open(folder_.where()))->files())
    EXPECT_TRUE(file.overlays.empty());
}

TEST_F(DeleteFromTableTest, AnOverlayThatComesMeanwhileIsNotLost) {
  const auto table = folder_.Open();
  bool added = false;
  TableDeleteOptions options{.erase = true};
  options.progress = [&](uint64_t, uint64_t) {
    if (!std::exchange(added, true))
      AddOverlay((*Dataset::Open(folder_.where()))->files()[0].path, 0);
    return true;
  };
  const auto late = DeleteFromTable(table.get(), {In({3})}, options);
  EXPECT_EQ(late.status().code(), StatusCode::kBadInput) << late.status().ToString();
  EXPECT_EQ(IdsOf(), Ids(30));
  ASSERT_TRUE(DeleteFromTable(table.get(), {In({3})}, options).ok());
  EXPECT_EQ(IdsOf(), Without({3}));
  EXPECT_EQ(Lists(**Dataset::Open(folder_.where()), "extra")[3], ListOf(4));
}

TEST_F(DeleteFromTableTest, WhatIsRefused) {
  const auto table = folder_.Open();
  const auto code = [&](const std::vector<Predicate>& where, const TableDeleteOptions& options) {
    return DeleteFromTable(table.get(), where, options).status().code();
  };
  EXPECT_EQ(code({}, {}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{"id", Compare::kEqual, "x"}}, {}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{"nobody", Compare::kEqual, 1}}, {}), StatusCode::kNotFound);
  EXPECT_EQ(code({In({3})}, {.job = "a/b"}), StatusCode::kInvalidArgument);
  TableDeleteOptions stops;
  stops.progress = [](uint64_t done, uint64_t) { return done != 0; };
  EXPECT_EQ(code({In({3})}, stops), StatusCode::kCancelled);
  EXPECT_EQ(table->Newest()->number, 4U);
  // A file of a table is not changed, whatever it is called by.
  const std::string name = *folder_.NamesBelow("data").begin();
  for (const std::string& path :
       {folder_.where() + "/" + name, folder_.where() + "/data/../" + name}) {
    const Status status = DeleteRows(path, {In({3})}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("a file of the table"), std::string::npos) << status.message();
  }
  EXPECT_EQ(IdsOf(), Ids(30));
  // A table without files has no rows.
  TableFolder empty;
  EXPECT_EQ(DeleteFromTable(empty.Open().get(), {In({3})})->snapshot.number, 1U);
}

}  // namespace
}  // namespace dsi::test
