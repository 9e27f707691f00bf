// Runs independent pieces of work on a few threads. The outcome must not depend on which thread
// runs what: each piece writes its own slot.
#pragma once

#include <cstddef>
#include <functional>

#include "dsi/base/status.h"

namespace dsi::internal {

// As many threads as are asked for, at least 1; 0: as many as the machine runs at once.
int NumThreads(int asked);

// Calls work(i) for every i in [0, count) on up to `threads` threads (the caller's among them), or
// stops early after a failure. `poll` is called from the caller's thread between pieces; a failed
// status of it stops as well. Returns the failure of the smallest i, so that errors are the same at
// any thread count. What work and poll throw becomes a status (NoThrow); a thread that cannot be
// started is done without.
Status ParallelFor(size_t count, int threads, const std::function<Status(size_t)>& work,
                   const std::function<Status()>& poll);

}  // namespace dsi::internal
