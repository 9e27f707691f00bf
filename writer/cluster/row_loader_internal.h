// Brings rows of the file into memory, clustered: those that are there are looked up, those in a
// spill file are read.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"
#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/cluster/row_sample_internal.h"
#include "dsi/writer/rows/list_sharing_internal.h"
#include "dsi/writer/spill/spilled_rows_internal.h"

namespace dsi::internal {

// Rows held together, in file order.
struct HeldRows {
  std::vector<RowBatch::FeatureBuffer> buffers;
  std::vector<FeatureSource> sources;
  std::vector<ClusteredFeature> features;
};

// Rows that were asked for. `sample.ranges` are the positions by which `features` know them.
struct LoadedRows {
  std::span<const ClusteredFeature> features;
  RowSample sample;
  std::unique_ptr<HeldRows> read;  // Where they were not in memory,
  std::vector<uint32_t> place_of;  // and, until they are put in order, where each row is.
};

// What the loader needs of its caller. All must outlive it.
struct LoaderInput {
  const Schema* schema = nullptr;       // As stored, with the position where it is kept.
  const TableTotals* totals = nullptr;  // Of the features of the schema.
  const RowList* rows = nullptr;
  bool keep_position = false;   // The last feature is the row of the input, …
  uint64_t first_position = 0;  // … of which so many came before those here.
  // Where the rows are: the features of a batch, whose rows are put in order, or a spill file.
  std::span<RowBatch::FeatureBuffer> held;
  const SpilledRows* spilled = nullptr;
  ListSharing* sharing = nullptr;  // Of what is read; knows no lists between calls.
  // What becomes of values that were read: rounding.
  std::function<Status(std::vector<RowBatch::FeatureBuffer>*)> on_read;
  // Calls work(i) for each i below a number, on all threads.
  std::function<Status(size_t, const std::function<void(size_t)>&)> for_each;
};

class RowLoader {
 public:
  explicit RowLoader(LoaderInput input) : in_(std::move(input)) {}

  // Once, before the rest.
  Status Prepare();
  // Read and PutInPlace.
  Result<LoadedRows> Load(std::span<const RowInterval> ranges);
  // By one thread, which may be another. `shelf`: has the rows where they are spilled; null: the
  // one that has all.
  Result<LoadedRows> Read(std::span<const RowInterval> ranges, const SpilledRows::Shelf* shelf);
  // By all threads. Only then `features` are there.
  Status PutInPlace(LoadedRows* loaded);
  // Entries of each feature in each interval: feature by feature.
  Result<std::vector<uint64_t>> CountEntries(std::span<const RowInterval> intervals);
  // What is known of each feature in the first so many rows alone.
  Result<std::vector<FeatureTotals>> CountFirst(uint32_t num_rows);

 private:
  // Puts the rows of these buffers in order: input_row[p] is the one that comes at p.
  Status Cluster(std::span<const uint32_t> input_row,
                 std::span<RowBatch::FeatureBuffer* const> buffers, HeldRows* held);
  Result<std::vector<ListedRow>> List(std::span<const RowInterval> ranges) const;

  LoaderInput in_;
  HeldRows held_;  // All rows, where they are in memory.
};

}  // namespace dsi::internal
