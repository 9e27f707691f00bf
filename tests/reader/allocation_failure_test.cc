// Every public call of the reader with every allocation of it failing in turn, once and for ever:
// an error or success, never an exception, never a wrong end.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/fail_each.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {
namespace {

class AllocationFailure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    bytes_ = new std::vector<std::byte>(WriteTable(HistoryTable(3, 700), StripesOf(300)));
  }
  static void TearDownTestSuite() {
    delete bytes_;
    bytes_ = nullptr;
  }
  static std::unique_ptr<Reader> Open(const ReaderOptions& options = {}) {
    auto reader = Reader::Open(OpenMemoryFile(*bytes_, "file"), options);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    return *std::move(reader);
  }

  static std::vector<std::byte>* bytes_;
};
std::vector<std::byte>* AllocationFailure::bytes_ = nullptr;

TEST_F(AllocationFailure, OpenSlow) {
  // The file is the caller's, made without failures.
  for (const bool for_ever : {false, true}) {
    bool failed = true;
    for (uint64_t number = 0; failed; ++number) {
      auto file = OpenMemoryFile(*bytes_, "a name that is longer than a short string");
      FailAllocation(number, for_ever);
      const auto reader = Reader::Open(std::move(file));
      failed = EndFailures();
      ASSERT_EQ(reader.ok(), !failed) << number << ": " << reader.status().ToString();
      if (failed) {
        ASSERT_EQ(reader.status().code(), StatusCode::kResourceExhausted) << number;
      }
    }
  }
}

TEST_F(AllocationFailure, WhatTellsAboutTheFileSlow) {
  // A fresh reader each time: what it has looked at stays with it.
  std::unique_ptr<Reader> reader;
  const auto fresh = [&](const char* what, const std::function<Status(const Reader&)>& call) {
    for (const bool for_ever : {false, true}) {
      bool failed = true;
      for (uint64_t number = 0; failed; number += 1 + number / 50) {
        reader = Open();
        FailAllocation(number, for_ever);
        const Status status = call(*reader);
        failed = EndFailures();
        if (!failed) {
          EXPECT_TRUE(status.ok()) << what << ": " << status.ToString();
        } else if (!status.ok()) {
          EXPECT_EQ(status.code(), StatusCode::kResourceExhausted)
              << what << ", allocation " << number << ": " << status.ToString();
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
  };
  fresh("FindColumn", [](const Reader& r) { return r.FindColumn("label").status(); });
  fresh("Columns", [](const Reader& r) { return r.Columns().status(); });
  fresh("Groups", [](const Reader& r) { return r.Groups().status(); });
  fresh("schema", [](const Reader& r) { return r.schema().status(); });
  fresh("Dedup", [](const Reader& r) { return r.Dedup().status(); });
  fresh("Metadata", [](const Reader& r) { return r.Metadata().status(); });
  fresh("Streams", [](const Reader& r) { return r.Streams("").status(); });
  ScanOptions options;
  options.filter.where = {{"label", Compare::kEqual, 1}};
  fresh("Plan", [&](const Reader& r) { return r.Plan(options).status(); });
  fresh("CountRows", [&](const Reader& r) { return r.CountRows(options).status(); });
  fresh("NewScan", [&](const Reader& r) { return r.NewScan(options).status(); });
  fresh("Verify", [&](const Reader& r) {
    const auto damage = r.Verify();
    // Damage that is none would be a lie told for want of memory.
    if (damage.ok() && !damage->empty()) return Status(StatusCode::kCorrupt, "lie");
    return damage.status();
  });
}

Status ReadAll(const Reader& reader, const ScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  for (;;) {
    const auto more = scan->Next(&batch);
    if (!more.ok()) {
      // The end does not change, and there is no batch.
      if (scan->Next(&batch).ok() || batch.num_rows() != 0 || !batch.slab().empty())
        return {StatusCode::kCorrupt, "not over"};
      return more.status();
    }
    if (!*more) return Status::Ok();
  }
}

TEST_F(AllocationFailure, ScansSlow) {
  const auto reader = Open();
  const auto read = [&](const ScanOptions& options) { return ReadAll(*reader, options); };
  ScanOptions options;
  options.batch_size = 150;
  FailEach("all", [&] { return read(options); });
  options.features = {{.name = "label", .layout = Layout::kDense},
                      {.name = "user.history.item", .layout = Layout::kVbe},
                      {.name = "user.history.item", .layout = Layout::kKjt},
                      {.name = "topics.ids", .layout = Layout::kPaddedIkjt, .width = 3},
                      {.name = "item.words", .layout = Layout::kIkjt}};
  FailEach("deduplicated", [&] { return read(options); });
  options.batch_size = 20;
  options.filter.sample = {{.when = {}, .keep = 0.05}};
  FailEach("filtered", [&] { return read(options); });
}

// Nobody waits for what another thread could not do.
TEST_F(AllocationFailure, ScansAheadSlow) {
  // Many ranges, so that there are some before one that fails.
  const auto reader = Open({.coalesce_gap = 0, .max_read_bytes = 1});
  ScanOptions options;
  options.batch_size = 150;
  for (const uint32_t threads : {1U, 3U}) {
    options.threads = threads;
    options.read_ahead_bytes = 4 << 20;
    FailEach("ahead", [&] { return ReadAll(*reader, options); });
  }
}

TEST_F(AllocationFailure, ViewsSlow) {
  const auto reader = Open();
  auto scan = reader->NewScan({});
  ASSERT_TRUE(scan.ok());
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  FailAllocation(0, true);
  const StatusCode code =
      batch.Jagged("a column that is not there, with a long name").status().code();
  const bool empty = Batch().slab().empty();
  EXPECT_TRUE(EndFailures());
  EXPECT_EQ(code, StatusCode::kResourceExhausted);
  EXPECT_TRUE(empty);
}

TEST_F(AllocationFailure, RowTextSlow) {
  const auto reader = Open();
  std::string whole;
  const auto read = [&](std::string* out) -> Status {
    DSI_ASSIGN_OR_RETURN(const auto text, RowText::Create(*reader, {}));
    for (;;) {
      DSI_ASSIGN_OR_RETURN(const bool more, text->Next(out, nullptr));
      if (!more) return Status::Ok();
    }
  };
  ASSERT_TRUE(read(&whole).ok());
  FailEach("RowText", [&]() -> Status {
    std::string out;
    DSI_RETURN_IF_ERROR(read(&out));
    return out == whole ? Status::Ok() : Status(StatusCode::kCorrupt, "rows are missing");
  });
}

}  // namespace
}  // namespace dsi::test
