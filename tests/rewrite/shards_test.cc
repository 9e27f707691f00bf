// A dataset cut into files of whole sessions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"

namespace dsi::test {
namespace {

// The rows in the order of sessions, cut before the session that does not fit.
std::vector<std::vector<size_t>> ExpectedShards(const ModelTable& table,
                                                const std::vector<std::string>& keys,
                                                size_t max_rows) {
  const std::vector<size_t> order = ClusteredOrder(table, keys);
  const auto session = [&](size_t row) { return table.Column("session_id").rows[row]; };
  std::vector<std::vector<size_t>> shards(1);
  for (size_t p = 0; p < order.size();) {
    size_t end = p + 1;
    while (!keys.empty() && end < order.size() && session(order[end]) == session(order[p])) ++end;
    if (!shards.back().empty() && shards.back().size() + (end - p) > max_rows)
      shards.emplace_back();
    shards.back().insert(shards.back().end(), order.begin() + static_cast<ptrdiff_t>(p),
                         order.begin() + static_cast<ptrdiff_t>(end));
    p = end;
  }
  for (auto& shard : shards) std::sort(shard.begin(), shard.end());
  return shards;
}

// What a process left that was killed is removed by the next, what others work at is not.
TEST(Shards, WhatKilledProcessesLeftIsRemoved) {
  namespace fs = std::filesystem;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  const ModelDataset from(RandomTable(1, 40, 3), 1, 150);
  const auto leave = [&](const std::string& name) {
    const std::string path = from.folder.File(name);
    fs::create_directory(path);
    WriteBytes(path + "/part-00000.dsi", {});
    return path;
  };
  const std::string left = leave(".shards." + std::to_string(gone) + "-0");
  const std::string locked = leave(".shards." + std::to_string(gone) + "-1");
  const std::string of_another = leave(".shards." + std::to_string(getppid()) + "-0");
  const std::string other = leave(".shards.old");
  const int lock = open(locked.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  const auto shards = RewriteShards(*from.dataset, from.folder.File("shards"), {.rows = 9}, {});
  ASSERT_TRUE(shards.ok()) << shards.status().ToString();
  EXPECT_FALSE(fs::exists(left));
  for (const std::string& kept : {locked, of_another, other}) EXPECT_TRUE(fs::exists(kept)) << kept;
  close(lock);
}

TEST(Shards, AreWhatAWriterMakesOfWholeSessions) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const ModelTable input = RandomTable(seed, 400 * seed, 1 + 2 * seed);
    const ModelDataset from(input, 1 + seed % 3, 150);
    for (const size_t max_rows : {7U, 90U, 1000U}) {
      for (const bool clustered : {true, false}) {
        RewriteOptions options;
        options.writer.stripe_rows = 64;
        options.writer.page_values = 1024;
        if (clustered) options.writer.cluster_by = {"session_id", "time"};
        options.writer.keep_order = !clustered;
        const std::string folder = from.folder.File("shards");
        const auto shards = RewriteShards(*from.dataset, folder, {.rows = max_rows}, options);
        ASSERT_TRUE(shards.ok()) << shards.status().ToString();
        const auto expected = ExpectedShards(from.table, options.writer.cluster_by, max_rows);
        ASSERT_EQ(shards->size(), expected.size());
        ModelTable table = from.table;
        SetIds(*from.dataset, &table);
        for (size_t s = 0; s < expected.size(); ++s) {
          EXPECT_EQ((*shards)[s].report.num_rows, expected[s].size());
          ASSERT_EQ(ReadBytes((*shards)[s].path),
                    WriteRows(Slice(table, expected[s]), options.writer))
              << (*shards)[s].path;
        }
        std::filesystem::remove_all(folder);
        if (max_rows == 7 && seed > 1) break;  // Many files; one way of them is enough.
      }
    }
  }
}

TEST(Shards, HaveOnlyRowsThatPass) {
  const ModelDataset from(RandomTable(9, 800, 6), 2, 150);
  RewriteOptions options;
  options.writer.cluster_by = {"session_id", "time"};
  options.filter.sample = {{.keep = 0.3}};
  const auto shards = RewriteShards(*from.dataset, from.folder.File("few"), {.rows = 50}, options);
  ASSERT_TRUE(shards.ok()) << shards.status().ToString();
  uint64_t rows = 0;
  for (const RewrittenShard& shard : *shards) rows += shard.report.num_rows;
  DatasetScanOptions scan_options;
  scan_options.scan.filter = options.filter;
  const auto scan = from.dataset->NewScan(scan_options);
  Batch batch;
  uint64_t passed = 0;
  while (*(*scan)->Next(&batch)) passed += batch.num_rows();
  EXPECT_EQ(rows, passed);
  EXPECT_LT(rows, from.table.num_rows);
  EXPECT_GT(shards->size(), 3U);
}

TEST(Shards, BySize) {
  const ModelDataset from(RandomTable(2, 3000, 4), 2, 500);
  uint64_t bytes = 0;
  for (const DatasetFile& file : from.dataset->files()) bytes += file.bytes;
  const auto shards =
      RewriteShards(*from.dataset, from.folder.File("sized"), {.bytes = bytes / 4 + 1});
  ASSERT_TRUE(shards.ok()) << shards.status().ToString();
  EXPECT_GE(shards->size(), 4U);
  EXPECT_LE(shards->size(), 5U);
}

TEST(Shards, AppearTogetherOrNotAtAll) {
  const ModelDataset from(RandomTable(4, 240, 4), 2, 100);
  const std::string folder = from.folder.File("out");
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(from.folder.path()))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto before = names();
  // Cancelled at each step that there is.
  for (uint64_t steps = 0;; ++steps) {
    uint64_t left = steps;
    RewriteOptions options;
    options.progress = [&](const RewriteProgress& now) {
      EXPECT_LT(now.shard, now.num_shards);
      EXPECT_FALSE(std::filesystem::exists(folder));
      return left-- > 0;
    };
    const auto shards = RewriteShards(*from.dataset, folder, {.rows = 100}, options);
    if (shards.ok()) break;
    ASSERT_EQ(shards.status().code(), StatusCode::kCancelled) << shards.status().ToString();
    ASSERT_EQ(names(), before);
  }
  EXPECT_TRUE(std::filesystem::exists(folder + "/part-00000.dsi"));
  EXPECT_EQ(RewriteShards(*from.dataset, folder + "/", {.rows = 100}).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(RewriteShards(*from.dataset, folder, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RewriteShards(*from.dataset, from.folder.File("no/such"), {.rows = 1}).status().code(),
            StatusCode::kNotFound);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(names(), before);
}

}  // namespace
}  // namespace dsi::test
