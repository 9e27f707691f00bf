// What Finish takes beside the rows held, so that memory_bytes can refuse rows before it is too
// late.
#pragma once

#include <cstdint>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

// Bytes at most, but for what any writer takes (uncounted: 32 MiB). Counted from the arrays that
// each stage has, with ids that never repeat and pages that do not compress. Cost: linear in
// features. options.threads: as they are used, not 0.
uint64_t FinishMemory(const RowBatch& rows, const ClusterKeys& keys, const WriterOptions& options);

// As many threads as are worth their memory.
int ThreadsWithin(uint64_t memory_bytes, int threads);

}  // namespace dsi::internal
