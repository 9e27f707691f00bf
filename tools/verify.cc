// dsictl verify: is every byte of these files as it was written?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/reader/reader.h"
#include "dsi/tools/exit_code_internal.h"
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
  std::vector<Damage> damage;
  Status failure;  // The file could not be judged: I/O, or a signal.
};

// Status of the same kind that a whole file deserves: damage found on opening counts as damage.
Finding Check(const std::string& path, Progress* progress) {
  Finding finding{.path = path, .bytes = 0, .rows = 0, .damage = {}, .failure = {}};
  const auto settle = [&finding](const Status& status) {
    if (ExitCode(status) == kExitDamaged) {
      finding.damage.push_back({.status = status, .where = ""});
    } else {
      finding.failure = status;
    }
  };
  const auto reader = Reader::Open(path);
  if (!reader.ok()) {
    settle(reader.status());
    return finding;
  }
  finding.bytes = (*reader)->info().file_bytes;
  finding.rows = (*reader)->info().num_rows;
  VerifyOptions options;
  options.progress = [&](const VerifyProgress& now) {
    return progress->Update("verifying " + Printable(path), now.bytes_done, now.bytes_total,
                            ProgressUnit::kBytes);
  };
  auto damage = (*reader)->Verify(options);
  if (damage.ok()) {
    finding.damage = *std::move(damage);
  } else {
    settle(damage.status());
  }
  return finding;
}

Json ToJson(const Finding& finding) {
  Json json = {{"path", finding.path}};
  const bool unreadable = !finding.failure.ok();
  json["state"] = unreadable ? "unreadable" : finding.damage.empty() ? "sound" : "damaged";
  json["bytes"] = finding.bytes;
  json["rows"] = finding.rows;
  if (unreadable) json["error"] = finding.failure.message();
  json["damage"] = Json::array();
  for (const Damage& damage : finding.damage) {
    json["damage"].push_back({{"code", StatusCodeName(damage.status.code())},
                              {"where", damage.where},
                              {"message", damage.status.message()}});
  }
  return json;
}

std::string ToText(const Finding& finding, size_t max_findings) {
  if (!finding.failure.ok()) return "";
  if (finding.damage.empty()) {
    return fmt::format("{}: sound, {} rows, {}\n", Printable(finding.path), CountText(finding.rows),
                       BytesText(finding.bytes));
  }
  std::string text;
  for (size_t i = 0; i < finding.damage.size(); ++i) {
    if (i == max_findings) {
      text += fmt::format("{}: {} more findings (--all shows them)\n", Printable(finding.path),
                          finding.damage.size() - i);
      break;
    }
    const Damage& damage = finding.damage[i];
    text += fmt::format("{}: damaged{}{}: {}\n", Printable(finding.path),
                        damage.where.empty() ? "" : ": ", Printable(damage.where),
                        Printable(damage.status.message()));
  }
  return text;
}

Status Run(const Options& options, Console* console) {
  Json files = Json::array();
  size_t num_damaged = 0;
  Status damage;
  Status failure;
  for (const std::string& path : options.files) {
    Finding finding;
    {
      Progress progress(*console);
      finding = Check(path, &progress);
    }
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    if (!finding.failure.ok() && failure.ok()) failure = finding.failure;
    if (!finding.damage.empty() && num_damaged++ == 0) damage = finding.damage[0].status;
    if (console->json) {
      files.push_back(ToJson(finding));
    } else if (!console->quiet || !finding.damage.empty()) {
      DSI_RETURN_IF_ERROR(console->Print(ToText(finding, options.max_findings)));
    }
  }
  if (console->json) {
    const Json json = {{"files", files}};
    DSI_RETURN_IF_ERROR(
        console->Print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
  }
  // A file known to be damaged outweighs one that could not be read.
  if (num_damaged > 0) {
    return Status(damage.code(), options.files.size() == 1
                                     ? fmt::format("{} is damaged", options.files[0])
                                     : fmt::format("{} of {} files are damaged", num_damaged,
                                                   options.files.size()));
  }
  return failure;
}

}  // namespace

VerbAction AddVerify(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->files, "One or more .dsi files")->required()->type_name("");
  app->add_flag_callback(
      "--all", [options] { options->max_findings = SIZE_MAX; },
      "Show every finding, not the first 20 of a file");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Exit codes: 0 all files are sound, 1 one is damaged (or is no .dsi file), 3 one cannot be "
      "read.\n\n"
      "Examples:\n"
      "  dsictl verify clicks.dsi\n"
      "  dsictl verify --json day=*/part-*.dsi\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
