// What Finish takes beside the rows held, so that rows are spilled before it is too late, and
// stripes are no larger than memory allows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/encode/encode_stripes_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

// Bytes at most, but for what any writer takes (uncounted: 32 MiB), with all rows in memory.
// Counted from the arrays that each stage has, with ids that never repeat and pages that do not
// compress. `memory_bytes`: of which sorting may take a share. Cost: linear in features.
// options.threads: as they are used, not 0.
uint64_t FinishMemory(const Schema& schema, const TableTotals& totals, const ClusterKeys& keys,
                      const WriterOptions& options, uint64_t memory_bytes);

// What a stripe and a sample may have at most so that they fit into options.memory_bytes. No limits
// where that is not stated, as the bytes of a file must not depend on the machine, nor where all
// rows fit: they depend on the rows and the options alone.
struct StripeLimits {
  uint64_t stripe_bytes = UINT64_MAX;
  uint32_t sample_rows = UINT32_MAX;
};
StripeLimits LimitsWithin(const Schema& schema, const TableTotals& totals,
                          const WriterOptions& options);

// Stripes that may be encoded beside each other, at least one, with rows of `held_bytes` in memory;
// more than threads are of no use.
size_t StripesWithin(const Schema& schema, const TableTotals& totals, const ClusterKeys& keys,
                     const WriterOptions& options, uint64_t memory_bytes, uint64_t held_bytes);

// The same of spilled rows: those of the stripes at hand alone are in memory.
StripesAtHand SpilledStripesWithin(const Schema& schema, const TableTotals& totals,
                                   const WriterOptions& options, uint64_t memory_bytes);

// As many threads as are worth their memory.
int ThreadsWithin(uint64_t memory_bytes, int threads);

}  // namespace dsi::internal
