// Scans a folder as one rank of a job, shuffled, with a pipeline, and goes on where it stopped:
// RANK=0 WORLD_SIZE=1 scan_dataset FOLDER PIPELINE.json OUTPUT STATE [MOST_BATCHES]
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"

namespace {

constexpr uint64_t kSaveEvery = 4;  // Batches. A job saves as often as it saves its model.

int Fail(const dsi::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

uint32_t Number(const char* variable, uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

// Empty where there is none yet: from the start.
std::string ReadState(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whoever dies while writing leaves the state before.
bool SaveState(const std::string& path, const std::string& state) {
  std::ofstream file(path + ".new");
  file << state << std::flush;
  return file.good() && std::rename((path + ".new").c_str(), path.c_str()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    std::fprintf(stderr, "usage: scan_dataset FOLDER PIPELINE.json OUTPUT STATE [MOST_BATCHES]\n");
    return 2;
  }
  const std::string output = argv[3], state_path = argv[4];
  const uint64_t most = argc == 6 ? std::strtoull(argv[5], nullptr, 10) : UINT64_MAX;
  auto dataset = dsi::Dataset::Open(argv[1]);
  if (!dataset.ok()) return Fail(dataset.status());
  auto pipeline = dsi::Pipeline::FromJsonFile(argv[2]);
  if (!pipeline.ok()) return Fail(pipeline.status());

  dsi::DatasetScanOptions options;
  options.pipeline = *pipeline;
  options.scan.features = {{.name = output, .layout = dsi::Layout::kIkjt}};
  options.scan.batch_size = 256;
  options.order = {.unit = dsi::OrderUnit::kStripe, .seed = 42, .mixing_rows = 4096};
  options.shard = {.rank = Number("RANK", 0), .world = Number("WORLD_SIZE", 1)};
  options.state = ReadState(state_path);
  auto scan = (*dataset)->NewScan(options);
  if (!scan.ok()) return Fail(scan.status());

  dsi::Batch batch;  // Reused.
  std::vector<dsi::BatchRow> rows;
  for (uint64_t i = 0; i < most; ++i) {
    auto more = (*scan)->Next(&batch);
    if (!more.ok()) return Fail(more.status());
    if (!*more) break;
    auto lists = batch.Ikjt(output);
    if (!lists.ok()) return Fail(lists.status());
    if (dsi::Status status = (*scan)->RowsOf(batch, &rows); !status.ok()) return Fail(status);
    if (rows.empty()) continue;  // Only a filter empties a batch.
    std::printf("%zu rows, %zu unique, first row %" PRIu64 " of %s\n", rows.size(),
                lists->unique.rows, rows[0].row, (*dataset)->files()[rows[0].file].path.c_str());
    // All ranks stand at the same batch, so one state stands for all.
    if ((i + 1) % kSaveEvery != 0 || options.shard.rank != 0) continue;
    auto state = (*scan)->state();
    if (!state.ok()) return Fail(state.status());
    if (!SaveState(state_path, *state)) return std::perror(state_path.c_str()), 1;
  }
  return 0;
}
