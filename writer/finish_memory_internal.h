// What Finish takes beside the rows held, so that rows are spilled before it is too late, and
// stripes are no larger than memory allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/encode/encode_stripes_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

// What a stripe and a sample may have at most.
struct StripeLimits {
  uint64_t fresh_bytes = UINT64_MAX;
  uint32_t stripe_rows = UINT32_MAX;
  uint32_t sample_rows = UINT32_MAX;
};

// Counts from the arrays that each stage has, with ids that never repeat and pages that do not
// compress. Lists that rows share count once or twice, but for those that a group stores with each
// of its unique rows because the schema says so (by_row). Cost of a call: linear in features.
class FinishMemory {
 public:
  // All must outlive this. options.threads: as they are used, not 0.
  FinishMemory(const Schema& schema, const ClusterKeys& keys, const WriterOptions& options);

  // Bytes at most, but for what any writer takes (uncounted: 32 MiB), with all rows in memory.
  // `memory_bytes`: of which sorting may take a share.
  uint64_t Bytes(const TableTotals& totals, uint64_t memory_bytes) const;
  // Within options.memory_bytes. No limits where that is not stated, as the bytes of a file must
  // not depend on the machine, nor where all rows fit: they depend on the rows and the options
  // alone.
  StripeLimits Limits(const TableTotals& totals) const;
  const std::vector<bool>& by_row() const { return by_row_; }
  // Stripes that may be encoded beside each other, at least one, with rows of `held_bytes` in
  // memory; more than threads are of no use.
  size_t Stripes(const TableTotals& totals, uint64_t memory_bytes, uint64_t held_bytes) const;
  // The same of spilled rows, in stripes of these limits: those of the stripes at hand alone are in
  // memory.
  StripesAtHand SpilledStripes(const TableTotals& totals, const StripeLimits& limits,
                               uint64_t memory_bytes) const;

 private:
  const Schema& schema_;
  const ClusterKeys& keys_;
  const WriterOptions& options_;
  uint64_t threads_;
  std::vector<bool> by_row_;  // Features whose lists may be there for each unique row of a group.
};

// As many threads as are worth their memory.
int ThreadsWithin(uint64_t memory_bytes, int threads);

}  // namespace dsi::internal
