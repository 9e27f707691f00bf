// Opens a dataset of which the input is a file, twice, and reads it in file order and shuffled,
// with transforms, with a filter, by one thread and by several. Whatever the bytes, a call returns
// a value or a Status; batches do not depend on threads, and what Verify calls sound is read.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/tests/support/file_answer.h"
#include "dsi/tests/support/tensor_bytes.h"

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMemoryBytes = 64 << 20;
constexpr int kMaxBatches = 64;
// Columns that are read; in files of thousands all were read by other targets.
constexpr size_t kMaxColumns = 64;

using dsi::test::Outcome;

[[noreturn]] void Disagree(const std::string& what) {
  static_cast<void>(std::fprintf(stderr, "%s\n", what.c_str()));
  std::abort();
}

// Two copies of the input; they go with the process.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("dsi_fuzz_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void Write(const uint8_t* data, size_t size) const {
    for (const char* name : {"a.dsi", "b.dsi"}) {
      std::ofstream file(path_ / name, std::ios::binary);
      file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

struct Batches {
  std::vector<std::vector<std::byte>> tensors;
  std::vector<std::pair<uint32_t, uint64_t>> rows;
  dsi::Status end = dsi::Status::Ok();
};

Batches ReadBatches(const dsi::Dataset& dataset, const dsi::DatasetScanOptions& options) {
  Batches read;
  auto scan = dataset.NewScan(options);
  if (!scan.ok()) {
    read.end = scan.status();
    return read;
  }
  dsi::Batch batch;
  std::vector<dsi::BatchRow> rows;
  for (int i = 0; i < kMaxBatches; ++i) {
    const auto more = (*scan)->Next(&batch);
    read.end = more.status();
    if (!more.ok() || !*more) break;
    read.tensors.push_back(dsi::test::TensorBytes((*scan)->columns(), batch));
    if (const dsi::Status status = (*scan)->RowsOf(batch, &rows); !status.ok())
      Disagree("rows of a batch: " + status.ToString());
    for (const dsi::BatchRow& row : rows) read.rows.emplace_back(row.file, row.row);
    if (const auto state = (*scan)->state(); !state.ok())
      Disagree("state: " + state.status().ToString());
  }
  return read;
}

bool IsDamage(const dsi::Status& status) {
  const Outcome outcome = dsi::test::OutcomeOf(status);
  return outcome == Outcome::kDamaged || outcome == Outcome::kUnsupported;
}

// By one thread, and by several with batches made ahead: the same batches, the same end.
void Read(const dsi::Dataset& dataset, bool is_sound, dsi::DatasetScanOptions options) {
  options.scan.memory_bytes = kMemoryBytes;
  const Batches one = ReadBatches(dataset, options);
  options.scan.threads = 3;
  options.scan.read_ahead_bytes = 4096;
  const Batches three = ReadBatches(dataset, options);
  for (const Batches* read : {&one, &three}) {
    if (is_sound && IsDamage(read->end)) Disagree("Verify found no " + read->end.ToString());
    // How much memory several threads take is not the same.
    if (dsi::test::OutcomeOf(read->end) == Outcome::kResource) return;
  }
  if (one.tensors != three.tensors || one.rows != three.rows || one.end.ok() != three.end.ok())
    Disagree("one thread: " + one.end.ToString() + ", three: " + three.end.ToString());
}

// A step for each list of ids, and all columns.
dsi::Pipeline StepsOf(const std::vector<dsi::ColumnInfo>& columns) {
  dsi::Pipeline pipeline;
  for (const dsi::ColumnInfo& column : columns) {
    if (column.kind != dsi::Kind::kList || pipeline.steps.size() >= 8) continue;
    const std::string output = "made." + std::to_string(pipeline.steps.size());
    pipeline.steps.push_back(
        {.output = output, .op = dsi::TransformOp::kFirstX, .inputs = {column.name}, .n = 3});
  }
  return pipeline;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({bytes, bytes + size}, "input"));
  if (!reader.ok()) return 0;
  const auto findings = (*reader)->Verify();
  const bool is_sound = findings.ok() && findings->empty();
  folder.Write(data, size);
  dsi::DatasetOptions open;
  open.threads = 1;
  const auto dataset = dsi::Dataset::Open(folder.path(), open);
  if (!dataset.ok()) {
    if (is_sound && IsDamage(dataset.status()))
      Disagree("Verify found no " + dataset.status().ToString());
    return 0;
  }
  const auto columns = (*dataset)->Columns();
  if (!columns.ok() || columns->size() > kMaxColumns) return 0;

  for (const dsi::Layout layout : {dsi::Layout::kPadded, dsi::Layout::kIkjt}) {
    dsi::DatasetScanOptions options;
    options.scan.features = {{.name = "*", .layout = layout, .width = 5}};
    options.scan.batch_size = 64;
    Read(**dataset, is_sound, options);
    options.order = {.unit = dsi::OrderUnit::kBlock, .seed = 7, .block_rows = 50};
    Read(**dataset, is_sound, options);
    options.order.mixing_rows = 200;
    Read(**dataset, is_sound, options);
    options.order.unit = dsi::OrderUnit::kStripe;
    options.order.mix = dsi::Mix::kRows;
    Read(**dataset, is_sound, options);
    options.shard = {.rank = 1, .world = 2, .remainder = dsi::Remainder::kUneven};
    options.pipeline = StepsOf(*columns);
    if (!options.pipeline.steps.empty()) {
      options.scan.features.clear();
      Read(**dataset, is_sound, options);
    }
  }
  for (const dsi::ColumnInfo& column : *columns) {
    dsi::DatasetScanOptions options;
    options.scan.features = {{.name = column.name, .layout = dsi::Layout::kJagged}};
    const bool is_number = column.kind == dsi::Kind::kDense || column.kind == dsi::Kind::kKey ||
                           column.kind == dsi::Kind::kLabel || column.kind == dsi::Kind::kTimestamp;
    if (is_number) options.scan.filter.where = {{column.name, dsi::Compare::kGreater, 3}};
    Read(**dataset, is_sound, options);
  }
  return 0;
}
