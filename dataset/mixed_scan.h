// Batches of several datasets by weight, each with columns and an order of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset_scan.h"

namespace dsi {

// What happens when it is the turn of a source that has no batch left.
enum class Exhausted : uint8_t {
  kStop,    // The end, also of the others.
  kDrop,    // The others go on by their weights, until all have ended.
  kRepeat,  // It begins anew, another round; there is no end.
};

struct MixedSource {
  // Batches of this source for each of another of weight 1. From 1; the sum of all is at most
  // 65,536.
  uint32_t weight = 1;
  // Makes the scan: `state` is what DatasetScanOptions::state takes (empty: from the start),
  // `round` how often the source began before (Exhausted::kRepeat), which an order may take for its
  // epoch. The same round must give the same batches. Its Dataset outlives the MixedScan.
  std::function<Result<std::unique_ptr<DatasetScan>>(uint64_t round, const std::string& state)>
      open = {};
};

struct MixedScanOptions {
  Exhausted exhausted = Exhausted::kStop;
  // What MixedScan::state() gave. Weights and policy must be the same. Empty: from the start.
  std::string state = {};
};

// Which source gives the next batch is a function of the weights alone (spec DO-016): after any t
// batches each source has given its part of t, less than one batch off, and over as many batches as
// the weights sum up to exactly its weight. Ranks whose sources have equally many batches
// (Remainder::kDrop and kPad) therefore have the same source at each step.
//
// Thread safety: one thread at a time. Nothing throws; what a callback throws is kCancelled.
class DSI_EXPORT MixedScan {
 public:
  static constexpr uint64_t kWithoutEnd = UINT64_MAX;

  // Opens all sources. kInvalidArgument: no source, weights out of range, no callback, a source
  // without batches that is to be repeated; kBadInput: a state of other sources; what callbacks
  // return.
  static Result<std::unique_ptr<MixedScan>> Make(std::vector<MixedSource> sources,
                                                 const MixedScanOptions& options = {});
  ~MixedScan();

  // Fills *batch with the next batch, of source(); false at the end. After an error the scan is
  // over.
  Result<bool> Next(Batch* batch);
  // As Scan::Cancel, of all sources. From any thread.
  void Cancel() noexcept;
  size_t source() const noexcept;  // Of the last batch.
  // The scan of a source as it is now: columns, rows of its last batch, counts. Null: a source that
  // had ended where the state was taken.
  DatasetScan* scan(size_t source) noexcept;
  // All that this object hands out; exact; kWithoutEnd with Exhausted::kRepeat.
  uint64_t num_batches() const noexcept;
  // A small JSON with the states of all sources (spec DO-017).
  Result<std::string> state() const;

 private:
  class Impl;
  explicit MixedScan(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi
