#include "dsi/dataset/table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/table_folder.h"

namespace dsi::test {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string ReplacedIn(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

void ExpectFailure(const Status& status, StatusCode code, const std::string& said) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_NE(status.message().find(said), std::string::npos) << status.ToString();
}

TEST(Table, WhatIsStagedIsSeenOnceItIsCommitted) {
  TableFolder folder;
  ExpectFailure(Dataset::Open(folder.where()).status(), StatusCode::kNotFound, "no files yet");
  const std::vector<std::string> messages = {folder.Stage("j", 10, 2), folder.Stage("j", 20, 3)};
  EXPECT_EQ(folder.NamesBelow("data").size(), 2U);
  ExpectFailure(Dataset::Open(folder.where()).status(), StatusCode::kNotFound, "no files yet");

  const auto table = folder.Open();
  const auto made = table->Commit("j", messages, {.message = "two \"files\""});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->number, 2U);
  EXPECT_EQ(made->num_files, 2U);
  EXPECT_EQ(made->num_rows, 5U);
  EXPECT_EQ(made->message, "two \"files\"");
  EXPECT_EQ(folder.Keys(), "10 20");
  EXPECT_EQ(folder.Append("k", 30).number, 3U);
  EXPECT_EQ(folder.Keys(), "10 20 30");

  const auto snapshots = table->Snapshots();
  ASSERT_TRUE(snapshots.ok()) << snapshots.status().ToString();
  ASSERT_EQ(snapshots->size(), 3U);
  EXPECT_EQ((*snapshots)[0].job, "k");
  EXPECT_EQ((*snapshots)[1].message, "two \"files\"");
  EXPECT_EQ((*snapshots)[2].operation, TableOperation::kCreate);
  EXPECT_EQ(table->Newest()->number, 3U);
}

TEST(Table, Ds031EverySnapshotCanBeOpened) {
  TableFolder folder;
  for (int i = 1; i <= 3; ++i) folder.Append("j" + std::to_string(i), i);
  EXPECT_EQ(folder.Keys(folder.where() + "/"), "1 2 3");
  EXPECT_EQ(folder.Keys("file://" + folder.where()), "1 2 3");
  EXPECT_EQ(folder.Keys(folder.where() + "@2"), "1");
  EXPECT_EQ(folder.Keys(folder.where() + "/@3"), "1 2");
  EXPECT_EQ(folder.Keys(folder.where() + "/" + SnapshotFile(3)), "1 2");
  ExpectFailure(Dataset::Open(folder.where() + "@9").status(), StatusCode::kNotFound,
                "no snapshot 9; there are 4, 1 to 4");
  // What was opened is opened again, whatever is committed meanwhile.
  const auto opened =
      Dataset::Open(std::vector<std::string>{folder.where(), folder.where() + "@2"});
  EXPECT_EQ(opened.status().code(), StatusCode::kInvalidArgument) << "a file twice";
  const auto three = Dataset::Open(folder.where() + "@4");
  folder.Append("j4", 4);
  EXPECT_EQ((*three)->where()[0], folder.where() + "/" + SnapshotFile(4));
  EXPECT_EQ(folder.Keys((*three)->where()[0]), "1 2 3");
  // A manifest of a manifest, and a table that was moved.
  const std::string text = *(*Dataset::Open(folder.where() + "@3"))->Manifest();
  folder.PutText("all.json", text);
  EXPECT_EQ(folder.Keys(folder.File("all.json")), "1 2");
  const uint64_t snapshot = (*Dataset::Open(folder.where()))->snapshot();
  std::filesystem::rename(folder.where(), folder.File("moved"));
  EXPECT_EQ((*Dataset::Open(folder.File("moved")))->snapshot(), snapshot);
}

TEST(Table, Ds039WhatIsCalledSoIsMeant) {
  TableFolder folder;
  folder.Append("j", 1);
  folder.PutRows("table@2", 7, 1);
  EXPECT_EQ(folder.Keys(folder.where() + "@2"), "0") << "the file of this name";
  std::filesystem::remove(folder.File("table@2"));
  EXPECT_EQ(folder.Keys(folder.where() + "@2"), "1") << "the snapshot (DS-039)";
  // A folder that is none of a table.
  folder.PutRows("plain/a.dsi", 5, 1);
  EXPECT_TRUE(Dataset::Open(folder.File("plain")).ok());
  ExpectFailure(Table::Open(folder.File("plain")).status(), StatusCode::kNotFound, "no table");
}

TEST(Table, Ds030IsThereOnce) {
  TableFolder folder;
  ExpectFailure(Table::Create(folder.where()).status(), StatusCode::kAlreadyExists,
                "there already");
  EXPECT_TRUE(Table::Create(folder.File("a/b/c")).ok()) << "with the folders above it (DS-030)";
  ExpectFailure(Table::Create("http://h/t/").status(), StatusCode::kInvalidArgument, "s3://");
  ExpectFailure(Table::Create(folder.File("a.dsi")).status(), StatusCode::kInvalidArgument,
                "no table");
  ExpectFailure(Table::Create("").status(), StatusCode::kInvalidArgument, "empty name");
  ExpectFailure(Table::Open(folder.File("none")).status(), StatusCode::kNotFound, "no table");
}

TEST(Table, Ds033AJobCommitsOnce) {
  TableFolder folder;
  const std::vector<std::string> messages = {folder.Stage("j", 1)};
  ASSERT_TRUE(folder.Open()->Commit("j", messages).ok());
  folder.Append("k", 2);
  const auto again = folder.Open()->Commit("j", messages);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->number, 2U);
  EXPECT_EQ(folder.Keys(), "1 2") << "DS-033";
  // Whatever it says now.
  EXPECT_EQ(folder.Open()->Commit("j", {}, {.operation = TableOperation::kOverwrite})->number, 2U);
  for (const char* job : {"", ".x", "-x", "a/b", "a b", "ü"})
    ExpectFailure(folder.Open()->Commit(job, {}).status(), StatusCode::kInvalidArgument,
                  "id of a job");
  ExpectFailure(folder.Open()->Stage(std::string(101, 'x'), "t").status(),
                StatusCode::kInvalidArgument, "id of a job");
  ExpectFailure(folder.Open()->Stage("j", "../t").status(), StatusCode::kInvalidArgument,
                "id of a task");
  EXPECT_TRUE(folder.Open()->Stage(std::string(100, 'x'), std::string(100, 'y')).ok());
}

TEST(Table, AMessageTwiceCountsOnceAndNoneIsACommitToo) {
  TableFolder folder;
  const std::string message = folder.Stage("j", 1);
  ASSERT_TRUE(folder.Open()->Commit("j", std::vector{message, message}).ok());
  EXPECT_EQ(folder.Keys(), "1");
  const auto made = folder.Open()->Commit("empty", {});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->number, 3U);
  EXPECT_EQ(folder.Keys(), "1");
}

TEST(Table, Ds037WhatMessagesSayIsHeldAgainstTheFiles) {
  TableFolder folder;
  const std::string message = folder.Stage("j", 1, 4);
  const auto commit = [&](const std::string& text) {
    return folder.Open()->Commit("j", std::vector{text}).status();
  };
  ExpectFailure(commit(ReplacedIn(message, "\"rows\": 4", "\"rows\": 5")), StatusCode::kBadInput,
                "its message says");
  ExpectFailure(commit(ReplacedIn(message, "\"job\": \"j\"", "\"job\": \"k\"")),
                StatusCode::kBadInput, "is no file of job");
  ExpectFailure(commit(ReplacedIn(message, "data/j/", "data/../j/")), StatusCode::kBadInput,
                "is no file of job");
  ExpectFailure(commit(ReplacedIn(message, "dsi_staged\": 1", "dsi_staged\": 2")),
                StatusCode::kBadInput, "no message");
  ExpectFailure(commit(ReplacedIn(message, ", \"rows\": 4", "")), StatusCode::kBadInput,
                "no message");
  ExpectFailure(commit(ReplacedIn(message, "\"rows\"", "\"more\"")), StatusCode::kBadInput,
                "unknown member");
  ExpectFailure(commit("{"), StatusCode::kBadInput, "malformed");
  ExpectFailure(folder.Open()->Commit("k", std::vector{message}).status(),
                StatusCode::kInvalidArgument, "a file of job j");
  const std::string name = *folder.NamesBelow("data").begin();
  std::filesystem::rename(folder.where() + "/" + name, folder.File("away"));
  ExpectFailure(commit(message), StatusCode::kNotFound, name);
  folder.PutRows("table/" + name, 9, 4);
  ExpectFailure(commit(message), StatusCode::kBadInput, "fingerprint");
  std::filesystem::rename(folder.File("away"), folder.where() + "/" + name);
  EXPECT_EQ(folder.Open()->Newest()->number, 1U) << "nothing was committed so far (DS-037)";
  EXPECT_TRUE(commit(message).ok());
}

TEST(Table, FilesThatAreNoOneTableAreNotCommitted) {
  TableFolder folder;
  folder.Append("j", 1);
  Schema other = SmallSchema();
  other.features[1] = OneColumn("score", Kind::kList, Type::kInt64);
  const auto table = folder.Open();
  const auto message = StageRows(*table, "k", 5, 1, other);
  ASSERT_TRUE(message.ok()) << message.status().ToString();
  const Status status = table->Commit("k", std::vector{*message}).status();
  ExpectFailure(status, StatusCode::kBadInput, "score");
  EXPECT_NE(status.message().find("data/j/"), std::string::npos) << status.ToString();
  EXPECT_NE(status.message().find("data/k/"), std::string::npos) << status.ToString();
  // As an overwrite it is one.
  EXPECT_TRUE(
      table->Commit("k", std::vector{*message}, {.operation = TableOperation::kOverwrite}).ok());
}

TEST(Table, CommittingOpensNoFileThatIsThereAlready) {
  TableFolder folder;
  folder.Append("j", 1);
  std::filesystem::remove(folder.where() + "/" + *folder.NamesBelow("data").begin());
  EXPECT_EQ(folder.Append("k", 2).num_files, 2U);
  const auto content = internal::LoadManifest(folder.where() + "/" + SnapshotFile(3), {});
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->facts[0].statistics.size(), 1U);
  EXPECT_EQ(content->facts[1].statistics[0].all.least, 2U);
  ExpectFailure(
      OpenFiles(folder.where()).ok() ? (*OpenFiles(folder.where()))->Acquire(0).status() : Status(),
      StatusCode::kNotFound, "files of a table are not changed");
}

TEST(Table, OverwriteIsOfWhatWasSeen) {
  TableFolder folder;
  folder.Append("j", 1);
  const auto table = folder.Open();
  const auto overwrite = [&](const std::string& job, int64_t first,
                             std::optional<uint64_t> base = {}) {
    const std::vector<std::string> messages = {folder.Stage(job, first)};
    return table->Commit(job, messages, {.operation = TableOperation::kOverwrite, .base = base});
  };
  EXPECT_EQ(overwrite("k", 2)->number, 3U);
  EXPECT_EQ(folder.Keys(), "2");
  EXPECT_EQ(overwrite("l", 3)->number, 4U) << "it has committed 3 itself";
  folder.Append("m", 4);
  ExpectFailure(overwrite("n", 5).status(), StatusCode::kAlreadyExists,
                "snapshot 4 was to be overwritten, and job m has committed 5 (append) since");
  EXPECT_EQ(folder.Keys(), "3 4");
  EXPECT_EQ(overwrite("o", 6, 5)->number, 6U);
  ExpectFailure(overwrite("p", 7, 9).status(), StatusCode::kInvalidArgument, "was not seen");
  EXPECT_EQ(folder.Keys(), "6");
  EXPECT_EQ(folder.Keys(folder.where() + "@5"), "3 4");
}

// DS-037: one's own commits do not hide what others have committed before them.
TEST(Table, Ds037OwnCommitsAreNoLookAtThoseOfOthers) {
  TableFolder folder;
  folder.Append("a", 1);
  const auto mine = folder.Open();
  const auto commit = [&](const std::string& job, int64_t first, const TableCommitOptions& how) {
    const std::vector<std::string> messages = {folder.Stage(job, first)};
    return mine->Commit(job, messages, how);
  };
  const TableCommitOptions overwrite{.operation = TableOperation::kOverwrite};
  EXPECT_EQ(commit("own", 2, {})->number, 3U);
  folder.Append("b", 3);
  EXPECT_EQ(commit("c", 4, {})->number, 5U);
  ExpectFailure(commit("rebuilt", 5, overwrite).status(), StatusCode::kAlreadyExists,
                "snapshot 3 was to be overwritten, and job b has committed 4 (append) since");
  EXPECT_EQ(folder.Keys(), "1 2 3 4");
  // Who says that it has seen them has.
  EXPECT_EQ(commit("rebuilt", 6, {.operation = TableOperation::kOverwrite, .base = 5})->number, 6U);
  EXPECT_EQ(commit("again", 7, overwrite)->number, 7U);
  // The answer of a job that is done already is no older look.
  EXPECT_EQ(commit("own", 8, {})->number, 3U);
  EXPECT_EQ(commit("more", 9, overwrite)->number, 8U);
  EXPECT_EQ(folder.Keys(), "9");
}

// What its threads commit side by side are all its own.
TEST(Table, OwnCommitsOfManyThreadsAreOverwritten) {
  TableFolder folder;
  const auto mine = folder.Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&folder, &mine, t] {
      for (int i = 0; i < 5; ++i) {
        const std::string job = "j" + std::to_string(t) + "-" + std::to_string(i);
        const std::vector<std::string> messages = {folder.Stage(job, t + 1)};
        EXPECT_TRUE(mine->Commit(job, messages).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> messages = {folder.Stage("all", 99)};
  const auto made = mine->Commit("all", messages, {.operation = TableOperation::kOverwrite});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(folder.Keys(), "99");
}

// Adds an overlay of the only file of the table, which SmallSchema is of.
void AppendOverlay(const TableFolder& folder, const std::string& job) {
  const std::string base = folder.where() + "/" + *folder.NamesBelow("data").begin();
  const auto reader = Reader::Open(base);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  WriterOptions options;
  options.overlay = *BindOverlay(**reader);
  Schema schema;
  schema.features = {OneColumn("extra", Kind::kDense, Type::kFloat32)};
  const auto table = folder.Open();
  const auto staged = table->Stage(job, "t");
  const auto writer = Writer::Create((*staged)->path(), schema, options);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  ASSERT_TRUE((*writer)->AppendColumns((*reader)->info().num_rows, {}).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const std::vector<std::string> messages = {*(*staged)->Finish()};
  const auto made = table->Commit(job, messages);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
}

// DS-041: a table that nobody could open.
TEST(Table, Ds041NoBaseIsTakenFromItsOverlay) {
  TableFolder folder;
  folder.Append("base", 1, 10);
  ASSERT_NO_FATAL_FAILURE(AppendOverlay(folder, "over"));
  folder.Append("other", 50);
  const auto names = [&](uint64_t number) {
    auto content = internal::LoadManifest(folder.where() + "/" + SnapshotFile(number), {});
    EXPECT_TRUE(content.ok()) << content.status().ToString();
    for (std::string& path : content->paths) path = path.substr(folder.where().size() + 1);
    return content->paths;
  };
  const std::vector<std::string> before = names(4);
  ASSERT_EQ(before.size(), 3U);
  const auto table = folder.Open();
  TableCommitOptions replace{.operation = TableOperation::kReplace, .replaced = {before[0]}};
  const Status nothing = table->Commit("gone", {}, replace).status();
  ExpectFailure(nothing, StatusCode::kBadInput, "DS-041");
  ExpectFailure(nothing, StatusCode::kBadInput, before[1]);
  // Nor by as many rows that are other ones.
  const std::vector<std::string> rows = {folder.Stage("else", 70, 10)};
  ExpectFailure(table->Commit("else", rows, replace).status(), StatusCode::kBadInput, before[1]);
  EXPECT_EQ(folder.Keys(), "1 50");
  // With it, and as a file of the same rows, it may go.
  const std::vector<std::string> same = {folder.Stage("same", 1, 10)};
  const auto made = table->Commit("same", same, replace);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ((*Dataset::Open(folder.where()))->files()[0].overlays.size(), 1U);
  replace.replaced = {names(made->number)[0], before[1]};
  ASSERT_TRUE(table->Commit("both", {}, replace).ok());
  EXPECT_EQ(folder.Keys(), "50");
  // All of them is fine, too.
  replace.replaced = {before[2]};
  EXPECT_EQ(table->Commit("empty", {}, replace)->num_files, 0U);
}

TEST(Table, ReplacedFilesLeaveTheirPlace) {
  TableFolder folder;
  for (int i = 1; i <= 4; ++i) folder.Append("j" + std::to_string(i), i);
  const auto content = internal::LoadManifest(folder.where() + "/" + SnapshotFile(5), {});
  std::vector<std::string> names;
  for (const std::string& path : content->paths)
    names.push_back(path.substr(folder.where().size() + 1));
  TableCommitOptions options{.operation = TableOperation::kReplace,
                             .replaced = {names[1], names[2]}};
  const std::vector<std::string> messages = {folder.Stage("compact", 23)};
  // Others may have appended meanwhile.
  const auto table = folder.Open();
  folder.Append("j5", 5);
  ASSERT_TRUE(table->Commit("compact", messages, options).ok());
  EXPECT_EQ(folder.Keys(), "1 23 4 5");
  const std::vector<std::string> more = {folder.Stage("late", 32)};
  ExpectFailure(table->Commit("late", more, options).status(), StatusCode::kNotFound,
                "to be replaced, and not in snapshot 7");
  options.replaced.clear();
  ExpectFailure(table->Commit("late", more, options).status(), StatusCode::kInvalidArgument,
                "named");
  // As many new ones as old ones: one by one.
  const std::vector<std::string> both = {folder.Stage("swap", 40), folder.Stage("swap", 10)};
  options.replaced = {names[3], names[0]};
  ASSERT_TRUE(table->Commit("swap", both, options).ok());
  EXPECT_EQ(folder.Keys(), "10 23 40 5");
}

// As many new files as rows were in: overlays that go with their files have no place.
TEST(Table, OverlaysThatAreReplacedHaveNoPlace) {
  TableFolder folder;
  folder.Append("base", 1, 10);
  folder.Append("other", 50);
  ASSERT_NO_FATAL_FAILURE(AppendOverlay(folder, "over"));
  folder.Append("last", 60);
  const auto content = internal::LoadManifest(folder.where() + "/" + SnapshotFile(5), {});
  std::vector<std::string> names;
  for (const std::string& path : content->paths)
    names.push_back(path.substr(folder.where().size() + 1));
  const auto table = folder.Open();
  const std::vector<std::string> late = {folder.Stage("late", 9)};
  ExpectFailure(
      table
          ->Commit("late", late,
                   {.operation = TableOperation::kReplace, .replaced = {names[0], names[0]}})
          .status(),
      StatusCode::kInvalidArgument, "named twice");
  // The overlay first: its place is not one for rows.
  TableCommitOptions options{.operation = TableOperation::kReplace,
                             .replaced = {names[2], names[3], names[0]}};
  const std::vector<std::string> two = {folder.Stage("fold", 61), folder.Stage("fold", 2)};
  ASSERT_TRUE(table->Commit("fold", two, options).ok());
  EXPECT_EQ(folder.Keys(), "2 50 61");
}

TEST(Table, Ds032WhatIsNoSnapshot) {
  TableFolder folder;
  folder.Append("j", 1);
  const std::string name = SnapshotFile(2), path = "table/" + name;
  const std::string text = TextOf(folder.File(path));
  const auto open = [&](const std::string& what, const std::string& with) {
    folder.PutText(path, ReplacedIn(text, what, with));
    const Status status = Dataset::Open(folder.where()).status();
    EXPECT_FALSE(Table::Open(folder.where()).ok() && folder.Open()->Newest().ok()) << with;
    return status;
  };
  ExpectFailure(open("{\"number\": 2", "{\"number\": 3"), StatusCode::kBadInput, "expected 2");
  ExpectFailure(open("{\"number\": 2", "{\"number\": 0"), StatusCode::kBadInput, "begin with 1");
  ExpectFailure(open("{\"number\": 2, ", "{"), StatusCode::kBadInput, "number");
  ExpectFailure(open("{\"number\": 1", "{\"number\": 2"), StatusCode::kBadInput, "history");
  ExpectFailure(open("\"append\"", "\"apend\""), StatusCode::kBadInput, "operation");
  ExpectFailure(open("\"job\": \"j\"", "\"job\": \"../j\""), StatusCode::kBadInput, "id of a job");
  ExpectFailure(open("\"time\"", "\"tme\""), StatusCode::kBadInput, "unknown member");
  ExpectFailure(open("\"history\": [\n  {", "\"history\": [\n  {\"horizon\": 1, "),
                StatusCode::kBadInput, "not of one in the history");
  folder.PutText("table/" + SnapshotFile(7), text);
  ExpectFailure(Dataset::Open(folder.where()).status(), StatusCode::kBadInput,
                "snapshot 2 of a table, which is called " + name);
  std::filesystem::remove(folder.File("table/" + SnapshotFile(7)));
  folder.PutText(path, text);
  folder.PutText("lone.json", text);
  ExpectFailure(Dataset::Open(folder.File("lone.json")).status(), StatusCode::kBadInput, name);
  const auto content = internal::ParseManifest(text);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(internal::ManifestToJson(*content), text);
}

TEST(Table, StagedCopiesAreTheSameBytes) {
  TableFolder folder;
  folder.PutRows("a.dsi", 3, 100);
  const auto message = folder.Open()->StageCopy("j", "t", folder.File("a.dsi"));
  ASSERT_TRUE(message.ok()) << message.status().ToString();
  ASSERT_TRUE(folder.Open()->Commit("j", std::vector{*message}).ok());
  const std::string name = *folder.NamesBelow("data").begin();
  EXPECT_EQ(TextOf(folder.where() + "/" + name), TextOf(folder.File("a.dsi")));
  folder.PutText("b.dsi", "no dsi");
  EXPECT_EQ(folder.Open()->StageCopy("j", "t", folder.File("b.dsi")).status().code(),
            StatusCode::kNotDsi);
  EXPECT_EQ(folder.Open()->StageCopy("j", "t", folder.File("c.dsi")).status().code(),
            StatusCode::kNotFound);
}

TEST(Table, Ds034ManyThreadsCommitAndNothingIsLost) {
  TableFolder folder;
  constexpr int kThreads = 8, kEach = 10;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&folder, t] {
      for (int i = 0; i < kEach; ++i)
        folder.Append("j" + std::to_string(t) + "-" + std::to_string(i), t * kEach + i + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream keys(folder.Keys());
  std::set<int> found;
  for (int key = 0; keys >> key;) EXPECT_TRUE(found.insert(key).second) << key;
  EXPECT_EQ(found.size(), 80U) << "DS-034";
  EXPECT_EQ(folder.Open()->Newest()->number, 81U);
  EXPECT_EQ(folder.NamesBelow("_snapshots").size(), 81U);
}

TEST(Table, Ds035ANumberThatWasUsedIsNotUsedAgain) {
  TableFolder folder;
  for (int i = 1; i <= 4; ++i) folder.Append("j" + std::to_string(i), i);
  const auto newest = internal::LoadManifest(folder.where() + "/" + SnapshotFile(5), {});
  ASSERT_TRUE(newest.ok());
  EXPECT_EQ(newest->snapshot.history.size(), 4U);
  // Somebody who slept since 2 was the newest has found 3 free, and died then.
  const std::string path = "table/" + SnapshotFile(3);
  folder.PutText(path,
                 ReplacedIn(TextOf(folder.File(path)), "\"job\": \"j2\"", "\"job\": \"late\""));
  EXPECT_EQ(folder.Keys(), "1 2 3 4");
  // Its job is not done.
  const std::vector<std::string> messages = {folder.Stage("late", 9)};
  EXPECT_EQ(folder.Open()->Commit("late", messages)->number, 6U) << "DS-035";
  EXPECT_EQ(folder.Keys(), "1 2 3 4 9");
  const auto garbage = folder.Open()->CollectGarbage();
  ASSERT_TRUE(garbage.ok()) << garbage.status().ToString();
  EXPECT_EQ(garbage->snapshots, std::vector<uint64_t>{3}) << "it counts for nothing (DS-035)";
}

}  // namespace
}  // namespace dsi::test
