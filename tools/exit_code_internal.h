// How dsictl ends: exit codes, which are stable and meant for programs, and what people are told.
//
//   0  done                      3  I/O, or memory: missing files, full disks, exceeded limits
//   1  the file is damaged       4  unsupported: the file is sound but needs a newer dsictl
//   2  usage, or input that      5  diff found a difference
//      does not fit              128 + n  stopped by signal n: 129 hung up, 130 Ctrl-C,
//                                         141 nobody reads the output, 143 terminated
#pragma once

#include "dsi/base/status.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/hints_internal.h"

namespace dsi::tools {

inline constexpr int kExitOk = 0;
inline constexpr int kExitDamaged = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitIo = 3;
inline constexpr int kExitUnsupported = 4;
inline constexpr int kExitDifferent = 5;
inline constexpr int kExitClosedPipe = 141;

int ExitCode(const Status& status);

// Prints "dsictl: message" and what to do next, and returns the exit code. Silent for a closed
// pipe.
int ReportEnd(const Status& status, const Console& console, const AskedFor& asked);

}  // namespace dsi::tools
