// Filters on features of overlays: what statistics of the overlay rule out is not read, and those
// of the base are not asked about a feature that an overlay has in its place (DS-042).
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_plan.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

constexpr int64_t kRows = 4000;
constexpr int64_t kStripeRows = 1000;

// Ascending keys, of which the writer keeps statistics.
class OverlayStatistics : public testing::Test {
 protected:
  void SetUp() override {
    Write("a.dsi", {"time", "score", "id"}, 0, {});
    Write("b.dsi", {"time", "score", "id"}, kRows, {});
    // Scores are better ones, far from those of the base; "fresh" is new.
    const auto base = Reader::Open(folder_.File("a.dsi"));
    Write("a.over.dsi", {"score", "fresh"}, 1'000'000, *BindOverlay(**base));
    // Of two of four stripes.
    const auto other = Reader::Open(folder_.File("b.dsi"));
    const std::vector<OverlayRows> rows = {{kStripeRows, 3 * kStripeRows}};
    Write("b.over.dsi", {"score", "fresh"}, 2'000'000, *BindOverlay(**other, rows));
    const auto found = Dataset::Open(folder_.path());
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    found_ = folder_.path();
    folder_.PutText("all.json", *(*found)->Manifest(folder_.path()));
    told_ = folder_.File("all.json");
  }

  void Write(const std::string& name, const std::vector<std::string>& features, int64_t first,
             const std::optional<OverlayBinding>& overlay) {
    Schema schema;
    for (const std::string& feature : features)
      schema.features.push_back(OneColumn(feature, Kind::kKey, Type::kInt64));
    WriterOptions options;
    options.stripe_rows = kStripeRows;
    options.keep_order = true;
    options.overlay = overlay;
    std::vector<std::byte> bytes;
    const auto writer = Writer::Create(CreateMemoryFile(&bytes, name), schema, options);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    uint64_t num_rows = kRows;
    if (overlay) num_rows = overlay->rows[0].end - overlay->rows[0].begin;
    std::vector<int64_t> numbers;
    for (uint64_t i = 0; i < num_rows; ++i) numbers.push_back(first + static_cast<int64_t>(i));
    std::vector<FeatureColumns> columns(features.size());
    for (size_t f = 0; f < features.size(); ++f)
      columns[f] = {.feature = f, .values = {numbers.data()}};
    ASSERT_TRUE((*writer)->AppendColumns(num_rows, columns).ok());
    const auto report = (*writer)->Finish();
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    folder_.Put(name, bytes);
  }

  struct Read {
    uint64_t rows = 0;
    uint64_t reads = 0;
    uint64_t stripes_skipped = 0;
    uint64_t planned_skipped = 0;
    uint64_t planned_reads = 0;
    uint64_t files_skipped = 0;
  };
  static Read Scan(const std::string& where, const std::vector<Predicate>& filter) {
    const auto dataset = Dataset::Open(where);
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    DatasetScanOptions options;
    options.scan.features = {{.name = "id", .layout = Layout::kPadded}};
    options.scan.filter.where = filter;
    const auto scan = (*dataset)->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    Read read;
    while (*(*scan)->Next(&batch)) read.rows += batch.num_rows();
    const auto plan = (*dataset)->Plan(options);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    read.reads = (*scan)->stats().reads;
    read.stripes_skipped = (*scan)->stats().stripes_skipped;
    read.planned_skipped = plan->reads.stripes_skipped;
    read.planned_reads = plan->reads.reads;
    read.files_skipped = plan->files_skipped;
    return read;
  }

  DatasetFolder folder_;
  std::string found_, told_;  // By its folder, and by a manifest of it.
};

TEST_F(OverlayStatistics, DS042StripesAreSkippedByThoseOfTheOverlay) {
  // One stripe of eight has such scores, which are the overlay's.
  const std::vector<Predicate> filter = {{"score", Compare::kGreaterEqual, int64_t{1'003'000}},
                                         {"score", Compare::kLess, int64_t{2'000'000}}};
  const Read found = Scan(found_, filter);
  EXPECT_EQ(found.rows, 1000U);
  EXPECT_EQ(found.stripes_skipped, 7U);
  EXPECT_EQ(found.planned_skipped, 7U);
  // Scores and ids of that stripe.
  EXPECT_EQ(found.reads, 2U);
  EXPECT_EQ(found.planned_reads, 2U);
  // By a manifest the other file is not opened.
  const Read told = Scan(told_, filter);
  EXPECT_EQ(told.rows, 1000U);
  EXPECT_EQ(told.reads, 2U);
  EXPECT_EQ(told.planned_skipped, 7U);
  EXPECT_EQ(told.files_skipped, 1U);
}

TEST_F(OverlayStatistics, DS042TheBaseIsNotAskedAboutWhatAnOverlayHas) {
  for (const std::string& where : {found_, told_}) {
    // No row has a score as its base has it, but in the stripes that no overlay has.
    const Read low = Scan(where, {{"score", Compare::kLess, int64_t{2 * kRows}}});
    EXPECT_EQ(low.rows, 2U * kStripeRows) << where;
    EXPECT_EQ(low.planned_skipped, 6U);
    const Read high = Scan(where, {{"score", Compare::kGreaterEqual, int64_t{1'000'000}}});
    EXPECT_EQ(high.rows, kRows + 2U * kStripeRows) << where;
    EXPECT_EQ(high.planned_skipped, 2U);
    const Read none = Scan(where, {{"score", Compare::kGreater, int64_t{3'000'000}}});
    EXPECT_EQ(none.rows, 0U);
    EXPECT_EQ(none.reads, 0U);
    EXPECT_EQ(none.planned_skipped, 8U);
    EXPECT_EQ(none.files_skipped, where == told_ ? 2U : 0U);
  }
}

// Both a feature of the base and one of the overlay.
TEST_F(OverlayStatistics, DS042EachFileJudgesWhatItHas) {
  for (const std::string& where : {found_, told_}) {
    const Read one = Scan(where, {{"time", Compare::kLess, int64_t{500}},
                                  {"fresh", Compare::kGreaterEqual, int64_t{1'000'400}}});
    EXPECT_EQ(one.rows, 100U) << where;
    EXPECT_EQ(one.planned_skipped, 7U);
    const Read apart = Scan(where, {{"time", Compare::kLess, int64_t{500}},
                                    {"fresh", Compare::kGreaterEqual, int64_t{1'001'000}}});
    EXPECT_EQ(apart.rows, 0U) << where;
    EXPECT_EQ(apart.reads, 0U);
    // None of both rules out a stripe by what it knows of an alternative; but each does by all.
    Predicate either{.column = "time", .compare = Compare::kLess, .value = int64_t{500}};
    either.alternatives = {{"fresh", Compare::kGreaterEqual, int64_t{1'001'000}}};
    const Read any = Scan(where, {either});
    EXPECT_EQ(any.rows, 500U + 3U * kStripeRows + 2U * kStripeRows) << where;
    either.alternatives = {{"time", Compare::kEqual, int64_t{-3}}};
    EXPECT_EQ(Scan(where, {either}).rows, 500U) << where;
    EXPECT_EQ(Scan(where, {either}).planned_skipped, 7U) << where;
    // Stripes without the overlay have no such feature, and pass no comparison of it.
    const Read fresh = Scan(where, {{"fresh", Compare::kGreaterEqual, int64_t{0}}});
    EXPECT_EQ(fresh.rows, kRows + 2U * kStripeRows) << where;
    EXPECT_EQ(fresh.planned_skipped, 2U);
  }
}

}  // namespace
}  // namespace dsi::test
