// What reading takes besides time: the sizes of reads, memory held, budgets. Held from outside, by
// looking at the file and the heap while a scan runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/fault_file.h"
#include "dsi/tests/support/heap_use.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

constexpr uint32_t kPageValues = 1024;
constexpr uint64_t kPageBytes = 8 * kPageValues + 64;  // Of numbers that nothing makes smaller.

// Columns a and b of random numbers of 8 bytes, a list l of them, and group g of c, which changes
// every fourth row.
std::vector<std::byte> NoiseFile(uint32_t num_rows, uint32_t stripe_rows) {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "a", "kind": "key", "type": "uint64"},
    {"name": "b", "kind": "key", "type": "uint64"},
    {"name": "l", "kind": "list", "type": "uint64"},
    {"name": "c", "kind": "key", "type": "uint64"}],
    "groups": [{"name": "g", "features": ["c"]}]})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.stripe_rows = stripe_rows;
  options.page_values = kPageValues;
  options.threads = 1;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "noise"), *schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  std::mt19937_64 random(1);
  uint64_t c = 0;
  for (uint32_t i = 0; i < num_rows; ++i) {
    if (i % 4 == 0) c = random();
    const uint64_t list[] = {random(), random()};
    EXPECT_TRUE(rows.SetUint(0, random()).ok());
    EXPECT_TRUE(rows.SetUint(1, random()).ok());
    EXPECT_TRUE(rows.SetUints(2, 0, std::span(list).first(i % 3)).ok());
    EXPECT_TRUE(rows.SetUint(3, c).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

std::unique_ptr<Reader> OpenWith(const std::vector<std::byte>& bytes, ReadFaults faults,
                                 const ReaderOptions& options) {
  auto reader =
      Reader::Open(WithReadFaults(OpenMemoryFile(bytes, "noise"), std::move(faults)), options);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return reader.ok() ? *std::move(reader) : nullptr;
}

ScanOptions Project(const std::vector<std::string>& names) {
  ScanOptions options;
  options.batch_size = 1000;
  for (const std::string& name : names)
    options.features.push_back({.name = name, .layout = Layout::kJagged});
  return options;
}

// The status a scan ends with; `look` is called after each batch.
Status Drain(const Reader& reader, const ScanOptions& options, ScanStats* stats,
             const std::function<void()>& look = {}) {
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return scan.status();
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    if (look) look();
    if (stats != nullptr) *stats = (*scan)->stats();
    if (!more.ok()) return more.status();
    if (!*more) return Status::Ok();
  }
}

class ResourcesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    one_stripe_ = new std::vector<std::byte>(NoiseFile(100'000, 1 << 20));
    many_stripes_ = new std::vector<std::byte>(NoiseFile(100'000, 2'000));
  }
  static void TearDownTestSuite() {
    delete one_stripe_;
    delete many_stripes_;
    one_stripe_ = many_stripes_ = nullptr;
  }
  static std::vector<std::byte>* one_stripe_;
  static std::vector<std::byte>* many_stripes_;
};
std::vector<std::byte>* ResourcesTest::one_stripe_ = nullptr;
std::vector<std::byte>* ResourcesTest::many_stripes_ = nullptr;

TEST_F(ResourcesTest, ReadsAreNoLongerThanAsked) {
  for (const uint64_t max_read : {uint64_t{1}, 3 * kPageBytes, uint64_t{1} << 20}) {
    uint64_t longest = 0;
    uint64_t reads = 0;
    const auto reader = OpenWith(*one_stripe_,
                                 {.on_read =
                                      [&](uint64_t, uint64_t size) {
                                        longest = std::max(longest, size);
                                        ++reads;
                                      }},
                                 {.max_read_bytes = max_read});
    ScanStats stats;
    const auto plan = reader->Plan(Project({"a", "l"}));
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    longest = reads = 0;
    ASSERT_TRUE(Drain(*reader, Project({"a", "l"}), &stats).ok());
    // A page is read in one go, however short reads shall be.
    EXPECT_LE(longest, std::max(max_read, kPageBytes)) << "max_read_bytes " << max_read;
    EXPECT_GE(longest, std::min(max_read, stats.bytes_needed) / 2);
    EXPECT_EQ(stats.reads, plan->ranges.size());
    for (const ReadPlan::Range& range : plan->ranges)
      EXPECT_LE(range.size, std::max(max_read, kPageBytes));
  }
}

TEST_F(ResourcesTest, EachPageIsReadOnceAndNoGap) {
  for (const std::vector<std::byte>* file : {one_stripe_, many_stripes_}) {
    const auto reader = OpenWith(*file, {}, {.coalesce_gap = 0, .max_read_bytes = 8 << 20});
    ScanStats stats;
    ASSERT_TRUE(Drain(*reader, Project({"a", "l"}), &stats).ok());
    EXPECT_EQ(stats.bytes_read, stats.bytes_needed);
    const auto wide = OpenWith(*file, {}, {.coalesce_gap = 4 << 20, .max_read_bytes = 8 << 20});
    ScanStats with_gaps;
    ASSERT_TRUE(Drain(*wide, Project({"a", "l"}), &with_gaps).ok());
    EXPECT_EQ(with_gaps.bytes_needed, stats.bytes_needed);
    EXPECT_GT(with_gaps.bytes_read, stats.bytes_read);
    EXPECT_LT(with_gaps.reads, stats.reads);
  }
}

// 100,000 rows are 800 kB of `a` and of `b` and 200 kB of `c`; a batch needs 1,000 of them.
TEST_F(ResourcesTest, RangesAreGivenBackWhenTheirPagesAreDone) {
  if (HeapInUse() == 0) GTEST_SKIP() << "no figure of the heap";
  // Blocks of this size are not kept for the next one that needs them.
  constexpr uint64_t kMaxRead = 3 * kPageBytes;
  for (const std::vector<std::byte>* file : {one_stripe_, many_stripes_}) {
    std::unique_ptr<HeapMeter> meter;
    const auto reader = OpenWith(*file,
                                 {.on_read =
                                      [&](uint64_t, uint64_t) {
                                        if (meter != nullptr) meter->Look();
                                      }},
                                 {.coalesce_gap = 0, .max_read_bytes = kMaxRead});
    const ScanOptions options = Project({"a", "b", "l", "c"});
    ASSERT_TRUE(Drain(*reader, options, nullptr).ok());  // What is read once and kept.
    meter = std::make_unique<HeapMeter>();
    ScanStats stats;
    ASSERT_TRUE(Drain(*reader, options, &stats, [&] { meter->Look(); }).ok());
    EXPECT_GT(stats.bytes_needed, 2'400'000U);
    EXPECT_LT(meter->peak(), 900'000U) << stats.bytes_needed << " bytes of pages";
  }
}

// Every page is decoded into a window that moves on: what was handed out is dropped.
TEST_F(ResourcesTest, DecodedRowsAreDropped) {
  ScanOptions options = Project({"a", "b", "l", "c"});
  options.memory_bytes = 400'000;
  for (const std::vector<std::byte>* file : {one_stripe_, many_stripes_}) {
    const auto reader = OpenWith(*file, {}, {.coalesce_gap = 0, .max_read_bytes = 1});
    const Status status = Drain(*reader, options, nullptr);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

// The same with a filter, whose columns are read ahead by themselves.
TEST_F(ResourcesTest, DecodedRowsOfFiltersAreDropped) {
  ScanOptions options = Project({"a", "l"});
  options.filter.where = {{"b", Compare::kGreater, uint64_t{1} << 62}};
  options.memory_bytes = 600'000;
  for (const std::vector<std::byte>* file : {one_stripe_, many_stripes_}) {
    const auto reader = OpenWith(*file, {}, {.coalesce_gap = 0, .max_read_bytes = 1});
    Status status = Drain(*reader, options, nullptr);
    EXPECT_TRUE(status.ok()) << status.ToString();
    status = reader->CountRows(options).status();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

// A batch over many stripes needs a decoder for each; the next batches need one or two.
TEST_F(ResourcesTest, DecodersOfStripesAreReleased) {
  ScanOptions options = Project({"a", "l"});
  const auto reader = OpenWith(*many_stripes_, {}, {.coalesce_gap = 0, .max_read_bytes = 1});
  for (const uint32_t batch_size : {1000U, 1999U, 2000U, 3000U}) {
    options.batch_size = batch_size;
    // Blocks of memory that wait for whoever comes may be twice as large as what is asked for.
    options.memory_bytes = 350'000;
    const Status status = Drain(*reader, options, nullptr);
    EXPECT_TRUE(status.ok()) << batch_size << ": " << status.ToString();
  }
  if (HeapInUse() == 0) GTEST_SKIP() << "no figure of the heap";
  HeapMeter meter;
  options.batch_size = 1000;
  options.memory_bytes = 4 << 20;
  ASSERT_TRUE(Drain(*reader, options, nullptr, [&] { meter.Look(); }).ok());
  EXPECT_LT(meter.peak(), 600'000U);
}

TEST_F(ResourcesTest, NothingIsHeldAfterTheScan) {
  if (HeapInUse() == 0) GTEST_SKIP() << "no figure of the heap";
  const auto reader = OpenWith(*many_stripes_, {}, {.coalesce_gap = 0, .max_read_bytes = 1});
  const ScanOptions options = Project({"a", "b", "l", "c"});
  ASSERT_TRUE(Drain(*reader, options, nullptr).ok());
  HeapMeter meter;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Drain(*reader, options, nullptr).ok());
  meter.Look();
  EXPECT_LT(meter.peak(), 50'000U);
}

TEST_F(ResourcesTest, VerifyHoldsLittle) {
  if (HeapInUse() == 0) GTEST_SKIP() << "no figure of the heap";
  std::unique_ptr<HeapMeter> meter;
  const auto reader = OpenWith(*many_stripes_,
                               {.on_read =
                                    [&](uint64_t, uint64_t) {
                                      if (meter != nullptr) meter->Look();
                                    }},
                               {});
  ASSERT_TRUE(reader->Verify().ok());
  meter = std::make_unique<HeapMeter>();
  const auto damages = reader->Verify();
  ASSERT_TRUE(damages.ok() && damages->empty());
  EXPECT_LT(meter->peak(), 900'000U) << many_stripes_->size() << " bytes of file";
}

}  // namespace
}  // namespace dsi::test
