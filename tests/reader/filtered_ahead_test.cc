// What a filter looks at is read ahead, and of the rest what it is likely to want: the same rows
// come out, and little is read for nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tests/support/told_file.h"

namespace dsi::test {
namespace {

constexpr int64_t kStripeRows = 1000;
constexpr uint32_t kStripes = 10;
constexpr uint32_t kNeedleStripe = 6;
// Many times what the columns of a filter take in a stripe; the lists take 160 KB there.
constexpr uint64_t kFewBytes = 20'000;

std::vector<std::byte> MakeFile() {
  Schema schema;
  schema.features = {Feature("row", Kind::kKey, {{"", Type::kInt64, ""}}),
                     Feature("digit", Kind::kDense, {{"", Type::kInt8, ""}}),
                     Feature("list", Kind::kList, {{"", Type::kInt64, ""}})};
  std::mt19937_64 random(1);
  std::vector<int64_t> list(20);
  return FileOfRows(schema, kStripes * kStripeRows, kStripeRows, [&](int64_t row, RowBatch* rows) {
    for (int64_t& value : list) value = static_cast<int64_t>(random());
    // Each stripe has 0 to 9, but for 7, which only one has.
    int64_t digit = static_cast<int64_t>(random() % 10);
    if (digit == 7 && row / kStripeRows != kNeedleStripe) digit = 6;
    EXPECT_TRUE(rows->SetInt(0, row).ok() && rows->SetInt(1, digit).ok());
    EXPECT_TRUE(rows->SetInts(2, 0, list).ok());
  });
}

class FilteredAheadTest : public ::testing::Test {
 protected:
  FilteredAheadTest() {
    static const std::vector<std::byte> made = MakeFile();
    bytes_ = made;
    EditableFile file(bytes_);
    for (uint32_t i = 0; i < kStripes; ++i) {
      const uint64_t begin = file.stripe(i).data_offset();
      stripes_.push_back({begin, begin + file.stripe(i).data_size()});
    }
    on_read_ = [this](uint64_t offset, uint64_t size) {
      const std::lock_guard lock(mutex_);
      for (uint32_t i = 0; i < kStripes; ++i) {
        if (offset < stripes_[i].first || offset >= stripes_[i].second) continue;
        read_[i] += size;
        readers_[i].insert(std::this_thread::get_id());
      }
    };
  }

  // Numbers of the rows, of batches that are taken so slowly that what is ahead is read meanwhile.
  std::vector<int64_t> Rows(const RowFilter& filter, uint64_t read_ahead_bytes,
                            uint32_t threads = 1) {
    auto reader = Reader::Open(
        std::make_unique<ToldFile>(bytes_, SourceCosts{2e-3, 1e6}, &on_read_), {.coalesce_gap = 0});
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    read_.clear();
    readers_.clear();
    ScanOptions options;
    options.batch_size = batch_size_;
    options.features = {{.name = "row", .layout = Layout::kJagged},
                        {.name = "list", .layout = Layout::kPadded, .width = 3000}};
    options.filter = filter;
    options.threads = threads;
    options.read_ahead_bytes = read_ahead_bytes;
    std::vector<int64_t> found;
    auto scan = (*reader)->NewScan(options);
    EXPECT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    while (*(*scan)->Next(&batch)) {
      const auto* const numbers = static_cast<const int64_t*>(batch.Jagged(0)->values);
      found.insert(found.end(), numbers, numbers + batch.num_rows());
      if (read_ahead_bytes != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return found;
  }

  uint32_t batch_size_ = 100;
  std::vector<std::byte> bytes_;
  std::vector<std::pair<uint64_t, uint64_t>> stripes_;
  ToldFile::Tell on_read_;
  std::mutex mutex_;
  std::map<uint32_t, uint64_t> read_;  // Bytes by stripe.
  std::map<uint32_t, std::set<std::thread::id>> readers_;
};

constexpr uint64_t kAhead = 16 << 20;

TEST_F(FilteredAheadTest, RowsAreThoseOfAScanWithoutIt) {
  std::vector<RowFilter> filters(5);
  filters[0].where = {{"digit", Compare::kLess, 5}};
  filters[1].where = {{"digit", Compare::kEqual, 7}};
  filters[2].where = {{"row", Compare::kGreaterEqual, 3500}, {"digit", Compare::kNotEqual, 1}};
  filters[3].sample = {{.when = {}, .keep = 0.2}};
  filters[4].where = {{"row", Compare::kLess, 7300}};
  filters[4].sample = {{.when = {{"digit", Compare::kEqual, 0}}, .keep = 0.5}};
  for (size_t i = 0; i < filters.size(); ++i) {
    const std::vector<int64_t> expected = Rows(filters[i], 0);
    EXPECT_GT(expected.size(), 50U);
    for (const uint64_t ahead : {uint64_t{1}, uint64_t{1} << 20, kAhead}) {
      for (const uint32_t threads : {1U, 3U})
        EXPECT_EQ(Rows(filters[i], ahead, threads), expected) << i << ", " << ahead;
    }
  }
}

TEST_F(FilteredAheadTest, OthersReadWhatTheScanComesTo) {
  std::vector<RowFilter> filters(2);
  filters[0].where = {{"digit", Compare::kLess, 9}};
  filters[1].sample = {{.when = {}, .keep = 0.9}};
  for (const RowFilter& filter : filters) {
    EXPECT_FALSE(Rows(filter, kAhead).empty());
    const std::thread::id scan = *readers_[0].begin();
    EXPECT_EQ(readers_[0].size(), 1U);
    int others = 0;
    for (uint32_t i = 3; i < kStripes; ++i) others += readers_[i].contains(scan) ? 0 : 1;
    EXPECT_GT(others, static_cast<int>(kStripes - 3) / 2);
  }
}

// Of the others only what the filter looks at; the end of the file is read with the directory.
TEST_F(FilteredAheadTest, OfStripesWithoutRowsOnlyTheFilterIsRead) {
  batch_size_ = 10;  // So that batches are made before the filter has looked at all stripes.
  EXPECT_GT(Rows({.where = {{"digit", Compare::kEqual, 7}}}, kAhead).size(), 50U);
  for (uint32_t i = 0; i < kStripes; ++i) {
    if (i == kNeedleStripe) {
      EXPECT_GT(read_[i], kFewBytes);
    } else {
      EXPECT_LT(read_[i], kFewBytes) << i;
      EXPECT_TRUE(read_[i] > 0 || i == kStripes - 1) << i;
    }
  }
}

TEST_F(FilteredAheadTest, OfStripesThatStatisticsRuleOutNothingIsRead) {
  const std::vector<int64_t> rows =
      Rows({.where = {{"row", Compare::kGreaterEqual, 2 * kStripeRows},
                      {"row", Compare::kLess, 6 * kStripeRows},
                      {"digit", Compare::kLess, 9}}},
           kAhead);
  ASSERT_FALSE(rows.empty());
  EXPECT_GE(rows.front(), 2 * kStripeRows);
  EXPECT_LT(rows.back(), 6 * kStripeRows);
  for (uint32_t i = 0; i < kStripes; ++i) {
    if (i >= 2 && i < 6) {
      EXPECT_GT(read_[i], kFewBytes) << i;
    } else {
      EXPECT_EQ(read_[i], 0U) << i;
    }
  }
}

}  // namespace
}  // namespace dsi::test
