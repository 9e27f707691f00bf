#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/dataset/table/table_log_internal.h"
#include "dsi/tests/dataset/table_folder.h"

namespace dsi::test {
namespace {

// Everything is old enough.
constexpr TableGcOptions kNow{.keep = 1, .younger_than_ms = 0, .grace_ms = 0};

// Times in names are those of milliseconds.
void NextMillisecond() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

std::set<std::string> NeededBy(const TableFolder& folder) {
  std::set<std::string> needed;
  const auto snapshots = folder.Open()->Snapshots();
  EXPECT_TRUE(snapshots.ok()) << snapshots.status().ToString();
  for (const TableSnapshot& one : *snapshots) {
    if (one.num_files == 0) continue;
    const auto dataset = Dataset::Open(folder.where() + "@" + std::to_string(one.number));
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    if (!dataset.ok()) continue;
    for (const DatasetFile& file : (*dataset)->files())
      needed.insert(file.path.substr(folder.where().size() + 1));
  }
  return needed;
}

// Every snapshot that is there can be read to its files.
void ExpectWhole(const TableFolder& folder, const std::string& when) {
  const std::set<std::string> there = folder.NamesBelow("data");
  for (const std::string& name : NeededBy(folder))
    EXPECT_TRUE(there.contains(name)) << when << name;
}

TEST(TableGarbage, WhatNoSnapshotNeedsGoes) {
  TableFolder folder;
  folder.Append("j", 1);
  const std::vector<std::string> messages = {folder.Stage("k", 2)};
  ASSERT_TRUE(folder.Open()->Commit("k", messages, {.operation = TableOperation::kOverwrite}).ok());
  folder.Stage("dead", 3);
  EXPECT_EQ(folder.NamesBelow("data").size(), 3U);
  NextMillisecond();

  TableGcOptions options = kNow;
  options.dry_run = true;
  const auto told = folder.Open()->CollectGarbage(options);
  ASSERT_TRUE(told.ok()) << told.status().ToString();
  EXPECT_EQ(told->snapshots, (std::vector<uint64_t>{1, 2}));
  ASSERT_EQ(told->files.size(), 2U);
  EXPECT_TRUE(told->files[0].starts_with("data/dead/"));
  EXPECT_TRUE(told->files[1].starts_with("data/j/"));
  EXPECT_EQ(folder.NamesBelow("data").size(), 3U) << "told only";
  EXPECT_EQ(folder.Open()->Newest()->number, 3U);

  const auto done = folder.Open()->CollectGarbage(kNow);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->files, told->files);
  EXPECT_EQ(done->snapshots, told->snapshots);
  EXPECT_EQ(folder.NamesBelow("data").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder.where() + "/data/dead"));
  EXPECT_EQ(folder.Keys(), "2");
  EXPECT_EQ(folder.Open()->Newest()->operation, TableOperation::kGc);
  // The snapshot before it, which holds the same; then nothing is left to do.
  const auto again = folder.Open()->CollectGarbage(kNow);
  EXPECT_TRUE(again->files.empty());
  EXPECT_EQ(folder.Open()->Newest()->number, 4U) << "nothing was removed, so nothing is said";
}

TEST(TableGarbage, WhatIsYoungOrAmongTheNewestStays) {
  TableFolder folder;
  for (int i = 1; i <= 6; ++i) {
    const std::string job = "j" + std::to_string(i);
    const std::vector<std::string> messages = {folder.Stage(job, i)};
    ASSERT_TRUE(
        folder.Open()->Commit(job, messages, {.operation = TableOperation::kOverwrite}).ok());
  }
  folder.Stage("running", 9);
  NextMillisecond();
  const auto usual = folder.Open()->CollectGarbage();
  EXPECT_TRUE(usual->files.empty() && usual->snapshots.empty()) << "a week, a day";
  TableGcOptions options{.keep = 1, .younger_than_ms = 3'600'000, .grace_ms = 0};
  EXPECT_TRUE(folder.Open()->CollectGarbage(options)->snapshots.empty()) << "an hour";
  options = {.keep = 3, .younger_than_ms = 0, .grace_ms = 3'600'000};
  const auto three = folder.Open()->CollectGarbage(options);
  EXPECT_EQ(three->files.size(), 0U) << "staged within the hour";
  EXPECT_EQ(three->snapshots.size(), 4U);
  EXPECT_EQ(folder.Keys(folder.where() + "@5"), "4");
  ExpectWhole(folder, "keep 3");
  options.keep = 0;
  EXPECT_EQ(folder.Open()->CollectGarbage(options).status().code(), StatusCode::kInvalidArgument);
}

TEST(TableGarbage, Ds038WhatWasStagedTooLongAgoIsRefused) {
  TableFolder folder;
  folder.Append("j", 1);
  folder.Append("k", 2);
  const std::string late = folder.Stage("late", 3);
  NextMillisecond();
  ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
  // Its file is gone, and what would be refused even where it had not been removed yet.
  const Status status = folder.Open()->Commit("late", std::vector{late}).status();
  EXPECT_EQ(status.code(), StatusCode::kBadInput) << status.ToString();
  EXPECT_NE(status.message().find("staged so long ago"), std::string::npos) << "DS-038";
  // The horizon stays with what comes after.
  folder.Append("l", 4);
  EXPECT_EQ(folder.Open()->Commit("late", std::vector{late}).status().code(),
            StatusCode::kBadInput);
  EXPECT_EQ(folder.Keys(), "1 2 4");
}

TEST(TableGarbage, GcIsNoReasonNotToOverwrite) {
  TableFolder folder;
  folder.Append("j", 1);
  const auto table = folder.Open();
  folder.Stage("dead", 2);
  NextMillisecond();
  ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
  ASSERT_TRUE(folder.Open()->Newest()->operation == TableOperation::kGc);
  const std::vector<std::string> messages = {folder.Stage("k", 3)};
  EXPECT_TRUE(table->Commit("k", messages, {.operation = TableOperation::kOverwrite}).ok());
}

TEST(TableGarbage, AbortRemovesWhatTheJobHasStaged) {
  TableFolder folder;
  folder.Append("j", 1);
  const std::vector<std::string> messages = {folder.Stage("k", 2), folder.Stage("k", 3)};
  folder.Stage("other", 4);
  EXPECT_EQ(*folder.Open()->Abort("k"), 2U);
  EXPECT_EQ(folder.NamesBelow("data").size(), 2U);
  EXPECT_EQ(*folder.Open()->Abort("k"), 0U);
  EXPECT_EQ(*folder.Open()->Abort("unknown"), 0U);
  EXPECT_EQ(folder.Open()->Newest()->operation, TableOperation::kAbort);
  EXPECT_EQ(folder.Open()->Newest()->number, 3U);
  const Status status = folder.Open()->Commit("k", messages).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
  EXPECT_NE(status.message().find("was aborted"), std::string::npos) << status.ToString();
  // A task that had not heard of it.
  folder.Stage("k", 5);
  EXPECT_EQ(*folder.Open()->Abort("k"), 1U);
  EXPECT_EQ(folder.Open()->Abort("j").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(folder.Keys(), "1");
}

// The snapshot of this number with the files of another, made by so many commits behind it that
// none of its history is remembered.
void PutMuchLater(const TableFolder& folder, uint64_t of, uint64_t number, bool keeps_files) {
  auto content = internal::LoadManifest(folder.where() + "/" + SnapshotFile(of), {});
  ASSERT_TRUE(content.ok()) << content.status().ToString();
  const std::string root = folder.where() + "/";
  for (std::string& path : content->paths) path = path.substr(root.size());
  if (!keeps_files) {
    content->paths.clear();
    content->facts.clear();
    content->schemas.clear();
  }
  const auto of_number = [&](uint64_t n) {
    TableSnapshot one{.number = n, .operation = TableOperation::kAppend};
    one.job = "later-" + std::to_string(n);
    one.time_ms = content->snapshot.self.time_ms;
    one.num_files = one.num_rows = content->paths.size();
    return one;
  };
  content->snapshot.self = of_number(number);
  content->snapshot.history.clear();
  for (uint64_t n = 1; n <= internal::kMaxHistory; ++n)
    content->snapshot.history.push_back(of_number(number - n));
  std::ofstream(root + SnapshotFile(number)) << internal::ManifestToJson(*content);
}

// However long ago it has committed: snapshots remember 1,000 commits.
TEST(TableGarbage, AbortRemovesNothingThatASnapshotHas) {
  for (const bool newest_has_it : {true, false}) {
    TableFolder folder;
    folder.Append("day-1", 1);
    PutMuchLater(folder, 2, 1003, newest_has_it);
    ASSERT_EQ(folder.Open()->Newest()->number, 1003U);
    folder.Stage("day-1", 2);  // One that it has not committed.
    const std::set<std::string> before = folder.NamesBelow("");
    const auto aborted = folder.Open()->Abort("day-1");
    EXPECT_EQ(aborted.status().code(), StatusCode::kInvalidArgument) << "newest " << newest_has_it;
    EXPECT_NE(aborted.status().message().find("job day-1 has committed: snapshot"),
              std::string::npos)
        << aborted.status().ToString();
    EXPECT_EQ(folder.NamesBelow(""), before);
    EXPECT_EQ(folder.Keys(folder.where() + "@2"), "1");
    // Others are aborted as ever, and so is this one once no snapshot has a file of it.
    folder.Stage("other", 3);
    EXPECT_EQ(*folder.Open()->Abort("other"), 1U);
    if (newest_has_it) continue;
    std::filesystem::remove(folder.where() + "/" + SnapshotFile(2));
    EXPECT_EQ(*folder.Open()->Abort("day-1"), 2U);
  }
}

// Of snapshots that the newest remembers the oldest one that is there is looked at.
TEST(TableGarbage, AbortLooksAtSnapshotsThatAreRemembered) {
  TableFolder folder;
  folder.Append("day-1", 1);
  PutMuchLater(folder, 2, 1003, true);
  PutMuchLater(folder, 2, 1004, false);
  std::filesystem::remove(folder.where() + "/" + SnapshotFile(2));
  const std::set<std::string> before = folder.NamesBelow("data");
  EXPECT_EQ(folder.Open()->Abort("day-1").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(folder.NamesBelow("data"), before);
}

TEST(TableGarbage, Ds036WhatIsNotCalledSoIsLeftAlone) {
  TableFolder folder;
  folder.Append("j", 1);
  for (const char* name :
       {"data/mine.dsi", "data/j/mine.dsi", "data/j/123-t-x.dsi",
        "data/j/x/1000000000000-t-0123456789abcdef.dsi", "_snapshots/note.txt"}) {
    folder.PutRows(std::string("table/") + name, 1, 1);
  }
  const std::set<std::string> before = folder.NamesBelow("");
  folder.PutText("table/data/j/.1000000000000-t-0123456789abcdef.dsi.1.0.tmp", "");
  folder.PutText("table/_snapshots/.00000000000000000002.json.1.0.tmp", "");
  folder.PutText("table/_snapshots/.00000000000000000099.json.1.0.tmp", "of who is committing");
  const auto garbage =
      folder.Open()->CollectGarbage({.keep = 9, .younger_than_ms = 0, .grace_ms = 0});
  ASSERT_TRUE(garbage.ok()) << garbage.status().ToString();
  EXPECT_EQ(garbage->files.size(), 2U) << "DS-036";
  std::set<std::string> after = folder.NamesBelow("");
  EXPECT_EQ(after.erase(SnapshotFile(3)), 1U);
  EXPECT_EQ(after.erase("_snapshots/.00000000000000000099.json.1.0.tmp"), 1U);
  EXPECT_EQ(after, before);
  const std::string name = internal::MakeDataName("a.b", "c-d", 1234567890123);
  const auto parsed = internal::ParseDataName(name);
  ASSERT_TRUE(parsed.has_value()) << name;
  EXPECT_EQ(parsed->job, "a.b");
  EXPECT_EQ(parsed->time_ms, 1234567890123U);
}

TEST(TableGarbage, Ds035WhoSleptWhileOthersCommittedLooksAgain) {
  TableFolder folder;
  folder.Append("j", 1);
  auto store = internal::TableStore::Make(folder.where(), {});
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  const internal::TableLog log(*std::move(store), {});
  int calls = 0;
  const auto added = log.Add([&](const internal::ManifestContent& newest) {
    if (++calls == 1) {
      for (int i = 2; i <= 4; ++i) folder.Append("j" + std::to_string(i), i);
      EXPECT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
      EXPECT_FALSE(folder.NamesBelow("_snapshots").contains(SnapshotFile(3))) << "free again";
    }
    internal::NextSnapshot next{.content = newest, .done = {}};
    next.content->snapshot = {};
    next.content->snapshot.self.operation = TableOperation::kAppend;
    next.content->snapshot.self.job = "late";
    return Result<internal::NextSnapshot>(std::move(next));
  });
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  EXPECT_EQ(calls, 2) << "DS-035";
  EXPECT_EQ(added->number, 6U);
  EXPECT_EQ(folder.NamesBelow("_snapshots"),
            (std::set<std::string>{SnapshotFile(5), SnapshotFile(6)}));
  EXPECT_EQ(folder.Keys(), "1 2 3 4");
}

// What a table has to hold, beside the table.
TEST(TableGarbage, RandomJobsLoseNothing) {
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    TableFolder folder;
    std::vector<std::string> keys;                            // Of the files that the table has.
    std::vector<std::pair<std::string, std::string>> staged;  // Job, message; not committed yet.
    int next = 0;
    for (int step = 0; step < 25; ++step) {
      const std::string job = "j" + std::to_string(++next);
      const uint32_t what = random() % 8;
      if (what <= 2) {
        folder.Append(job, next);
        keys.push_back(std::to_string(next));
      } else if (what == 3) {
        const std::vector<std::string> messages = {folder.Stage(job, next)};
        const TableCommitOptions over{.operation = TableOperation::kOverwrite};
        ASSERT_TRUE(folder.Open()->Commit(job, messages, over).ok());
        keys = {std::to_string(next)};
      } else if (what == 4) {
        staged.emplace_back(job, folder.Stage(job, next));
      } else if (what == 5 && !staged.empty()) {
        ASSERT_TRUE(folder.Open()->Abort(staged.back().first).ok());
        staged.pop_back();
      } else if (what == 6 && !staged.empty()) {
        const auto [of, message] = staged.back();
        staged.pop_back();
        if (folder.Open()->Commit(of, std::vector{message}).ok()) keys.push_back(of.substr(1));
      } else {
        NextMillisecond();
        const bool has_grace = random() % 2 == 0;
        const TableGcOptions options{.keep = 1 + random() % 4,
                                     .younger_than_ms = 0,
                                     .grace_ms = has_grace ? uint64_t{3'600'000} : 0};
        ASSERT_TRUE(folder.Open()->CollectGarbage(options).ok());
      }
      ExpectWhole(folder, "step " + std::to_string(step) + ": ");
      std::string expected;
      for (const std::string& key : keys) expected += (expected.empty() ? "" : " ") + key;
      if (!keys.empty()) {
        EXPECT_EQ(folder.Keys(), expected);
      }
    }
    NextMillisecond();
    ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
    ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
    EXPECT_EQ(folder.NamesBelow("data"), NeededBy(folder)) << "and nothing else is left";
  }
}

// Jobs that are killed at any time while others commit and remove.
TEST(TableGarbage, KilledJobsLeaveGarbageAlone) {
  TableFolder folder;
  std::mt19937 random(3);
  std::set<std::string> done;
  int killed = 0;
  const auto start = [&](const std::string& job, int key, bool collects) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const auto table = Table::Open(folder.where());
    const auto message = StageRows(**table, job, key, 1);
    const bool fine = message.ok() && (*table)->Commit(job, std::vector{*message}).ok() &&
                      (!collects || (*table)->CollectGarbage(kNow).ok());
    ::_exit(fine ? 0 : 1);
  };
  folder.Append("first", 1000);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_GT(::waitpid(start("timed", 2000, true), nullptr, 0), 0);
  // Half of the jobs are killed, however fast the machine is and whatever else it does.
  auto most = 2 * (std::chrono::steady_clock::now() - begin);
  for (int round = 0; round < 60; ++round) {
    const pid_t child = start("j" + std::to_string(round), round + 1, round % 3 == 0);
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(most / 1000 * static_cast<int>(random() % 1000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const bool is_killed = WIFSIGNALED(status);
    killed += is_killed ? 1 : 0;
    most += is_killed ? most / 8 : -most / 8;
    EXPECT_TRUE(is_killed || WEXITSTATUS(status) == 0);
    ExpectWhole(folder, "round " + std::to_string(round) + ": ");
    // Whether it is done says the table; a driver that comes back asks so.
    std::istringstream keys(folder.Open()->Newest()->num_files == 0 ? "" : folder.Keys());
    std::set<std::string> now;
    for (std::string key; keys >> key;) EXPECT_TRUE(now.insert(key).second) << key << " twice";
    EXPECT_TRUE(std::includes(now.begin(), now.end(), done.begin(), done.end()));
    EXPECT_TRUE(is_killed || now.contains(std::to_string(round + 1)));
    done = now;
  }
  EXPECT_GT(killed, 5);
  EXPECT_GT(done.size(), 6U);
  NextMillisecond();
  ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
  ASSERT_TRUE(folder.Open()->CollectGarbage(kNow).ok());
  EXPECT_EQ(folder.NamesBelow("data"), NeededBy(folder));
}

}  // namespace
}  // namespace dsi::test
