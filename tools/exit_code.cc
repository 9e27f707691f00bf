#include "dsi/tools/exit_code_internal.h"

#include <fmt/format.h>

#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

std::string HintFor(StatusCode code, std::string_view verb) {
  switch (code) {
    case StatusCode::kOk:
    case StatusCode::kCancelled:
      return "";
    case StatusCode::kInvalidArgument:
      return verb.empty()
                 ? "'dsictl --help' lists the verbs"
                 : fmt::format("'dsictl {} --help' lists the options and shows examples", verb);
    case StatusCode::kNotFound:
      return "check the path";
    case StatusCode::kAlreadyExists:
      return "--force replaces it";
    case StatusCode::kCorrupt:
    case StatusCode::kTruncated:
      return verb == "verify" ? "make the file anew from its source, or fetch it again"
                              : "'dsictl verify FILE' lists all damage; fetch the file again";
    case StatusCode::kUnsupported:
      return "a newer dsictl may read it; 'dsictl --version' shows yours";
    case StatusCode::kNotDsi:
      return "'dsictl convert IN OUT.dsi' makes a .dsi file from JSON Lines, CSV or TSV";
    case StatusCode::kIo:
      return "check the path, the permissions and the space left";
    case StatusCode::kResourceExhausted:
      return "raise the limit (--memory), or split the input";
    case StatusCode::kBadInput:
      return "correct the input; 'dsictl schema IN' shows what is taken for its schema";
    case StatusCode::kOutOfRange:
      return "choose a wider type for the feature in the schema";
  }
  return "";
}

}  // namespace

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

int ReportEnd(const Status& status, const Console& console, std::string_view verb) {
  if (status.ok()) return kExitOk;
  if (console.pipe_is_closed()) return kExitClosedPipe;
  if (status.code() == StatusCode::kCancelled) {
    PrintError("dsictl: stopped by a signal; no unfinished file was left\n");
    return ExitCode(status);
  }
  std::string text = fmt::format("dsictl: {}\n", Printable(status.message()));
  const std::string hint = console.hint.empty() ? HintFor(status.code(), verb) : console.hint;
  if (!hint.empty()) text += fmt::format("  hint: {}\n", Printable(hint));
  PrintError(text);
  return ExitCode(status);
}

}  // namespace dsi::tools
