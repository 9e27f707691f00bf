// What goes wrong in one file of many: the file is named, batches before it come, the scan is over
// after it, and its state says what was handed out, whatever the threads.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/fail_each.h"
#include "dsi/tests/support/forked_child.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

struct Way {
  uint32_t threads = 1;
  uint64_t read_ahead_bytes = 0;
};
const std::vector<Way> kWays = {{1, 0}, {3, 0}, {1, 1 << 20}, {4, 1 << 22}};

DatasetScanOptions Everything(uint32_t batch_size) {
  DatasetScanOptions options;
  options.scan.batch_size = batch_size;
  options.scan.features = {{.name = "*", .layout = Layout::kJagged}};
  return options;
}

// Mixed, with a pipeline.
DatasetScanOptions Mixed(uint32_t batch_size) {
  DatasetScanOptions options;
  options.scan.batch_size = batch_size;
  options.pipeline.steps = {{.output = "hashed",
                             .op = TransformOp::kSigridHash,
                             .inputs = {"user.history.item"},
                             .salt = 7,
                             .max = 1000},
                            {.output = "cross",
                             .op = TransformOp::kCartesian,
                             .inputs = {"hashed", "item.words"},
                             .salt = 3,
                             .max = 500,
                             .limit = 10}};
  options.scan.features = {{.name = "cross", .layout = Layout::kIkjt},
                           {.name = "item.viewers", .layout = Layout::kPadded, .width = 4},
                           {.name = "user.profile", .layout = Layout::kVbe}};
  options.order = {.unit = OrderUnit::kBlock, .seed = 4, .block_rows = 37, .mixing_rows = 250};
  return options;
}

struct Outcome {
  uint64_t batches = 0;
  uint64_t rows = 0;
  Status status;
  std::string state;  // At the end.
};

Outcome Scanned(const Dataset& dataset, DatasetScanOptions options, const Way& way = {}) {
  options.scan.threads = way.threads;
  options.scan.read_ahead_bytes = way.read_ahead_bytes;
  Outcome outcome;
  const auto scan = dataset.NewScan(options);
  outcome.status = scan.status();
  if (!scan.ok()) return outcome;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    outcome.status = more.status();
    if (!more.ok() || !*more) break;
    ++outcome.batches;
    outcome.rows += batch.num_rows();
  }
  outcome.state = *(*scan)->state();
  if (outcome.status.ok()) return outcome;
  // It is over, and nothing is in the batch.
  EXPECT_EQ(batch.num_rows(), 0U);
  EXPECT_EQ((*scan)->Next(&batch).status().ToString(), outcome.status.ToString());
  EXPECT_EQ(*(*scan)->state(), outcome.state);
  return outcome;
}

bool Says(const Status& status, const std::string& text) {
  return status.message().find(text) != std::string::npos;
}

std::vector<std::byte> ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

class DatasetErrors : public ::testing::Test {
 protected:
  DatasetErrors() : model_(HistoryTable(2, 1200), 4, 150) {}
  std::string Part(int i) const { return model_.folder.File("part-" + std::to_string(i) + ".dsi"); }

  ModelDataset model_;
};

TEST_F(DatasetErrors, ADamagedPageOfOneFile) {
  const std::vector<std::byte> sound = ReadBytes(Part(2));
  EditableFile file(sound);
  std::vector<std::byte> damaged = sound;
  for (uint64_t i = 0; i < file.stripe(1).data_size(); i += 16)
    damaged[file.stripe(1).data_offset() + i] ^= std::byte{0xFF};
  DatasetScanOptions options = Everything(50);
  const Outcome whole = Scanned(*model_.dataset, options);
  ASSERT_TRUE(whole.status.ok());
  // Two files and a stripe.
  const uint64_t before = (600 + (*Reader::Open(Part(2)))->stripes()[0].num_rows) / 50;
  for (const Way& way : kWays) {
    WriteBytes(Part(2), damaged);
    const auto dataset = Dataset::Open(model_.folder.path());
    ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
    Outcome got = Scanned(**dataset, options, way);
    EXPECT_EQ(got.status.code(), StatusCode::kCorrupt) << got.status.ToString();
    EXPECT_TRUE(Says(got.status, "part-2.dsi: ")) << got.status.ToString();
    EXPECT_EQ(got.batches, before);
    // Once it is repaired, the rest comes.
    WriteBytes(Part(2), sound);
    DatasetScanOptions rest = options;
    rest.state = got.state;
    got = Scanned(*model_.dataset, rest, way);
    EXPECT_TRUE(got.status.ok()) << got.status.ToString();
    EXPECT_EQ(got.batches, 24 - before);
  }
  // Whatever is mixed with it.
  WriteBytes(Part(2), damaged);
  const auto dataset = Dataset::Open(model_.folder.path());
  for (const Way& way : kWays) {
    const Outcome got = Scanned(**dataset, Mixed(50), way);
    EXPECT_EQ(got.status.code(), StatusCode::kCorrupt) << got.status.ToString();
    EXPECT_TRUE(Says(got.status, "part-2.dsi: ")) << got.status.ToString();
  }
}

TEST_F(DatasetErrors, AFileThatVanishedOrChanged) {
  DatasetScanOptions options = Everything(100);
  const std::vector<std::byte> sound = ReadBytes(Part(3));
  for (const bool vanishes : {true, false}) {
    const auto dataset = Dataset::Open(model_.folder.path());
    ASSERT_TRUE((*dataset)->Columns().ok());
    std::filesystem::remove(Part(3));
    if (!vanishes) WriteBytes(Part(3), ReadBytes(Part(0)));
    const Outcome got = Scanned(**dataset, options);
    EXPECT_EQ(got.status.code(), vanishes ? StatusCode::kNotFound : StatusCode::kBadInput)
        << got.status.ToString();
    EXPECT_TRUE(Says(got.status, "part-3.dsi")) << got.status.ToString();
    EXPECT_EQ(got.batches, 9U);
    WriteBytes(Part(3), sound);
  }
}

TEST_F(DatasetErrors, TooLittleMemory) {
  for (DatasetScanOptions options : {Everything(100), Mixed(100)}) {
    bool was_enough = false;
    for (uint64_t bytes = 1000; !was_enough; bytes += bytes / 3) {
      ASSERT_LT(bytes, 64U << 20);
      options.scan.memory_bytes = bytes;
      for (const Way& way : kWays) {
        const Outcome got = Scanned(*model_.dataset, options, way);
        was_enough = got.status.ok();
        if (was_enough) {
          EXPECT_EQ(got.rows, 1200U);
        } else {
          EXPECT_EQ(got.status.code(), StatusCode::kResourceExhausted) << got.status.ToString();
        }
      }
    }
  }
}

TEST_F(DatasetErrors, AValueThatDoesNotFit) {
  // Of 64 random bits: about every other row.
  const ModelColumn& big = model_.table.Column("big");
  size_t bad = 0;
  while ((*big.rows[bad])[0] >> 63 == 0) ++bad;
  DatasetScanOptions options;
  options.scan.batch_size = 200;
  options.scan.features = {{.name = "big", .layout = Layout::kPadded, .dtype = Type::kInt64}};
  for (const Way& way : kWays) {
    const Outcome got = Scanned(*model_.dataset, options, way);
    EXPECT_EQ(got.status.code(), StatusCode::kOutOfRange);
    const std::string where = "part-0.dsi: row " + std::to_string(bad) + ", column big";
    EXPECT_TRUE(Says(got.status, where)) << got.status.ToString();
  }
  // Rows that are not handed out need not fit, as in the scan of a file.
  options.scan.filter.where = {{"big", Compare::kLess, uint64_t{1} << 63}};
  uint64_t rows = 0;
  for (int i = 0; i < 4; ++i) {
    const auto reader = Reader::Open(Part(i));
    rows += *(*reader)->CountRows(options.scan);
  }
  for (const uint32_t mixing : {0U, 500U}) {
    options.order = {.unit = OrderUnit::kBlock, .block_rows = 30, .mixing_rows = mixing};
    const Outcome got = Scanned(*model_.dataset, options);
    EXPECT_TRUE(got.status.ok()) << got.status.ToString();
    EXPECT_EQ(got.rows, rows);
  }
}

TEST_F(DatasetErrors, AStepThatFailsOrThrows) {
  DatasetScanOptions options;
  options.scan.batch_size = 100;
  options.scan.features = {{.name = "mine", .layout = Layout::kIkjt}};
  options.pipeline.steps = {{.output = "mine",
                             .op = TransformOp::kCustom,
                             .inputs = {"item.words"},
                             .custom_type = {RowShape::kList, Type::kInt64}}};
  for (const Way& way : kWays) {
    const auto with = [&](auto custom) {
      int calls = 0;
      options.pipeline.steps[0].custom = [&, custom](const std::vector<RowsView>& views,
                                                     RowsBuilder* out) -> Status {
        for (size_t i = 0; i < views[0].num_rows; ++i) out->EndMissing();
        return ++calls == 4 ? custom(out) : Status::Ok();
      };
      return Scanned(*model_.dataset, options, way);
    };
    Outcome got = with([](RowsBuilder*) { return Status(StatusCode::kUnsupported, "no words"); });
    EXPECT_EQ(got.status.code(), StatusCode::kUnsupported);
    EXPECT_TRUE(Says(got.status, "no words")) << got.status.ToString();
    EXPECT_EQ(got.batches, 2U);  // The second takes of two stripes.
    got = with([](RowsBuilder*) -> Status { throw std::runtime_error("oh"); });
    EXPECT_EQ(got.status.code(), StatusCode::kCancelled) << got.status.ToString();
    EXPECT_TRUE(Says(got.status, "oh")) << got.status.ToString();
    got = with([](RowsBuilder* out) {
      out->EndRow();
      return Status::Ok();
    });
    EXPECT_EQ(got.status.code(), StatusCode::kInvalidArgument) << got.status.ToString();
  }
}

TEST_F(DatasetErrors, AFilterThatCannotBeIsSaidAtOnce) {
  const auto code = [&](const RowFilter& filter) {
    DatasetScanOptions options = Everything(100);
    options.scan.filter = filter;
    return model_.dataset->NewScan(options).status().code();
  };
  EXPECT_EQ(code({.where = {{"label", Compare::kEqual, 1}}}), StatusCode::kOk);
  EXPECT_EQ(code({.where = {{"item.words", Compare::kEqual, 1}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.where = {{"nothing", Compare::kEqual, 1}}}), StatusCode::kNotFound);
  EXPECT_EQ(code({.sample = {{.keep = 1.5}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.sample = {{.when = {{"item.words", Compare::kEqual, 1}}, .keep = 0.5}}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.sample = {{.when = {{"topics", Compare::kEqual, 1}}, .keep = 0.5}}}),
            StatusCode::kInvalidArgument);
}

TEST_F(DatasetErrors, NoBatchIsNoEnd) {
  for (const Way& way : kWays) {
    DatasetScanOptions options = Everything(100);
    options.scan.threads = way.threads;
    options.scan.read_ahead_bytes = way.read_ahead_bytes;
    const auto scan = model_.dataset->NewScan(options);
    EXPECT_EQ((*scan)->Next(nullptr).status().code(), StatusCode::kInvalidArgument);
    Batch batch;
    EXPECT_TRUE(*(*scan)->Next(&batch));
  }
}

size_t NumThreadsOfProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_F(DatasetErrors, GivenUpAtAnyMoment) {
  const size_t before = NumThreadsOfProcess();
  for (int batches = 0; batches < 24; ++batches) {
    DatasetScanOptions options = batches % 2 == 0 ? Mixed(50) : Everything(50);
    options.scan.threads = 1 + static_cast<uint32_t>(batches) % 4;
    options.scan.read_ahead_bytes = batches % 3 == 0 ? 1 : 1 << 20;
    auto scan = model_.dataset->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    for (int i = 0; i < batches; ++i) ASSERT_TRUE((*scan)->Next(&batch).ok());
    scan->reset();
    // A thread that was joined may be listed for a moment yet.
    for (int i = 0; i < 1000 && NumThreadsOfProcess() != before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(NumThreadsOfProcess(), before);
  }
}

TEST_F(DatasetErrors, AForkedChildIsTold) {
  for (const uint64_t read_ahead : {0U, 1U << 20}) {
    DatasetScanOptions options = Mixed(50);
    options.scan.threads = 2;
    options.scan.read_ahead_bytes = read_ahead;
    auto scan = model_.dataset->NewScan(options);
    Batch batch;
    ASSERT_TRUE((*scan)->Next(&batch).ok());
    EXPECT_TRUE(InForkedChild(
        [&] { return (*scan)->Next(&batch).status().code() == StatusCode::kInvalidArgument; }));
    EXPECT_TRUE((*scan)->Next(&batch).ok());
  }
}

TEST_F(DatasetErrors, FailingAllocationsSlow) {
  // By their names: what the standard library does to list a folder must not fail.
  const std::vector<std::string> parts = {Part(0), Part(1), Part(2), Part(3)};
  FailEach("Open", [&] { return Dataset::Open(parts).status(); });
  FailEach("Columns", [&]() -> Status {
    DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(parts));
    return dataset->Columns().status();
  });
  const auto read = [&](const DatasetScanOptions& options) -> Status {
    DSI_ASSIGN_OR_RETURN(const auto scan, model_.dataset->NewScan(options));
    Batch batch;
    for (;;) {
      const auto more = scan->Next(&batch);
      if (!more.ok()) {
        if (scan->Next(&batch).ok() || batch.num_rows() != 0)
          return {StatusCode::kCorrupt, "not over"};
        return more.status();
      }
      if (!*more) return scan->state().status();
    }
  };
  DatasetScanOptions options = Everything(150);
  FailEach("all", [&] { return read(options); });
  options = Mixed(150);
  FailEach("mixed", [&] { return read(options); });
  options.scan.filter.where = {{"label", Compare::kEqual, 1}};
  FailEach("filtered", [&] { return read(options); });
}

}  // namespace
}  // namespace dsi::test
