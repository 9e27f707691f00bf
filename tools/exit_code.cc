#include "dsi/tools/exit_code_internal.h"

#include <fmt/format.h>

#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {

int ExitCode(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kCorrupt:
    case StatusCode::kTruncated:
    case StatusCode::kNotDsi:
      return kExitDamaged;
    case StatusCode::kUnsupported:
      return kExitUnsupported;
    case StatusCode::kInvalidArgument:
    case StatusCode::kAlreadyExists:
    case StatusCode::kBadInput:
    case StatusCode::kOutOfRange:
      return kExitUsage;
    case StatusCode::kNotFound:
    case StatusCode::kIo:
    case StatusCode::kResourceExhausted:
      return kExitIo;
    case StatusCode::kCancelled:
      return 128 + (InterruptSignal() != 0 ? InterruptSignal() : kSignalOfCtrlC);
  }
  return kExitIo;
}

int ReportEnd(const Status& status, const Console& console, const AskedFor& asked) {
  if (status.ok()) return console.is_different ? kExitDifferent : kExitOk;
  if (console.pipe_is_closed()) return kExitClosedPipe;
  if (status.code() == StatusCode::kCancelled) {
    PrintError("dsictl: stopped by a signal; no unfinished file was left\n");
    return ExitCode(status);
  }
  std::string text = fmt::format("dsictl: {}\n", Printable(status.message()));
  const std::string hint = console.hint.empty() ? HintFor(status, asked) : console.hint;
  if (!hint.empty()) text += fmt::format("  hint: {}\n", Printable(hint));
  PrintError(text);
  return ExitCode(status);
}

}  // namespace dsi::tools
