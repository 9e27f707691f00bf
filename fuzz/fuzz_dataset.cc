// Opens a dataset of the two files of the input (file_pair.h), such as a base and its overlay or
// files of unlike schemas, and reads it in file order and shuffled, with transforms, with a filter,
// by one thread and by several. Whatever the bytes, a call returns a value or a Status; batches do
// not depend on threads, and what Verify calls sound is read.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/fuzz/file_pair.h"
#include "dsi/fuzz/pair_mutator.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
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

// By one thread, and by several with batches made ahead: the same batches, the same end. False: no
// row was read, or not the last.
bool Read(const dsi::Dataset& dataset, bool is_sound, dsi::DatasetScanOptions options) {
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
  return one.end.ok() && !rows_of_one.empty();
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

// What the last input came to: words for FuzzReached.
std::string reached;

struct InputFile {
  std::unique_ptr<dsi::Reader> reader;  // Null: it does not open.
  bool is_sound = false;
};

InputFile Write(std::span<const std::byte> bytes, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({bytes.begin(), bytes.end()}, path));
  if (!reader.ok()) return {};
  const auto findings = (*reader)->Verify();
  return {std::move(*reader), findings.ok() && findings->empty()};
}

// Where all columns of the dataset were read to the last row.
std::string Words(const dsi::Dataset& dataset, const std::vector<dsi::ColumnInfo>& columns,
                  const InputFile (&inputs)[2]) {
  std::string words;
  if (!dataset.files()[0].overlays.empty()) words += "overlay ";
  if (inputs[0].reader->info().num_deleted_rows > 0) words += "deleted ";
  for (const dsi::ColumnInfo& column : columns) {
    for (const InputFile& input : inputs) {
      const auto stored = input.reader->FindColumn(column.name);
      if (!stored.ok()) {
        words += "lacks ";
      } else if (stored->type != column.type) {
        words += "widens ";
      }
    }
  }
  return words;
}

}  // namespace

// For seeds that say what they come to.
extern "C" const char* FuzzReached() { return reached.c_str(); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return dsi::fuzz::MutatePair(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dsi::test::TempFolder folder;
  reached.clear();
  const auto pair = dsi::fuzz::SplitPair({reinterpret_cast<const std::byte*>(data), size});
  const InputFile inputs[] = {Write(pair.first, folder.File("a.dsi")),
                              Write(pair.second, folder.File("b.dsi"))};
  const bool is_sound = inputs[0].is_sound && inputs[1].is_sound;
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
    if (Read(**dataset, is_sound, options)) reached = Words(**dataset, *columns, inputs);
    options.order = {.unit = dsi::OrderUnit::kBlock, .seed = 7, .block_rows = 50};
    Read(**dataset, is_sound, options);
    options.order.mixing_rows = 200;
    Read(**dataset, is_sound, options);
    options.order.unit = dsi::OrderUnit::kStripe;
    options.order.mix = dsi::Mix::kRows;
    Read(**dataset, is_sound, options);
    options.order.mixing_rows = 0;
    options.order.mixing_bytes = 10'000;
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
