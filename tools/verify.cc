// dsictl verify: is every byte of these files as it was written?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/dataset/verify_files.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  Where where;
  size_t max_findings = 20;
  uint32_t threads = 0;
};

Json ToJson(const std::vector<Damage>& found) {
  Json json = Json::array();
  for (const Damage& damage : found) {
    json.push_back({{"code", StatusCodeName(damage.status.code())},
                    {"where", damage.where},
                    {"message", damage.status.message()}});
  }
  return json;
}

Json ToJson(const FileVerdict& file) {
  Json json = {{"path", internal::ShownName(file.path)}};
  json["state"] = std::string(FileStateName(file.state()));
  json["bytes"] = file.bytes;
  json["rows"] = file.num_rows;
  if (!file.failure.ok()) json["error"] = file.failure.message();
  json["whole_bytes"] = file.whole_bytes;
  json["damage"] = ToJson(file.damage);
  json["unsupported"] = ToJson(file.unsupported);
  return json;
}

// What a status says, without the file's name in front: the line begins with it.
std::string Message(const Status& status, const std::string& path) {
  std::string_view message = status.message();
  if (message.starts_with(path + ": ")) message.remove_prefix(path.size() + 2);
  return Printable(message);
}

std::string ToText(const FileVerdict& file, size_t max_findings) {
  const std::string name = internal::ShownName(file.path);
  const std::string path = Printable(name);
  if (file.state() == FileState::kUnreadable)
    return fmt::format("{}: unreadable: {}\n", path, Message(file.failure, name));
  std::string text;
  size_t shown = 0;
  for (const auto* const found : {&file.damage, &file.unsupported}) {
    for (const Damage& damage : *found) {
      if (shown++ >= max_findings) continue;
      text += fmt::format(
          "{}: {}{}{}: {}\n", path, found == &file.damage ? "damaged" : "unsupported",
          damage.where.empty() ? "" : ": ", Printable(damage.where), Message(damage.status, name));
    }
  }
  if (shown > max_findings) {
    text += fmt::format("{}: {} more findings (--all shows them)\n", path, shown - max_findings);
  }
  if (file.whole_bytes != 0) {
    text += fmt::format(
        "{0}: it ends in an unfinished append; its first {1} bytes are a whole file, "
        "which `head -c {1}` gives back\n",
        path, file.whole_bytes);
  }
  if (file.state() == FileState::kDamaged) return text;
  return text + fmt::format("{}: sound{}, {}, {}\n", path,
                            file.state() == FileState::kSound ? "" : " but for what is unsupported",
                            CountOf(file.num_rows, "row"), BytesText(file.bytes));
}

// What is said of all files: the worst of them.
Status Sum(const FilesVerdict& verdict) {
  size_t count[4] = {};
  for (const FileVerdict& file : verdict.files) ++count[static_cast<size_t>(file.state())];
  const auto failed = [&](FileState state, StatusCode code, std::string_view what) {
    const size_t num = count[static_cast<size_t>(state)];
    const bool is_one = verdict.files.size() == 1;
    return Status(code,
                  is_one ? fmt::format("{} is {}", internal::ShownName(verdict.files[0].path), what)
                         : fmt::format("{} of {} files {} {}", num, verdict.files.size(),
                                       num == 1 ? "is" : "are", what));
  };
  const auto first = [&](FileState state) {
    return std::find_if(verdict.files.begin(), verdict.files.end(),
                        [&](const FileVerdict& file) { return file.state() == state; });
  };
  const auto end = verdict.files.end();
  // Known damage outweighs a file that could not be read, and that one what is merely new.
  if (const auto file = first(FileState::kDamaged); file != end)
    return failed(FileState::kDamaged, file->damage[0].status.code(), "damaged");
  if (const auto file = first(FileState::kUnreadable); file != end) return file->failure;
  DSI_RETURN_IF_ERROR(verdict.together);
  if (count[static_cast<size_t>(FileState::kUnsupported)] == 0) return Status::Ok();
  return failed(FileState::kUnsupported, StatusCode::kUnsupported,
                "of a newer kind: parts could not be judged");
}

// Of many files a line of its own says what there is.
std::string AllSound(const FilesVerdict& verdict) {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const FileVerdict& file : verdict.files) {
    if (!file.is_overlay) rows += file.num_rows;
    bytes += file.bytes;
  }
  return fmt::format("{}, all sound: {}, {}\n", CountOf(verdict.files.size(), "file"),
                     CountOf(rows, "row"), BytesText(bytes));
}

Status Run(const Options& options, Console* console) {
  Progress progress(*console);
  VerifyFilesOptions verify;
  verify.open = options.where.open;
  verify.threads = options.threads;
  verify.progress = [&](const VerifyFilesProgress& now) {
    return now.files_total == 1
               ? progress.Update("verifying", now.bytes_done, now.bytes_total, ProgressUnit::kBytes)
               : progress.Update("verifying", now.files_done, now.files_total,
                                 ProgressUnit::kFiles);
  };
  Json files = Json::array();
  verify.on_file = [&](const FileVerdict& file) -> Status {
    // The error that ends it says of a single file that it cannot be read.
    const bool is_said =
        !AreManyFiles(options.where.names) && file.state() == FileState::kUnreadable;
    if (console->json) {
      files.push_back(ToJson(file));
    } else if (!is_said && (!console->quiet || file.state() != FileState::kSound)) {
      progress.Clear();
      return console->Print(ToText(file, options.max_findings));
    }
    return Status::Ok();
  };
  DSI_ASSIGN_OR_RETURN(const FilesVerdict verdict, VerifyFiles(options.where.names, verify));
  progress.Clear();
  if (console->json) DSI_RETURN_IF_ERROR(PrintJson({{"files", files}}, console));
  DSI_RETURN_IF_ERROR(Sum(verdict));
  if (verdict.files.size() == 1 || console->json || console->quiet) return Status::Ok();
  return console->Print(AllSound(verdict));
}

}  // namespace

VerbAction AddVerify(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("WHERE", options->where.names,
                  "Files, patterns, folders, tables or manifests, by paths or URLs")
      ->required()
      ->type_name("");
  app->add_flag_callback(
      "--all", [options] { options->max_findings = SIZE_MAX; },
      "Show every finding, not the first 20 of a file");
  app->add_option("--threads", options->threads,
                  "Files looked at at the same time; default: one for each core")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N");
  AddOpenOptions(app, &options->where.open);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Of a table or a manifest each file must also be the one that it names.\n\n"
      "Exit codes: 0 all files are sound, 1 one is damaged (or is no .dsi file), 3 one cannot be "
      "read,\n4 one needs a newer dsictl to be judged in all parts.\n\n"
      "Examples:\n"
      "  dsictl verify clicks.dsi\n"
      "  dsictl verify --json day=*/part-*.dsi\n"
      "  dsictl verify s3://logs/clicks/\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
