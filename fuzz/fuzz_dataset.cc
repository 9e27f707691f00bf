// Opens a dataset of which the input is a file, twice, and reads it in file order and shuffled,
// with transforms, with a filter, by one thread and by several. Whatever the bytes, a call returns
// a value or a Status; batches do not depend on threads, and what Verify calls sound is read.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/tests/support/file_answer.h"
#include "dsi/tests/support/temp_folder.h"

namespace {

// Columns that are read; in files of thousands all were read by other targets.
constexpr size_t kMaxColumns = 64;

using dsi::fuzz::Batches;
using dsi::fuzz::Disagree;
using dsi::test::Outcome;
using Rows = std::vector<std::pair<uint32_t, uint64_t>>;

Batches ReadBatches(const dsi::Dataset& dataset, const dsi::DatasetScanOptions& options,
                    Rows* all_rows) {
  std::vector<dsi::BatchRow> rows;
  const auto look = [&](const dsi::DatasetScan& scan, const dsi::Batch& batch) {
    if (const dsi::Status status = scan.RowsOf(batch, &rows); !status.ok())
      Disagree("rows of a batch: " + status.ToString());
    for (const dsi::BatchRow& row : rows) all_rows->emplace_back(row.file, row.row);
    if (const auto state = scan.state(); !state.ok())
      Disagree("state: " + state.status().ToString());
  };
  return dsi::fuzz::ReadBatches(dataset.NewScan(options), look);
}

bool IsDamage(const dsi::Status& status) {
  const Outcome outcome = dsi::test::OutcomeOf(status);
  return outcome == Outcome::kDamaged || outcome == Outcome::kUnsupported;
}

// By one thread, and by several with batches made ahead: the same batches, the same end.
void Read(const dsi::Dataset& dataset, bool is_sound, dsi::DatasetScanOptions options) {
  options.scan.memory_bytes = dsi::fuzz::kMemoryBytes;
  Rows rows_of_one, rows_of_three;
  const Batches one = ReadBatches(dataset, options, &rows_of_one);
  options.scan.threads = 3;
  options.scan.read_ahead_bytes = 4096;
  const Batches three = ReadBatches(dataset, options, &rows_of_three);
  for (const Batches* read : {&one, &three}) {
    if (is_sound && IsDamage(read->end)) Disagree("Verify found no " + read->end.ToString());
  }
  dsi::fuzz::RequireSame(one, three);
  if (one.tensors == three.tensors && rows_of_one != rows_of_three)
    Disagree("the same batches of other rows");
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
  static const dsi::test::TempFolder folder;
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({bytes, bytes + size}, "input"));
  if (!reader.ok()) return 0;
  const auto findings = (*reader)->Verify();
  const bool is_sound = findings.ok() && findings->empty();
  for (const char* name : {"a.dsi", "b.dsi"}) {
    std::ofstream file(folder.File(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
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
    options.scan.filter = dsi::fuzz::FilterOf(column);
    Read(**dataset, is_sound, options);
  }
  return 0;
}
