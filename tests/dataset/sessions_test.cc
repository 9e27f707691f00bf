// Where sessions begin (DO-010), and parts that cut none.
#include "dsi/dataset/sessions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

struct SessionRow {
  std::optional<std::string> user;
  int64_t session = 0;
  int64_t time = 0;

  bool IsWith(const SessionRow& other) const {
    return std::tie(user, session) == std::tie(other.user, other.session);
  }
};

class SessionsTest : public testing::Test {
 protected:
  // Clusters rows by user and session, or leaves them as they are, and keeps how they stand there.
  void AddFile(const std::string& name, const std::vector<SessionRow>& rows, uint32_t stripe_rows,
               bool keep_order = false) {
    Schema schema;
    schema.features = {OneColumn("user", Kind::kKey, Type::kBytes),
                       OneColumn("session", Kind::kKey, Type::kInt64),
                       OneColumn("time", Kind::kTimestamp, Type::kInt64),
                       OneColumn("number", Kind::kKey, Type::kInt64)};
    schema.features[2].columns[0].time_unit = TimeUnit::kMillis;
    WriterOptions options;
    if (!keep_order) options.cluster_by = {"user", "session", "time"};
    options.keep_order = keep_order;
    options.stripe_rows = stripe_rows;
    auto writer = Writer::Create(folder_.File(name), schema, options);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].user) {
        ASSERT_TRUE(batch.SetBytes(0, *rows[i].user).ok());
      }
      ASSERT_TRUE(batch.SetInt(1, rows[i].session).ok());
      ASSERT_TRUE(batch.SetInt(2, rows[i].time).ok());
      ASSERT_TRUE(batch.SetInt(3, static_cast<int64_t>(i)).ok());
      ASSERT_TRUE(batch.EndRow().ok());
    }
    ASSERT_TRUE((*writer)->Append(batch).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
    const auto reader = Reader::Open(folder_.File(name));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto scan = (*reader)->NewScan({.features = {{.name = "number", .width = 1}}});
    Batch read;
    bool is_first = true;
    while (*(*scan)->Next(&read)) {
      const auto* const numbers = reinterpret_cast<const int64_t*>(read.Padded("number")->values);
      for (uint32_t r = 0; r < read.num_rows(); ++r) {
        const SessionRow& row = rows[static_cast<size_t>(numbers[r])];
        if (is_first || keep_order || !row.IsWith(stored_.back()))
          starts_.push_back(stored_.size());
        stored_.push_back(row);
        is_first = false;
      }
    }
  }

  std::unique_ptr<Dataset> Open() const {
    auto dataset = Dataset::Open(folder_.File("*.dsi"));
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    return *std::move(dataset);
  }

  // Some sessions of one row, some of hundreds, users with several of the same number.
  static std::vector<SessionRow> Rows(uint64_t seed, size_t count) {
    std::mt19937_64 random(seed);
    std::vector<SessionRow> rows;
    int64_t session = 0;
    while (rows.size() < count) {
      SessionRow row{.user = {}, .session = session++ % 40};
      if (random() % 8 != 0) row.user = std::string(random() % 3, 'u');
      const size_t length = random() % 10 == 0 ? 400 : 1 + random() % 5;
      for (size_t i = 0; i < length; ++i) {
        row.time = static_cast<int64_t>(random() % 100'000);
        rows.push_back(row);
      }
    }
    return rows;
  }

  void Check(const Dataset& dataset) const {
    const uint64_t n = dataset.num_rows();
    ASSERT_EQ(n, stored_.size());
    EXPECT_EQ(*SessionStarts(dataset, {0, n}), starts_);
    std::mt19937_64 random(5);
    for (int i = 0; i < 40; ++i) {
      const uint64_t begin = random() % (n + 1);
      const uint64_t end = begin + random() % (n + 1 - begin);
      std::vector<uint64_t> expected;
      for (const uint64_t start : starts_)
        if (start >= begin && start < end) expected.push_back(start);
      EXPECT_EQ(*SessionStarts(dataset, {begin, end}), expected) << begin << " " << end;
    }
    for (const uint32_t parts : {1, 2, 3, 7, 64, 500}) {
      const auto split = SplitBySessions(dataset, parts);
      ASSERT_TRUE(split.ok()) << split.status().ToString();
      ASSERT_EQ(split->size(), parts);
      uint64_t begin = 0;
      for (uint32_t p = 0; p < parts; ++p) {
        const DatasetRows part = (*split)[p];
        EXPECT_EQ(part.begin, begin);
        EXPECT_LE(part.begin, part.end);
        begin = part.end;
        if (begin < n) {
          EXPECT_TRUE(std::binary_search(starts_.begin(), starts_.end(), begin));
        }
        // No further from an equal share than to the next start, unless the part before is.
        if (p + 1 == parts) continue;
        const uint64_t cut = n / parts * (p + 1) + std::min<uint64_t>(p + 1, n % parts);
        const auto next = std::lower_bound(starts_.begin(), starts_.end(), cut);
        EXPECT_EQ(begin, next == starts_.end() ? n : *next) << parts << " " << p;
      }
      EXPECT_EQ(begin, n);
    }
  }

  DatasetFolder folder_;
  std::vector<SessionRow> stored_;  // All files, as they stand there.
  std::vector<uint64_t> starts_;
};

TEST_F(SessionsTest, Do010AreFoundInAnyRows) {
  AddFile("a.dsi", Rows(1, 3000), 256);
  AddFile("b.dsi", Rows(2, 500), 1 << 18);
  Check(*Open());
}

// Of a session that many stripes share one begins it; the file that follows begins another.
TEST_F(SessionsTest, LongSessionsAreFoundPastTheirStripes) {
  AddFile("a.dsi", std::vector<SessionRow>(20'000, SessionRow{.user = "u", .session = 3}), 128);
  AddFile("b.dsi", std::vector<SessionRow>(50, SessionRow{.user = "u", .session = 3}), 128);
  EXPECT_EQ(starts_, (std::vector<uint64_t>{0, 20'000}));
  Check(*Open());
}

TEST_F(SessionsTest, WithoutKeysEachRowIsOne) {
  AddFile("a.dsi", Rows(3, 300), 1 << 18, true);
  AddFile("b.dsi", Rows(4, 300), 64);
  Check(*Open());
}

// The first row that is left begins the session; one of which none is left is gone.
TEST_F(SessionsTest, DeletedRowsBeginNone) {
  const std::vector<SessionRow> rows = Rows(6, 2000);
  AddFile("a.dsi", rows, 128);
  const auto deleted = DeleteRows(folder_.File("a.dsi"),
                                  {{.column = "time", .compare = Compare::kLess, .value = 70'000}});
  ASSERT_TRUE(deleted.ok()) << deleted.status().ToString();
  std::vector<uint64_t> expected;
  const SessionRow* before = nullptr;
  for (uint64_t row = 0; row < stored_.size(); ++row) {
    if (stored_[row].time < 70'000) continue;
    if (before == nullptr || !before->IsWith(stored_[row])) expected.push_back(row);
    before = &stored_[row];
  }
  const auto dataset = Open();
  EXPECT_EQ(*SessionStarts(*dataset, {0, dataset->num_rows()}), expected);
  for (const uint64_t begin : {1, 77, 130, 1500}) {
    std::vector<uint64_t> later;
    for (const uint64_t start : expected)
      if (start >= begin) later.push_back(start);
    EXPECT_EQ(*SessionStarts(*dataset, {begin, dataset->num_rows()}), later) << begin;
  }
}

TEST_F(SessionsTest, DeletedRowsOfFilesWithoutKeysAreNone) {
  AddFile("a.dsi", Rows(8, 300), 64, true);
  const auto deleted = DeleteRows(folder_.File("a.dsi"),
                                  {{.column = "number", .compare = Compare::kLess, .value = 70}});
  ASSERT_TRUE(deleted.ok()) << deleted.status().ToString();
  std::vector<uint64_t> expected(stored_.size() - 70);
  std::iota(expected.begin(), expected.end(), uint64_t{70});
  const auto dataset = Open();
  EXPECT_EQ(*SessionStarts(*dataset, {0, dataset->num_rows()}), expected);
  EXPECT_EQ(*SessionStarts(*dataset, {69, 72}), (std::vector<uint64_t>{70, 71}));
}

TEST_F(SessionsTest, WhatIsRefused) {
  AddFile("a.dsi", Rows(7, 10), 128);
  const auto dataset = Open();
  const uint64_t n = dataset->num_rows();
  EXPECT_EQ(SessionStarts(*dataset, {0, n + 1}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SessionStarts(*dataset, {2, 1}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(SessionStarts(*dataset, {n, n})->empty());
  EXPECT_EQ(SplitBySessions(*dataset, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SplitBySessions(*dataset, (1U << 20) + 1).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dsi::test
