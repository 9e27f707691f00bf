// What is saved of damaged files, and that it is told what is not.
#include "dsi/rewrite/recover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dsi/reader/row_filter.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/dataset_folder.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/rewrite/id_files.h"

namespace dsi::test {
namespace {

constexpr int64_t kRows = 600;
constexpr uint32_t kStripeRows = 200;

// Lists that are large enough for pages of their own; the first number is the id.
ModelRow LongListOf(int64_t id) {
  std::mt19937_64 random(static_cast<uint64_t>(id));
  std::vector<uint64_t> list = {static_cast<uint64_t>(id)};
  for (int i = 0; i < 60; ++i) list.push_back(random());
  return list;
}

std::vector<ModelRow> ExpectedLists(int64_t begin, int64_t end) {
  std::vector<ModelRow> rows;
  for (int64_t id = begin; id < end; ++id) rows.push_back(LongListOf(id));
  return rows;
}

std::vector<std::byte> LongListFile(int64_t begin, int64_t end, uint32_t stripe_rows = 1 << 18) {
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.stripe_rows = stripe_rows;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "lists"), ScoreSchema(), options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t id = begin; id < end; ++id) {
    const ModelRow list = LongListOf(id);
    const std::vector<int64_t> values(list->begin(), list->end());
    EXPECT_TRUE(rows.SetInt(0, id).ok());
    EXPECT_TRUE(rows.SetBytes(1, "n" + std::to_string(id)).ok());
    EXPECT_TRUE(rows.SetInts(2, 0, values).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

class RecoverTest : public testing::Test {
 protected:
  std::unique_ptr<Dataset> Open(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(folder_.File(name));
    auto dataset = Dataset::Open(paths);
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    return dataset.ok() ? std::move(*dataset) : nullptr;
  }

  bool CanRead(const Dataset& dataset, const std::string& column, DatasetRows rows) {
    DatasetScanOptions options;
    options.scan.features = {{.name = column, .layout = Layout::kJagged}};
    options.rows = {rows};
    const auto scan = dataset.NewScan(options);
    if (!scan.ok()) return false;
    Batch batch;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      if (!more.ok()) return false;
      if (!*more) return true;
    }
  }

  // The file with a byte changed that `column` needs in this stripe, and `other` nowhere.
  std::vector<std::byte> Damaged(std::vector<std::byte> bytes, const std::string& column,
                                 DatasetRows stripe, const std::string& other) {
    for (size_t at = 64; at < bytes.size(); at += 400) {
      bytes[at] ^= std::byte{1};
      folder_.Put("try.dsi", bytes);
      const auto dataset = Dataset::Open(folder_.File("try.dsi"));
      if (dataset.ok() && !CanRead(**dataset, column, stripe) &&
          CanRead(**dataset, other, {0, (*dataset)->num_rows()}))
        return bytes;
      bytes[at] ^= std::byte{1};
    }
    ADD_FAILURE() << "no page is of " << column << ", and not of " << other;
    return bytes;
  }

  std::vector<ModelRow> ListsOf(const std::string& name, const std::string& column) {
    const auto dataset = Open({name});
    return dataset == nullptr ? std::vector<ModelRow>() : Lists(*dataset, column);
  }

  DatasetFolder folder_;
  const std::vector<std::byte> sound_ = LongListFile(0, kRows, kStripeRows);
};

TEST_F(RecoverTest, OfSoundFilesIsWhatRewriteMakes) {
  folder_.Put("a.dsi", sound_);
  folder_.Put("b.dsi", LongListFile(700, 702));
  const auto dataset = Open({"a.dsi", "b.dsi"});
  const auto report = Recover(*dataset, folder_.File("out.dsi"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_TRUE(report->lost.empty());
  EXPECT_EQ(report->written.num_rows, 602U);
  ASSERT_TRUE(Rewrite(*dataset, folder_.File("same.dsi")).ok());
  EXPECT_EQ(ReadBytes(folder_.File("out.dsi")), ReadBytes(folder_.File("same.dsi")));
}

TEST_F(RecoverTest, LeavesOutTheRowsOfADamagedStripe) {
  folder_.Put("first.dsi", LongListFile(900, 902));
  folder_.Put("second.dsi", Damaged(sound_, "more", {200, 400}, "name"));
  const auto dataset = Open({"first.dsi", "second.dsi"});
  const auto report = Recover(*dataset, folder_.File("out.dsi"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->lost.size(), 1U);
  const LostRows& lost = report->lost[0];
  EXPECT_EQ(lost.file, 1U);
  EXPECT_EQ(lost.begin, 200U);
  EXPECT_EQ(lost.end, 400U);
  EXPECT_EQ(lost.features, std::vector<std::string>{"more"});
  EXPECT_TRUE(lost.left_out);
  EXPECT_EQ(lost.why.code(), StatusCode::kCorrupt);
  EXPECT_NE(lost.why.message().find("second.dsi: stripe 1"), std::string::npos);
  EXPECT_EQ(report->num_rows_left_out(), 200U);
  EXPECT_EQ(report->written.num_rows, 402U);
  std::vector<ModelRow> expected = ExpectedLists(900, 902);
  for (const auto& rows : {ExpectedLists(0, 200), ExpectedLists(400, 600)})
    expected.insert(expected.end(), rows.begin(), rows.end());
  EXPECT_EQ(ListsOf("out.dsi", "more"), expected);
}

TEST_F(RecoverTest, KeepsRowsWithoutWhatCannotBeRead) {
  folder_.Put("in.dsi", Damaged(sound_, "more", {200, 400}, "name"));
  const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"), {.keep_rows = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->lost.size(), 1U);
  EXPECT_FALSE(report->lost[0].left_out);
  EXPECT_EQ(report->num_rows_left_out(), 0U);
  EXPECT_EQ(report->written.num_rows, 600U);
  std::vector<ModelRow> expected = ExpectedLists(0, 600);
  for (size_t row = 200; row < 400; ++row) expected[row] = std::nullopt;
  EXPECT_EQ(ListsOf("out.dsi", "more"), expected);
  folder_.Put("sound.dsi", sound_);
  EXPECT_EQ(ListsOf("out.dsi", "name"), ListsOf("sound.dsi", "name"));
}

TEST_F(RecoverTest, NeverKeepsRowsWithoutTheirKey) {
  folder_.Put("in.dsi", Damaged(sound_, "id", {0, 200}, "more"));
  const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"), {.keep_rows = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->lost.size(), 1U);
  EXPECT_EQ(report->lost[0].features[0], "id");
  EXPECT_TRUE(report->lost[0].left_out);
  EXPECT_EQ(ListsOf("out.dsi", "more"), ExpectedLists(200, 600));
}

// Whatever byte is changed: rows come out as they were, or are told to be lost.
TEST_F(RecoverTest, TellsOfEveryRowThatIsLost) {
  std::mt19937_64 random(7);
  size_t recovered = 0;
  for (int trial = 0; trial < 80; ++trial) {
    std::vector<std::byte> bytes = sound_;
    const size_t at = random() % bytes.size();
    bytes[at] ^= std::byte{1} << random() % 8;
    SCOPED_TRACE("byte " + std::to_string(at));
    folder_.Put("in.dsi", bytes);
    const auto dataset = Dataset::Open(folder_.File("in.dsi"));
    if (!dataset.ok()) continue;
    const bool keep_rows = trial % 2 == 0;
    RecoverOptions options{.keep_rows = keep_rows};
    options.writer.overwrite = true;
    const auto report = Recover(**dataset, folder_.File("out.dsi"), options);
    if (!report.ok()) {
      EXPECT_EQ(report.status().code(), StatusCode::kCorrupt) << report.status().ToString();
      continue;
    }
    ++recovered;
    std::vector<ModelRow> expected;
    std::vector<ModelRow> rows = ExpectedLists(0, kRows);
    for (const LostRows& lost : report->lost) {
      for (const std::string& feature : lost.features)
        EXPECT_FALSE(CanRead(**dataset, feature, {lost.begin, lost.end}));
      EXPECT_LE(lost.end - lost.begin, kStripeRows);
      EXPECT_TRUE(lost.left_out || keep_rows);
      if (lost.left_out || lost.features.back() == "more") {
        for (uint64_t row = lost.begin; row < lost.end; ++row) rows[row] = std::nullopt;
      }
    }
    std::set<uint64_t> left_out;
    for (const LostRows& lost : report->lost) {
      for (uint64_t row = lost.begin; row < lost.end && lost.left_out; ++row) left_out.insert(row);
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      if (left_out.count(row) == 0) expected.push_back(rows[row]);
    }
    EXPECT_EQ(ListsOf("out.dsi", "more"), expected);
  }
  EXPECT_GT(recovered, 20U);
}

// Numbers in several pages: only those of the damaged one go.
TEST_F(RecoverTest, TakesAwayOneRangeOfAStripe) {
  Schema schema;
  schema.features = {OneColumn("id", Kind::kKey, Type::kInt64),
                     OneColumn("price", Kind::kDense, Type::kFloat64)};
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "dense"), schema, {.keep_order = true});
  ASSERT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  std::mt19937_64 random(3);
  constexpr uint64_t kMany = 200'000;
  for (uint64_t row = 0; row < kMany; ++row) {
    ASSERT_TRUE(rows.SetInt(0, static_cast<int64_t>(row)).ok());
    ASSERT_TRUE(rows.SetDouble(1, static_cast<double>(random()) / 3).ok());
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  bytes[bytes.size() / 3] ^= std::byte{4};
  folder_.Put("in.dsi", bytes);
  const auto dataset = Open({"in.dsi"});
  const auto report = Recover(*dataset, folder_.File("out.dsi"), {.keep_rows = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->lost.size(), 1U);
  EXPECT_EQ(report->lost[0].features, std::vector<std::string>{"price"});
  EXPECT_LT(report->lost[0].end - report->lost[0].begin, kMany / 2);
  EXPECT_GT(report->lost[0].end, report->lost[0].begin);
  EXPECT_EQ(report->written.num_rows, kMany);
}

TEST_F(RecoverTest, LeavesDeletedRowsBehind) {
  folder_.Put("in.dsi", sound_);
  const std::vector<Predicate> gone = {
      {.column = "id", .compare = Compare::kIn, .values = {int64_t{3}, int64_t{250}}}};
  ASSERT_TRUE(DeleteRows(folder_.File("in.dsi"), gone).ok());
  folder_.Put("in.dsi", Damaged(ReadBytes(folder_.File("in.dsi")), "more", {200, 400}, "name"));
  const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->num_rows_left_out(), 200U);
  std::vector<ModelRow> expected = ExpectedLists(0, 200);
  expected.erase(expected.begin() + 3);
  const std::vector<ModelRow> rest = ExpectedLists(400, 600);
  expected.insert(expected.end(), rest.begin(), rest.end());
  EXPECT_EQ(ListsOf("out.dsi", "more"), expected);
}

// Of one of which the base can be read and the overlay cannot.
TEST_F(RecoverTest, TriesFeaturesOfOverlays) {
  folder_.Put("base.dsi", sound_);
  Schema schema;
  schema.features = {OneColumn("score", Kind::kDense, Type::kFloat32)};
  folder_.Put("more.dsi", SmallFile(schema, 0, kRows, kStripeRows));
  ASSERT_TRUE(
      WriteOverlay(*Open({"more.dsi"}), folder_.File("base.dsi"), folder_.File("over.dsi")).ok());
  std::vector<std::byte> overlay = ReadBytes(folder_.File("over.dsi"));
  overlay[72] ^= std::byte{1};
  folder_.Put("over.dsi", overlay);
  const auto dataset = Open({"base.dsi", "over.dsi"});
  const auto report = Recover(*dataset, folder_.File("out.dsi"), {.keep_rows = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_FALSE(report->lost.empty());
  for (const LostRows& lost : report->lost)
    EXPECT_EQ(lost.features, std::vector<std::string>{"score"});
  EXPECT_EQ(report->num_rows_left_out(), 0U);
  EXPECT_EQ(ListsOf("out.dsi", "more"), ExpectedLists(0, kRows));
}

TEST_F(RecoverTest, WritesNothingWhereNoRowCanBeRead) {
  std::vector<std::byte> bytes = LongListFile(0, 100);
  for (size_t at = 64; at < bytes.size() / 2; ++at) bytes[at] ^= std::byte{255};
  folder_.Put("in.dsi", bytes);
  const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"));
  EXPECT_EQ(report.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(report.status().message().find("no row can be read in all features"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("out.dsi")));
}

TEST_F(RecoverTest, SaysBeforeItReadsThatTheFileExists) {
  folder_.Put("in.dsi", sound_);
  folder_.Put("out.dsi", sound_);
  RecoverOptions options;
  options.progress = [](const RewriteProgress&) {
    ADD_FAILURE() << "it has begun";
    return true;
  };
  const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"), options);
  EXPECT_EQ(report.status().code(), StatusCode::kAlreadyExists);
}

TEST_F(RecoverTest, StopsInEachPhase) {
  folder_.Put("in.dsi", Damaged(sound_, "more", {200, 400}, "name"));
  using Phase = RewriteProgress::Phase;
  for (const Phase phase : {Phase::kCheck, Phase::kRead, Phase::kWrite}) {
    RecoverOptions options;
    bool came = false;
    options.progress = [&](const RewriteProgress& now) {
      EXPECT_EQ(now.rows_total, static_cast<uint64_t>(kRows));
      EXPECT_LE(now.rows_done, now.rows_total);
      came = came || now.phase == phase;
      return now.phase != phase;
    };
    const auto report = Recover(*Open({"in.dsi"}), folder_.File("out.dsi"), options);
    EXPECT_EQ(report.status().code(), StatusCode::kCancelled);
    EXPECT_TRUE(came);
    EXPECT_FALSE(std::filesystem::exists(folder_.File("out.dsi")));
  }
}

}  // namespace
}  // namespace dsi::test
