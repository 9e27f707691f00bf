// Ctrl-C and its kin: a signal raises a flag, long work looks at it between two pieces and gives up
// cleanly. A second signal ends the process at once.
#pragma once

#include "dsi/base/status.h"

namespace dsi::tools {

inline constexpr int kSignalOfCtrlC = 2;

// Catches SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE and SIGXFSZ, whose system calls then fail
// with an error that can be reported.
void CatchSignals();

// The signal that arrived, or 0.
int InterruptSignal();

// kCancelled once a signal has arrived.
Status CheckInterrupt();

}  // namespace dsi::tools
