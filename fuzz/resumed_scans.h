// Scans and mixtures of scans of a real dataset that go on from states of any text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/mixed_scan.h"
#include "dsi/dataset/order/mixed_state_internal.h"
#include "dsi/dataset/order/scan_state_internal.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/fuzz/small_file.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::fuzz {

// Two files of three stripes and sessions of three rows.
class ResumedDataset {
 public:
  ResumedDataset() {
    constexpr char kSchema[] = R"({"cluster_by": ["user", "time"], "features": [
      {"name": "user", "kind": "key", "type": "int64"},
      {"name": "time", "kind": "timestamp", "unit": "s"},
      {"name": "clicks", "kind": "list", "type": "int64"}]})";
    WriterOptions options;
    options.stripe_rows = 10;
    for (const char* const name : {"a.dsi", "b.dsi"}) {
      std::string rows;
      for (int i = 0; i < 30; ++i) {
        const std::string user = std::to_string(i / 3);
        rows += "{\"user\": " + user + ", \"time\": " + std::to_string(i) + ", \"clicks\": [" +
                user + ", 7]}\n";
      }
      const std::vector<std::byte> bytes = WriteFile(kSchema, rows, options);
      std::ofstream(folder_.File(name), std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    }
    auto opened = Dataset::Open(folder_.path());
    if (!opened.ok()) Disagree("dataset: " + opened.status().ToString());
    dataset_ = std::move(*opened);
  }

  // As the state says it, by the only rank of a world.
  static DatasetScanOptions OptionsOf(const internal::ScanState& state) {
    DatasetScanOptions options;
    options.scan.features = {{.name = "clicks", .layout = Layout::kIkjt}, {.name = "user"}};
    options.scan.batch_size = state.batch_size;
    options.scan.drop_last = state.drop_last;
    options.scan.memory_bytes = kMemoryBytes;
    options.order = state.order;
    options.shard.remainder = Remainder::kUneven;
    return options;
  }

  // The same state of this dataset's rows, as far as it has them; what it has none of stays as it
  // is, and is then refused.
  Result<internal::ScanState> Adopt(const internal::ScanState& state) const {
    DSI_ASSIGN_OR_RETURN(const auto scan, dataset_->NewScan(OptionsOf(state)));
    DSI_ASSIGN_OR_RETURN(const std::string text, scan->state());
    DSI_ASSIGN_OR_RETURN(internal::ScanState adopted, internal::ScanState::FromJson(text));
    adopted.left = state.left;
    adopted.world = state.world;
    adopted.remainder = state.remainder;
    adopted.handed_out = state.handed_out;
    return adopted;
  }

  const Dataset& dataset() const { return *dataset_; }

 private:
  test::TempFolder folder_;
  std::unique_ptr<Dataset> dataset_;
};

// All batches that the state leaves, each row once; false: the scan was refused.
inline bool ReadRest(const Dataset& dataset, const DatasetScanOptions& options, uint64_t expected) {
  const auto scan = dataset.NewScan(options);
  if (!scan.ok()) {
    if (scan.status().message().empty()) Disagree("an error without words");
    return false;
  }
  if ((*scan)->num_batches() != expected) Disagree("other batches than the state leaves");
  Batch batch;
  std::set<std::pair<uint32_t, uint64_t>> seen;
  std::vector<BatchRow> rows;
  for (uint64_t i = 0; i < expected; ++i) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok() || !*more) Disagree("a batch less than the state leaves");
    if (!(*scan)->RowsOf(batch, &rows).ok()) Disagree("rows of a batch");
    for (const BatchRow& row : rows) {
      if (row.file >= dataset.files().size() || row.row >= dataset.files()[row.file].num_rows)
        Disagree("a row that no file has");
      if (!seen.emplace(row.file, row.row).second) Disagree("a row that comes twice");
    }
  }
  const auto more = (*scan)->Next(&batch);
  if (!more.ok() || *more) Disagree("a batch more than the state leaves");
  const auto end = internal::ScanState::FromJson(*(*scan)->state());
  if (!end.ok() || !end->Remaining().empty()) Disagree("batches are left at the end");
  return true;
}

// Batches of ranks of the state's own world, one of which is named by the state alone.
inline void ReadRanks(const Dataset& dataset, const internal::ScanState& state,
                      DatasetScanOptions options) {
  for (const uint32_t rank : {uint32_t{0}, state.world / 2, state.world - 1}) {
    options.shard = {.rank = rank, .world = state.world, .remainder = state.remainder};
    const auto read = ReadBatches(dataset.NewScan(options), [](const auto&, const auto&) {});
    if (!read.end.ok()) Disagree("a rank: " + read.end.ToString());
    for (const int64_t step : {int64_t{-1}, int64_t{0}, INT64_MIN, INT64_MAX}) {
      auto one = OptionsOfBatch(options.state, rank, step);
      if (!one.ok()) continue;
      one->scan.features = options.scan.features;
      const auto batch = ReadBatches(dataset.NewScan(*one), [](const auto&, const auto&) {});
      if (!batch.end.ok() || batch.tensors.size() != 1) Disagree("no such batch of a rank");
    }
  }
}

// Goes on from the text as it is, and with the names of this dataset in it. False: it is refused.
inline bool ResumeScan(const ResumedDataset& resumed, const std::string& text,
                       const internal::ScanState& state) {
  DatasetScanOptions options = ResumedDataset::OptionsOf(state);
  options.state = text;
  const uint64_t left = internal::CountBatchesOf(state.Remaining());
  ReadRest(resumed.dataset(), options, left);
  const auto adopted = resumed.Adopt(state);
  if (!adopted.ok()) return false;
  options.state = adopted->ToJson();
  if (!ReadRest(resumed.dataset(), options, left)) return false;
  ReadRanks(resumed.dataset(), *adopted, options);
  return left > 0;
}

// The first batches of a mixture whose sources are this dataset, from the start or from states of
// it. False: there is none.
inline bool ResumeMixture(const ResumedDataset& resumed, const std::string& text,
                          const internal::MixedState& state) {
  std::vector<MixedSource> sources;
  for (const internal::MixedSourceState& of_source : state.sources) {
    const auto open = [&resumed](uint64_t round, const std::string& from) {
      DatasetScanOptions options;
      if (const auto given = internal::ScanState::FromJson(from); given.ok()) {
        options = ResumedDataset::OptionsOf(*given);
        const auto adopted = resumed.Adopt(*given);
        options.state = adopted.ok() ? adopted->ToJson() : from;
      } else {
        options.scan.batch_size = 8;
        options.order.epoch = round;
        options.state = from;
      }
      return resumed.dataset().NewScan(options);
    };
    sources.push_back({.weight = of_source.weight, .open = open});
  }
  const auto mixed = MixedScan::Make(sources, {.exhausted = state.exhausted, .state = text});
  if (!mixed.ok()) {
    if (mixed.status().message().empty()) Disagree("an error without words");
    return false;
  }
  Batch batch;
  uint64_t count = 0;
  for (; count < static_cast<uint64_t>(kMaxBatches); ++count) {
    const auto more = (*mixed)->Next(&batch);
    if (!more.ok() && more.status().message().empty()) Disagree("an error without words");
    if (!more.ok() || !*more) break;
    const size_t source = (*mixed)->source();
    if (source >= sources.size() || state.sources[source].ended) Disagree("a source that ended");
    const auto now = (*mixed)->state();
    if (!now.ok() || !internal::MixedState::FromJson(*now).ok()) Disagree("state of a mixture");
  }
  if (count > (*mixed)->num_batches()) Disagree("more batches than were said");
  return count > 0;
}

}  // namespace dsi::fuzz
