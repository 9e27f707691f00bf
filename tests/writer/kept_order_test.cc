// Stripes that are written while rows come, of files that keep their order: the bytes depend on the
// rows and the options alone, what comes late is stored all the same, and what fails leaves
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/fault_file.h"
#include "dsi/tests/support/heap_use.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/text/row_text.h"
#include "dsi/writer/cluster/kept_order_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/rows/copy_rows_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr uint32_t kStripeRows = 200;
constexpr int kRows = 3'000;
constexpr int kPlanned = 4 * static_cast<int>(kStripeRows);  // Rows that the layout is planned on.

constexpr char kFeatures[] = R"({"features": [
    {"name": "id", "kind": "key", "type": "int64"},
    {"name": "early", "kind": "dense", "type": "float32"},
    {"name": "late", "kind": "list", "type": "int64"},
    {"name": "late_price", "kind": "dense", "type": "float64"},
    {"name": "longer", "kind": "list", "type": "int64"},
    {"name": "vector", "kind": "embedding", "type": "float32", "length": 3},
    {"name": "weights", "kind": "weighted", "type": "int32", "weight_type": "float32"},
    {"name": "query", "kind": "string"}]})";

using Numbers = std::vector<int64_t>;

void AddRow(int row, RowBatch* batch) {
  EXPECT_TRUE(batch->SetInt(0, row / 3).ok());
  if (row < kPlanned / 2) {
    EXPECT_TRUE(batch->SetDouble(1, 0.5 * row).ok());
  }
  if (row > kPlanned + 50) {
    EXPECT_TRUE(batch->SetInts(2, 0, Numbers{row / 5, 7, row / 9}).ok());
  }
  if (row > 2 * kPlanned) {
    EXPECT_TRUE(batch->SetDouble(3, row / 4.0).ok());
  }
  // Short while the layout is planned, and then of several tiers.
  EXPECT_TRUE(
      batch->SetInts(4, 0, Numbers(static_cast<size_t>(row < kPlanned ? row % 3 : 400), row)).ok());
  if (row % 4 != 1) {
    EXPECT_TRUE(batch->SetDoubles(5, 0, std::vector<double>{0.25, 1.0 * row, 3}).ok());
  }
  if (row % 5 == 0) {
    EXPECT_TRUE(batch->SetInts(6, 0, Numbers{row, row + 1}).ok());
    EXPECT_TRUE(batch->SetDoubles(6, 1, std::vector<double>{0.5, 1}).ok());
  }
  EXPECT_TRUE(batch->SetBytes(7, std::string(static_cast<size_t>(row % 11), 'q')).ok());
  EXPECT_TRUE(batch->EndRow().ok());
}

RowBatch Rows(const Writer& writer, int first, int end) {
  RowBatch batch(writer.schema());
  for (int row = first; row < end; ++row) AddRow(row, &batch);
  return batch;
}

struct Written {
  Status status;
  std::vector<std::byte> bytes;
  WriteReport report;
};

Written Write(int num_rows, int rows_of_batch, WriterOptions options, bool moved = false) {
  Written written;
  options.page_values = 1'024;
  auto writer = Writer::Create(CreateMemoryFile(&written.bytes, "memory"),
                               *Schema::FromJson(kFeatures), std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  for (int row = 0; row < num_rows; row += rows_of_batch) {
    RowBatch batch = Rows(**writer, row, std::min(row + rows_of_batch, num_rows));
    written.status = moved ? (*writer)->Append(std::move(batch)) : (*writer)->Append(batch);
    if (!written.status.ok()) return written;
  }
  EXPECT_EQ((*writer)->num_rows(), static_cast<uint64_t>(num_rows));
  auto report = (*writer)->Finish();
  written.status = report.status();
  if (report.ok()) written.report = *report;
  return written;
}

std::unique_ptr<Reader> Open(const std::vector<std::byte>& bytes) {
  auto reader = Reader::Open(OpenMemoryFile(bytes, "memory"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

std::string TextOf(const Reader& reader) {
  std::string text;
  auto rows = RowText::Create(reader, {});
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  while (true) {
    const Result<bool> more = (*rows)->Next(&text, nullptr);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return text;
  }
}

TEST(KeptOrder, TheBytesDependOnNeitherBatchesNorBudgetNorThreads) {
  for (const WriterOptions& limits :
       {WriterOptions{.stripe_rows = kStripeRows}, WriterOptions{.stripe_bytes = 60'000}}) {
    WriterOptions options = limits;
    options.keep_order = true;
    const Written whole = Write(kRows, kRows, options);
    ASSERT_TRUE(whole.status.ok()) << whole.status.ToString();
    EXPECT_GT(whole.report.num_stripes, 6U);
    for (const int rows_of_batch : {1, 37, 1'000, kRows}) {
      for (const uint64_t budget : {0U, 1'000U, 60'000U, 500'000U}) {
        options.memory_bytes = budget;
        options.threads = 1 + rows_of_batch % 4;
        const Written other = Write(kRows, rows_of_batch, options, rows_of_batch == 37);
        ASSERT_TRUE(other.status.ok()) << other.status.ToString();
        EXPECT_TRUE(other.bytes == whole.bytes) << rows_of_batch << " rows, budget " << budget;
        if (budget <= 60'000) {
          EXPECT_EQ(other.report.spilled_bytes != 0, budget != 0);
        }
        EXPECT_EQ(other.report.values_in, whole.report.values_in);
        EXPECT_EQ(other.report.values_stored, whole.report.values_stored);
        EXPECT_EQ(other.report.num_rows, static_cast<uint64_t>(kRows));
      }
    }
  }
}

// Features that come after the rows on which the layout was planned, that end before, that grow.
TEST(KeptOrder, RowsComeBackAsTheyWere) {
  const Written streamed = Write(kRows, 100, {.keep_order = true, .stripe_rows = kStripeRows});
  const Written at_once = Write(kRows, 100, {.keep_order = true});
  ASSERT_TRUE(streamed.status.ok() && at_once.status.ok());
  const auto reader = Open(streamed.bytes);
  EXPECT_EQ(TextOf(*reader), TextOf(*Open(at_once.bytes)));
  const auto damage = reader->Verify();
  ASSERT_TRUE(damage.ok()) << damage.status().ToString();
  EXPECT_TRUE(damage->empty());
  EXPECT_EQ(streamed.report.num_stripes, static_cast<uint64_t>(kRows) / kStripeRows);
  EXPECT_EQ(at_once.report.num_stripes, 1U);
  EXPECT_EQ(streamed.report.values_in, at_once.report.values_in);
}

// Four stripes are certain once more rows follow the third than the last stripe may have.
TEST(KeptOrder, StripesAreWrittenOnceTheyAreCertain) {
  constexpr int kMostUnwritten = 3 * kStripeRows + kStripeRows + kStripeRows / 2;
  for (const int num_rows : {kMostUnwritten, kMostUnwritten + 1}) {
    std::vector<std::byte> bytes;
    std::vector<uint64_t> encoded;
    uint64_t most_total = 0;
    auto writer = Writer::Create(
        CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(kFeatures),
        {.keep_order = true, .stripe_rows = kStripeRows, .progress = [&](const WriteProgress& now) {
           if (now.phase == WriteProgress::Phase::kEncode) encoded.push_back(now.rows_done);
           most_total = std::max(most_total, now.rows_total);
           return true;
         }});
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Append(Rows(**writer, 0, num_rows)).ok());
    if (num_rows == kMostUnwritten) {
      EXPECT_TRUE(encoded.empty());
    } else {
      ASSERT_FALSE(encoded.empty());
      EXPECT_EQ(encoded.back(), 3 * kStripeRows);
      EXPECT_EQ(most_total, static_cast<uint64_t>(num_rows));
    }
    const auto report = (*writer)->Finish();
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_stripes, num_rows == kMostUnwritten ? 4U : 5U);
  }
}

// Rows and a price of this precision.
std::string Rounded(const std::string& precision) {
  return R"({"features": [{"name": "id", "kind": "key", "type": "int64"},
      {"name": "price", "kind": "dense", "type": "float32", "precision": ")" +
         precision + "\"}]}";
}

// Keys and int8 need all rows first.
TEST(KeptOrder, OtherFilesAreEncodedByFinish) {
  const auto calls_before_finish = [](const std::string& features, WriterOptions options) {
    std::vector<std::byte> bytes;
    int calls = 0;
    options.stripe_rows = 10;
    options.progress = [&](const WriteProgress& now) {
      if (now.phase == WriteProgress::Phase::kEncode) ++calls;
      return true;
    };
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(features),
                                 std::move(options));
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    RowBatch batch((*writer)->schema());
    for (int row = 0; row < 500; ++row) {
      EXPECT_TRUE(batch.SetInt(0, row).ok());
      EXPECT_TRUE(batch.SetDouble(1, row).ok());
      EXPECT_TRUE(batch.EndRow().ok());
    }
    EXPECT_TRUE((*writer)->Append(batch).ok());
    const int before = calls;
    EXPECT_TRUE((*writer)->Finish().ok());
    return before;
  };
  EXPECT_GT(calls_before_finish(kFeatures, {.keep_order = true}), 0);
  EXPECT_GT(calls_before_finish(kFeatures, {}), 0);
  EXPECT_EQ(calls_before_finish(kFeatures, {.cluster_by = {"id"}}), 0);
  EXPECT_GT(calls_before_finish(kFeatures, {.keep_position = true}), 0);
  EXPECT_GT(calls_before_finish(Rounded("fp16"), {.keep_order = true}), 0);
  EXPECT_EQ(calls_before_finish(Rounded("int8"), {.keep_order = true}), 0);
  // An overlay: unless its first stripes lack a feature, which says nothing of those that have it.
  const auto overlay_of = [](const std::vector<uint32_t>& stripe_rows) {
    return WriterOptions{.overlay = OverlayBinding{.base_fingerprint = 7,
                                                   .base_rows = 500,
                                                   .rows = {{0, 500}},
                                                   .stripe_rows = stripe_rows}};
  };
  const std::string two = Rounded("exact");
  EXPECT_GT(calls_before_finish(two, overlay_of({100, 50, 200, 60, 90})), 0);
  EXPECT_EQ(calls_before_finish(two, overlay_of({100, 200, 200})), 0);
  EXPECT_EQ(calls_before_finish(kFeatures, overlay_of({100, 50, 200, 60, 90})), 0);
}

struct StreamedCase {
  const char* what;
  std::string schema;
  WriterOptions options;
  int first_price = 0;  // Rows before have none.
};

std::vector<StreamedCase> StreamedCases() {
  std::vector<uint32_t> told;
  for (uint32_t rows = 0, next = 90; rows < kRows; rows += told.back(), next += 37)
    told.push_back(std::min<uint32_t>(next, kRows - rows));
  const OverlayBinding overlay{
      .base_fingerprint = 7, .base_rows = kRows, .rows = {{0, kRows}}, .stripe_rows = told};
  return {{"positions", Rounded("exact"), {.keep_position = true}},
          {"fp16", Rounded("fp16"), {.keep_order = true}},
          {"bf16 and positions", Rounded("bf16"), {.keep_position = true}},
          {"overlay", Rounded("bf16"), {.overlay = overlay}},
          {"overlay that waits", Rounded("bf16"), {.overlay = overlay}, 2'000},
          {"int8", Rounded("int8"), {.keep_order = true}}};
}

// Rows of `price` that no precision has.
Written WritePrices(const StreamedCase& of, int rows_of_batch, uint64_t budget, int threads,
                    uint32_t stripe_rows = kStripeRows) {
  Written written;
  WriterOptions options = of.options;
  options.stripe_rows = stripe_rows;
  options.page_values = 1'024;
  options.memory_bytes = budget;
  options.threads = threads;
  auto writer = Writer::Create(CreateMemoryFile(&written.bytes, "memory"),
                               *Schema::FromJson(of.schema), std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  for (int row = 0; row < kRows; row += rows_of_batch) {
    RowBatch batch((*writer)->schema());
    for (int i = row; i < std::min(row + rows_of_batch, kRows); ++i) {
      EXPECT_TRUE(batch.SetInt(0, i / 3).ok());
      if (i % 7 != 0 && i >= of.first_price) {
        EXPECT_TRUE(batch.SetDouble(1, 0.1 * i).ok());
      }
      EXPECT_TRUE(batch.EndRow().ok());
    }
    written.status = (*writer)->Append(batch);
    if (!written.status.ok()) return written;
  }
  auto report = (*writer)->Finish();
  written.status = report.status();
  if (report.ok()) written.report = *report;
  return written;
}

TEST(KeptOrder, PositionsPrecisionsAndOverlaysAreWrittenWhileRowsCome) {
  for (const StreamedCase& of : StreamedCases()) {
    const Written whole = WritePrices(of, kRows, 0, 1);
    ASSERT_TRUE(whole.status.ok()) << whole.status.ToString();
    EXPECT_GT(whole.report.num_stripes, 8U) << of.what;
    const auto reader = Open(whole.bytes);
    EXPECT_TRUE(reader->Verify()->empty());
    const auto schema = reader->schema();
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    EXPECT_EQ(schema->features[1].columns[0].max_error != 0, of.schema != Rounded("exact"));
    for (const int rows_of_batch : {1, 37, 1'000}) {
      for (const uint64_t budget : {0U, 1'000U, 60'000U}) {
        const Written other = WritePrices(of, rows_of_batch, budget, 1 + rows_of_batch % 3);
        ASSERT_TRUE(other.status.ok()) << other.status.ToString();
        EXPECT_TRUE(other.bytes == whole.bytes)
            << of.what << ", " << rows_of_batch << " rows, budget " << budget;
        // S-014: how far off values are at most.
        EXPECT_EQ(Open(other.bytes)->schema()->features[1].columns[0].max_error,
                  schema->features[1].columns[0].max_error);
      }
    }
    // Written at once the rows are the same.
    StreamedCase at_once = of;
    if (at_once.options.overlay) at_once.options.overlay->stripe_rows = {kRows};
    const Written one = WritePrices(at_once, kRows, 0, 1, kRows);
    EXPECT_EQ(one.report.num_stripes, 1U);
    EXPECT_EQ(TextOf(*Open(one.bytes)), TextOf(*reader)) << of.what;
  }
}

// S-014: a value beyond its precision fails the call that writes its stripe, and names its row.
TEST(KeptOrder, AValueBeyondItsPrecisionIsNamedByItsRow) {
  std::vector<std::byte> bytes;
  auto writer =
      Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(Rounded("fp16")),
                     {.keep_order = true, .stripe_rows = kStripeRows});
  ASSERT_TRUE(writer.ok());
  Status status;
  for (int row = 0; row < kRows && status.ok(); ++row) {
    RowBatch batch((*writer)->schema());
    ASSERT_TRUE(batch.SetInt(0, row).ok());
    ASSERT_TRUE(batch.SetDouble(1, row == 2'345 ? 1e30 : 1.5).ok());
    ASSERT_TRUE(batch.EndRow().ok());
    status = (*writer)->Append(batch);
  }
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_NE(status.message().find("row 2345"), std::string::npos) << status.message();
  EXPECT_EQ((*writer)->Finish().status().ToString(), status.ToString());
}

TEST(KeptOrder, AStripeIsCertainAtTheSameRowsWhateverFollows) {
  const auto cut = [](const std::vector<uint32_t>& bytes, bool more_come) {
    const auto rows = internal::KeptOrder(bytes, {.bytes = UINT64_MAX, .spill_folder = ""});
    EXPECT_TRUE(rows.ok());
    const auto cuts = internal::CutStripes(*rows, {.rows = 10, .bytes = 1'000}, more_come);
    EXPECT_TRUE(cuts.ok());
    std::vector<uint32_t> ends;
    for (const internal::StripeCut& one : *cuts) ends.push_back(one.first_row + one.num_rows);
    return ends;
  };
  using Ends = std::vector<uint32_t>;
  EXPECT_EQ(cut(std::vector<uint32_t>(15, 1), true), Ends{});
  EXPECT_EQ(cut(std::vector<uint32_t>(16, 1), true), Ends{10});
  // By bytes, before the stripe has its rows and behind them.
  std::vector<uint32_t> bytes(9, 1);
  bytes.push_back(1'000);
  EXPECT_EQ(cut(bytes, true), Ends{9});
  bytes.insert(bytes.begin(), 3, 1);
  EXPECT_EQ(cut(bytes, true), Ends{});
  // Each prefix says what the whole says.
  bytes.clear();
  for (uint32_t row = 0; row < 300; ++row) bytes.push_back(row * 7'919 % 400);
  const Ends whole = cut(bytes, false);
  for (size_t n = 0; n <= bytes.size(); ++n) {
    const Ends some = cut({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n)}, true);
    ASSERT_LE(some.size(), whole.size());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), whole.begin())) << n;
  }
}

TEST(KeptOrder, RowsAreCopiedFromAnyPlace) {
  auto schema = std::make_shared<const Schema>(*Schema::FromJson(kFeatures));
  RowBatch all(schema);
  for (int row = 0; row < 6'000; ++row) AddRow(row, &all);
  std::vector<RowBatch::FeatureBuffer> features;
  for (size_t f = 0; f < schema->features.size(); ++f) features.push_back(all.feature(f));
  for (const uint32_t first : {0U, 1U, 401U, 852U, 5'999U, 6'000U}) {
    RowBatch rest(schema);
    RowBatch expected(schema);
    ASSERT_TRUE(internal::CopyRows(features, first, 6'000, &rest).ok());
    for (int row = static_cast<int>(first); row < 6'000; ++row) AddRow(row, &expected);
    ASSERT_EQ(rest.num_rows(), expected.num_rows());
    EXPECT_EQ(rest.size_bytes(), expected.size_bytes());
    for (size_t f = 0; expected.num_rows() != 0 && f < features.size(); ++f) {
      EXPECT_EQ(rest.feature(f).rows, expected.feature(f).rows) << f;
      EXPECT_EQ(rest.feature(f).lengths, expected.feature(f).lengths) << f;
      for (size_t c = 0; c < rest.feature(f).values.size(); ++c) {
        const std::span<const std::byte> found = rest.feature(f).values[c];
        const std::span<const std::byte> wanted = expected.feature(f).values[c];
        EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) << f;
      }
    }
  }
}

TEST(KeptOrder, AFailedWriteFailsTheWriter) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(
      test::WithWriteFaults(CreateMemoryFile(&bytes, "memory"), {.fail_call = 3}),
      *Schema::FromJson(kFeatures), {.keep_order = true, .stripe_rows = kStripeRows});
  ASSERT_TRUE(writer.ok());
  const Status first = (*writer)->Append(Rows(**writer, 0, kRows));
  EXPECT_EQ(first.code(), StatusCode::kIo);
  EXPECT_EQ((*writer)->Append(Rows(**writer, 0, 1)).ToString(), first.ToString());
  EXPECT_EQ((*writer)->Finish().status().ToString(), first.ToString());
  EXPECT_TRUE(bytes.empty());
}

TEST(KeptOrder, ProgressCancelsWhatIsAdded) {
  for (const bool throws : {false, true}) {
    const test::TempFolder folder;
    auto writer = Writer::Create(folder.File("out.dsi"), *Schema::FromJson(kFeatures),
                                 {.keep_order = true,
                                  .stripe_rows = kStripeRows,
                                  .progress = [throws](const WriteProgress& now) {
                                    if (throws && now.rows_done > 0) throw 1;
                                    return now.rows_done == 0;
                                  }});
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    EXPECT_EQ((*writer)->Append(Rows(**writer, 0, kRows)).code(), StatusCode::kCancelled);
    EXPECT_EQ((*writer)->Append(Rows(**writer, 0, 1)).code(), StatusCode::kCancelled);
    EXPECT_EQ((*writer)->Finish().status().code(), StatusCode::kCancelled);
    writer->reset();
    EXPECT_TRUE(folder.Names().empty());
  }
}

// What is added and refused leaves the rows before, also those that are written.
TEST(KeptOrder, ARefusedBatchChangesNothing) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(kFeatures),
                               {.keep_order = true, .stripe_rows = kStripeRows});
  ASSERT_TRUE(writer.ok());
  const RowBatch foreign(std::make_shared<const Schema>(*Schema::FromJson(kFeatures)));
  for (int row = 0; row < kRows; row += 500) {
    ASSERT_TRUE((*writer)->Append(Rows(**writer, row, row + 500)).ok());
    const uint64_t size = (*writer)->size_bytes();
    EXPECT_EQ((*writer)->Append(foreign).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ((*writer)->num_rows(), static_cast<uint64_t>(row) + 500);
    EXPECT_EQ((*writer)->size_bytes(), size);
  }
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(TextOf(*Open(bytes)), TextOf(*Open(Write(kRows, kRows, {.keep_order = true}).bytes)));
}

TEST(KeptOrder, ALongFileTakesMemoryForAFewStripes) {
  const auto peak_of = [](int num_rows) {
    const test::TempFolder folder;
    auto writer = Writer::Create(folder.File("out.dsi"), *Schema::FromJson(kFeatures),
                                 {.keep_order = true, .stripe_rows = 1'000, .threads = 1});
    EXPECT_TRUE(writer.ok());
    test::HeapMeter meter;
    for (int row = 0; row < num_rows; row += 500) {
      EXPECT_TRUE((*writer)->Append(Rows(**writer, row, row + 500)).ok());
      meter.Look();
    }
    EXPECT_TRUE((*writer)->Finish().ok());
    return meter.peak();
  };
  const uint64_t of_short = peak_of(10'000);
  EXPECT_LE(peak_of(40'000), of_short + of_short / 4);
}

}  // namespace
}  // namespace dsi
