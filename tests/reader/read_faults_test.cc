// Files whose reads fail, one after the other: always an error with the file's name, never a wrong
// value; and a reader is as good as before once its file is.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/counting_file.h"
#include "dsi/tests/support/fault_file.h"

namespace dsi::test {
namespace {

// Everything that reads, in turn, and what it said; a new reader each time.
struct Reading {
  const char* name;
  std::function<Status(const Reader&)> run;
};

// Bytes of all batches one after the other, so that two scans can be compared.
Status ScanInto(const Reader& reader, const ScanOptions& options, std::string* bytes) {
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return scan.status();
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) {
      EXPECT_EQ(batch.num_rows(), 0U);
      EXPECT_FALSE((*scan)->Next(&batch).ok()) << "the scan went on";
      return more.status();
    }
    if (!*more) return Status::Ok();
    for (const Projection& projection : options.features) {
      const auto view = batch.Jagged(projection.name);
      EXPECT_TRUE(view.ok()) << view.status().ToString();
      const auto size = view->num_values * static_cast<size_t>(TypeWidth(view->dtype));
      bytes->append(static_cast<const char*>(view->values), size);
      bytes->append(reinterpret_cast<const char*>(view->offsets), 8 * (view->rows + 1));
    }
  }
}

ScanOptions SomeColumns() {
  ScanOptions options;
  options.batch_size = 30;
  for (const char* name : {"user.clicks", "user.history.time", "topics.weights", "query", "label"})
    options.features.push_back({.name = name, .layout = Layout::kJagged});
  return options;
}

ScanOptions Filtered() {
  ScanOptions options = SomeColumns();
  options.filter.where = {{"label", Compare::kEqual, 1}};
  return options;
}

std::vector<Reading> Readings() {
  std::vector<Reading> readings;
  const auto add = [&](const char* name, std::function<Status(const Reader&)> run) {
    readings.push_back({name, std::move(run)});
  };
  const auto scan = [](ScanOptions options) {
    return [options](const Reader& reader) {
      std::string bytes;
      return ScanInto(reader, options, &bytes);
    };
  };
  add("scan", scan(SomeColumns()));
  add("filtered scan", scan(Filtered()));
  add("count", [](const Reader& r) { return r.CountRows(Filtered()).status(); });
  add("plan", [](const Reader& r) { return r.Plan(SomeColumns()).status(); });
  add("verify", [](const Reader& r) { return r.Verify().status(); });
  add("columns", [](const Reader& r) { return r.Columns().status(); });
  add("groups", [](const Reader& r) { return r.Groups().status(); });
  add("schema", [](const Reader& r) { return r.schema().status(); });
  add("dedup", [](const Reader& r) { return r.Dedup().status(); });
  add("metadata", [](const Reader& r) { return r.Metadata().status(); });
  add("streams", [](const Reader& r) { return r.Streams("").status(); });
  add("find", [](const Reader& r) { return r.FindColumn("topics.ids").status(); });
  return readings;
}

// From memory, and from where reads are gathered to save steps.
class ReadFaultsTest : public ::testing::TestWithParam<SourceCosts> {
 protected:
  Result<std::unique_ptr<Reader>> Open(ReadFaults faults) {
    calls_ = 0;
    return Reader::Open(WithReadFaults(std::make_unique<CountingFile>(
                                           OpenMemoryFile(bytes_, "sample"), GetParam(), &counts_),
                                       std::move(faults), &calls_),
                        // Small reads, so that there are many to fail.
                        {.coalesce_gap = 0, .max_read_bytes = 512});
  }
  std::vector<std::byte> bytes_ = SampleFile(200, 70);
  std::atomic<uint64_t> calls_{0};
  ReadCounts counts_;
};
INSTANTIATE_TEST_SUITE_P(Sources, ReadFaultsTest,
                         ::testing::Values(kMemoryCosts, kLocalCosts, kS3Costs));

TEST_P(ReadFaultsTest, EveryReadInTurn) {
  for (const Reading& reading : Readings()) {
    uint64_t calls = 0;
    {
      const auto reader = Open({});
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      ASSERT_TRUE(reading.run(**reader).ok()) << reading.name;
      calls = calls_;
    }
    ASSERT_GT(calls, 0U);
    for (uint64_t call = 0; call < calls; ++call) {
      SCOPED_TRACE(std::string(reading.name) + ", read " + std::to_string(call));
      const auto reader = Open({.fail_call = call});
      if (!reader.ok()) {
        EXPECT_EQ(reader.status().code(), StatusCode::kIo);
        continue;
      }
      const Status status = reading.run(**reader);
      EXPECT_EQ(status.code(), StatusCode::kIo) << status.ToString();
      EXPECT_NE(status.message().find("sample"), std::string::npos) << status.message();
      // The disk is well again, and nothing was remembered of its failure.
      const Status again = reading.run(**reader);
      EXPECT_TRUE(again.ok()) << again.ToString();
    }
  }
}

TEST_P(ReadFaultsTest, AFailedScanLeavesNoWrongRowsToTheNext) {
  std::string expected;
  uint64_t calls = 0;
  {
    const auto reader = Open({});
    ASSERT_TRUE(ScanInto(**reader, SomeColumns(), &expected).ok());
    calls = calls_;
  }
  for (uint64_t call = 0; call < calls; ++call) {
    const auto reader = Open({.fail_call = call});
    if (!reader.ok()) continue;
    std::string bytes;
    ASSERT_FALSE(ScanInto(**reader, SomeColumns(), &bytes).ok());
    ASSERT_EQ(expected.compare(0, bytes.size(), bytes), 0) << "read " << call;
    bytes.clear();
    ASSERT_TRUE(ScanInto(**reader, SomeColumns(), &bytes).ok());
    ASSERT_EQ(bytes, expected) << "read " << call;
  }
}

TEST_P(ReadFaultsTest, CutWhileOpen) {
  for (uint64_t end = 0; end < bytes_.size(); end += 61) {
    const auto cut = Open({.cut_at = end});
    ASSERT_FALSE(cut.ok()) << "cut at " << end;
    const auto reader = Open({.shorten_to = end});
    if (!reader.ok()) {
      EXPECT_EQ(reader.status().code(), StatusCode::kTruncated) << reader.status().ToString();
      continue;
    }
    const Status status = (*reader)->Verify().status();
    EXPECT_EQ(status.code(), StatusCode::kTruncated) << "shortened to " << end;
  }
}

// A bit that flips on the way, here and there: found, and found again when it is gone for good.
TEST_P(ReadFaultsTest, FlippedOnTheWay) {
  std::string expected;
  {
    const auto reader = Open({});
    ASSERT_TRUE(ScanInto(**reader, SomeColumns(), &expected).ok());
  }
  for (uint64_t bit = 3; bit < 8 * bytes_.size(); bit += 8 * 37 + 1) {
    const auto reader = Open({.flip_bits = {bit}});
    if (!reader.ok()) continue;
    std::string bytes;
    const Status status = ScanInto(**reader, SomeColumns(), &bytes);
    if (status.ok()) {
      EXPECT_EQ(bytes, expected) << "bit " << bit;
    } else {
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.ToString();
    }
    const auto damages = (*reader)->Verify();
    EXPECT_TRUE(!damages.ok() || !damages->empty()) << "bit " << bit;
  }
}

}  // namespace
}  // namespace dsi::test
