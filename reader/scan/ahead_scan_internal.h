// A scan whose batches are made ahead by a thread of its own.
#pragma once

#include <memory>

#include "dsi/reader/scan.h"

namespace dsi::internal {

// What Next says in a child of the process that made a scan with threads.
inline constexpr char kForked[] =
    "this process was forked from the one that made the scan, whose threads are not here; open the "
    "file and scan it anew";

// Takes over a scan that has handed nothing out, with the options it was made with. The thread
// starts here, and ends with the scan, after the batch it is making. In a forked child Next is
// kInvalidArgument: the thread is not there. kResourceExhausted: no thread could be started.
Result<std::unique_ptr<Scan>> MakeAheadScan(std::unique_ptr<Scan> made_from,
                                            const ScanOptions& options);

}  // namespace dsi::internal
