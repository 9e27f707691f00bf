// dsictl verify: is every byte of these files as it was written?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/dataset/dataset.h"
#include "dsi/io/open.h"
#include "dsi/io/uri_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/exit_code_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> files;
  size_t max_findings = 20;
};

struct Finding {
  std::string path;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  bool is_overlay = false;
  std::vector<Damage> damage;       // What is not as it was written …
  std::vector<Damage> unsupported;  // … and what only a newer reader can judge.
  uint64_t whole_bytes = 0;         // Where it ends in an unfinished append: those before (F-035).
  Status failure;                   // The file could not be judged: I/O, or a signal.
};

// Of a file that ends in an unfinished append: how long it was before; else 0.
uint64_t WholeBytes(const std::string& path) {
  const auto whole = Reader::FindLastFile(path);
  const auto file = OpenUri(path);
  return whole.ok() && file.ok() && *whole < (*file)->size() ? *whole : 0;
}

// Damage found on opening counts as damage.
Finding Check(const std::string& path, Progress* progress) {
  Finding finding;
  finding.path = internal::ShownName(path);
  const auto settle = [&finding](Damage found) {
    const int code = ExitCode(found.status);
    if (code == kExitDamaged) {
      finding.damage.push_back(std::move(found));
    } else if (code == kExitUnsupported) {
      finding.unsupported.push_back(std::move(found));
    } else {
      finding.failure = found.status;
    }
  };
  const auto reader = Reader::Open(path);
  if (!reader.ok()) {
    settle({.status = reader.status(), .where = ""});
    if (!finding.damage.empty()) finding.whole_bytes = WholeBytes(path);
    return finding;
  }
  finding.bytes = (*reader)->info().file_bytes;
  finding.rows = (*reader)->info().num_rows;
  finding.is_overlay = (*reader)->info().overlay.has_value();
  VerifyOptions options;
  options.progress = [&](const VerifyProgress& now) {
    return progress->Update("verifying " + Printable(finding.path), now.bytes_done, now.bytes_total,
                            ProgressUnit::kBytes);
  };
  auto damage = (*reader)->Verify(options);
  if (!damage.ok()) {
    settle({.status = damage.status(), .where = ""});
    return finding;
  }
  for (Damage& found : *damage) settle(std::move(found));
  return finding;
}

// A file known to be damaged is no less so where it could not be read to its end.
std::string_view StateOf(const Finding& finding) {
  if (!finding.damage.empty()) return "damaged";
  if (!finding.failure.ok()) return "unreadable";
  return finding.unsupported.empty() ? "sound" : "unsupported";
}

Json ToJson(const std::vector<Damage>& found) {
  Json json = Json::array();
  for (const Damage& damage : found) {
    json.push_back({{"code", StatusCodeName(damage.status.code())},
                    {"where", damage.where},
                    {"message", damage.status.message()}});
  }
  return json;
}

Json ToJson(const Finding& finding) {
  Json json = {{"path", finding.path}};
  json["state"] = std::string(StateOf(finding));
  json["bytes"] = finding.bytes;
  json["rows"] = finding.rows;
  if (!finding.failure.ok()) json["error"] = finding.failure.message();
  json["whole_bytes"] = finding.whole_bytes;
  json["damage"] = ToJson(finding.damage);
  json["unsupported"] = ToJson(finding.unsupported);
  return json;
}

// What a status says, without the file's name in front: the line begins with it.
std::string Message(const Status& status, const std::string& path) {
  std::string_view message = status.message();
  if (message.starts_with(path + ": ")) message.remove_prefix(path.size() + 2);
  return Printable(message);
}

std::string ToText(const Finding& finding, size_t max_findings) {
  const std::string_view state = StateOf(finding);
  const std::string path = Printable(finding.path);
  if (state == "unreadable")
    return fmt::format("{}: unreadable: {}\n", path, Message(finding.failure, finding.path));
  std::string text;
  size_t shown = 0;
  for (const auto* const found : {&finding.damage, &finding.unsupported}) {
    for (const Damage& damage : *found) {
      if (shown++ >= max_findings) continue;
      text += fmt::format("{}: {}{}{}: {}\n", path,
                          found == &finding.damage ? "damaged" : "unsupported",
                          damage.where.empty() ? "" : ": ", Printable(damage.where),
                          Message(damage.status, finding.path));
    }
  }
  if (shown > max_findings) {
    text += fmt::format("{}: {} more findings (--all shows them)\n", path, shown - max_findings);
  }
  if (finding.whole_bytes != 0) {
    text += fmt::format(
        "{0}: it ends in an unfinished append; its first {1} bytes are a whole file, "
        "which `head -c {1}` gives back\n",
        path, finding.whole_bytes);
  }
  if (state == "damaged") return text;
  return text + fmt::format("{}: sound{}, {} rows, {}\n", path,
                            state == "sound" ? "" : " but for what is unsupported",
                            CountText(finding.rows), BytesText(finding.bytes));
}

// What is said of all files: the worst of them. `count` of them are so.
Status Worst(StatusCode code, const Options& options, size_t count, std::string_view what) {
  return Status(code, options.files.size() == 1
                          ? fmt::format("{} is {}", internal::ShownName(options.files[0]), what)
                          : fmt::format("{} of {} files {} {}", count, options.files.size(),
                                        count == 1 ? "is" : "are", what));
}

Status Run(const Options& options, Console* console) {
  Json files = Json::array();
  size_t num_damaged = 0;
  size_t num_unsupported = 0;
  size_t num_overlays = 0;
  StatusCode damage = StatusCode::kCorrupt;
  Status failure;
  for (const std::string& path : options.files) {
    Finding finding;
    {
      Progress progress(*console);
      finding = Check(path, &progress);
    }
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    if (!finding.failure.ok() && failure.ok()) failure = finding.failure;
    if (!finding.damage.empty() && num_damaged++ == 0) damage = finding.damage[0].status.code();
    if (!finding.unsupported.empty()) ++num_unsupported;
    if (finding.is_overlay) ++num_overlays;
    if (console->json) {
      files.push_back(ToJson(finding));
    } else if (options.files.size() == 1 && !finding.failure.ok() && finding.damage.empty()) {
      // Said by the error that ends it.
    } else if (!console->quiet || StateOf(finding) != "sound") {
      DSI_RETURN_IF_ERROR(console->Print(ToText(finding, options.max_findings)));
    }
  }
  if (console->json) {
    const Json json = {{"files", files}};
    DSI_RETURN_IF_ERROR(PrintJson(json, console));
  }
  // Known damage outweighs a file that could not be read, and that one what is merely new.
  if (num_damaged > 0) return Worst(damage, options, num_damaged, "damaged");
  DSI_RETURN_IF_ERROR(failure);
  // DS-041: beside files that may be their bases, overlays are to fit one of them.
  if (num_overlays != 0 && num_overlays != options.files.size())
    DSI_RETURN_IF_ERROR(Dataset::Open(options.files).status());
  if (num_unsupported == 0) return Status::Ok();
  return Worst(StatusCode::kUnsupported, options, num_unsupported,
               "of a newer kind: parts could not be judged");
}

}  // namespace

VerbAction AddVerify(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->files, "One or more .dsi files: paths or URLs")
      ->required()
      ->type_name("");
  app->add_flag_callback(
      "--all", [options] { options->max_findings = SIZE_MAX; },
      "Show every finding, not the first 20 of a file");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Exit codes: 0 all files are sound, 1 one is damaged (or is no .dsi file), 3 one cannot be "
      "read,\n4 one needs a newer dsictl to be judged in all parts.\n\n"
      "Examples:\n"
      "  dsictl verify clicks.dsi\n"
      "  dsictl verify --json day=*/part-*.dsi\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
