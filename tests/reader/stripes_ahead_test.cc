// Helpers begin with stripes before their rows are come to: as many as there are helpers and
// memory, and none that may not be wanted.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tests/support/told_file.h"

namespace dsi::test {
namespace {

constexpr uint32_t kStripes = 8;
constexpr int64_t kStripeRows = 1000;

class StripesAheadTest : public ::testing::Test {
 protected:
  StripesAheadTest() {
    Schema schema;
    schema.features = {Feature("row", Kind::kKey, {{"", Type::kInt64, ""}}),
                       Feature("list", Kind::kList, {{"", Type::kInt64, ""}})};
    // Rows repeat each other in any order: an index and lists are decoded whole for the stripe.
    std::mt19937_64 random(1);
    std::vector<std::vector<int64_t>> lists(300, std::vector<int64_t>(20));
    for (std::vector<int64_t>& list : lists) {
      for (int64_t& value : list) value = static_cast<int64_t>(random());
    }
    bytes_ =
        FileOfRows(schema, kStripes * kStripeRows, kStripeRows, [&](int64_t row, RowBatch* rows) {
          EXPECT_TRUE(rows->SetInt(0, row).ok());
          EXPECT_TRUE(rows->SetInts(1, 0, lists[random() % lists.size()]).ok());
        });
    EditableFile file(bytes_);
    std::vector<std::pair<uint64_t, uint64_t>> stripes;
    for (uint32_t i = 0; i < kStripes; ++i) {
      const uint64_t begin = file.stripe(i).data_offset();
      stripes.push_back({begin, begin + file.stripe(i).data_size()});
    }
    on_read_ = [this, stripes](uint64_t offset, uint64_t) {
      const std::lock_guard lock(mutex_);
      for (uint32_t i = 0; i < kStripes; ++i) {
        if (offset >= stripes[i].first && offset < stripes[i].second) read_.insert(i);
      }
    };
    auto reader = Reader::Open(std::make_unique<ToldFile>(bytes_, SourceCosts{}, &on_read_), {});
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    reader_ = *std::move(reader);
    read_.clear();  // The end of the file, which stays in memory: nothing of it is read again.
    options_.batch_size = 100;
    options_.features = {{.name = "row"}, {.name = "list", .layout = Layout::kJagged}};
  }

  std::set<uint32_t> Read() {
    const std::lock_guard lock(mutex_);
    return read_;
  }
  // Helpers are waited for where so many stripes are expected.
  void ExpectRead(size_t count) {
    for (int i = 0; i < 1000 && Read().size() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::set<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) expected.insert(i);
    EXPECT_EQ(Read(), expected);
  }

  std::vector<std::byte> bytes_;
  ToldFile::Tell on_read_;
  std::mutex mutex_;
  std::set<uint32_t> read_;
  std::unique_ptr<Reader> reader_;
  ScanOptions options_;
};

TEST_F(StripesAheadTest, AsManyAsThereAreHelpers) {
  options_.threads = 4;
  auto scan = reader_->NewScan(options_);
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  ExpectRead(4);
  // A stripe is begun when the first of these is taken, until there are no more.
  for (int64_t row = 100; row <= kStripeRows; row += 100) ASSERT_TRUE(*(*scan)->Next(&batch));
  ExpectRead(5);
  for (int64_t row = kStripeRows + 100; row < kStripes * kStripeRows; row += 100)
    ASSERT_TRUE(*(*scan)->Next(&batch));
  EXPECT_FALSE(*(*scan)->Next(&batch));
}

TEST_F(StripesAheadTest, NotBehindTheRowsAskedFor) {
  options_.threads = 4;
  options_.row_end = kStripeRows + 1;
  auto scan = reader_->NewScan(options_);
  Batch batch;
  while (*(*scan)->Next(&batch)) {
  }
  ExpectRead(2);
}

TEST_F(StripesAheadTest, NoneWithoutHelpersOrMemoryOrWithAFilter) {
  std::vector<ScanOptions> ways(3, options_);
  ways[1].threads = 4;
  ways[1].memory_bytes = 240'000;  // Two stripes are expected to take more than half of it.
  ways[2].threads = 4;
  ways[2].filter.where = {{"row", Compare::kGreaterEqual, 0}};
  for (const ScanOptions& options : ways) {
    read_.clear();
    auto scan = reader_->NewScan(options);
    Batch batch;
    ASSERT_TRUE(*(*scan)->Next(&batch)) << scan.status().ToString();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ExpectRead(1);
  }
}

// Helpers never take what a scan of one thread has.
TEST_F(StripesAheadTest, ThreeTimesTheLeastMemoryIsAlwaysEnough) {
  const auto all_come = [&](uint64_t memory_bytes, uint32_t threads) {
    options_.memory_bytes = memory_bytes;
    options_.threads = threads;
    auto scan = reader_->NewScan(options_);
    if (!scan.ok()) return false;
    Batch batch;
    for (;;) {
      const auto more = (*scan)->Next(&batch);
      if (!more.ok() || !*more) return more.ok();
    }
  };
  uint64_t least = 50'000;
  while (!all_come(least, 1)) least += least / 10;
  for (uint64_t bytes = 3 * least; bytes < 40 * least; bytes += bytes / 7) {
    for (const uint32_t threads : {2U, 4U, 8U})
      EXPECT_TRUE(all_come(bytes, threads)) << threads << " threads, " << bytes << " bytes";
  }
}

}  // namespace
}  // namespace dsi::test
