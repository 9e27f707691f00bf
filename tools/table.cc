// dsictl table: what jobs do with a table on disk, step by step.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/dataset/table.h"
#include "dsi/rewrite/compact_table.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/table_report_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

// Of messages, which are some hundred bytes each.
constexpr size_t kMaxMessageFile = size_t{1} << 30;

struct TableVerbOptions {
  std::string action;
  std::string where;
  std::vector<std::string> files;
  std::string job;
  std::string task = "task";
  std::string message;
  bool overwrite = false;
  uint64_t base = 0;
  std::vector<std::string> replaced;
  TableGcOptions gc;
  uint64_t file_bytes = CompactOptions{}.file_bytes;
  uint64_t threads = 0;
  uint64_t memory = 0;
  bool fold_overlays = false;
};

// "90s", "30m", "24h", "7d"; milliseconds.
bool ParseDuration(std::string_view text, uint64_t* ms) {
  if (text.empty()) return false;
  constexpr std::pair<char, uint64_t> kUnits[] = {
      {'s', 1000}, {'m', 60'000}, {'h', 3'600'000}, {'d', 86'400'000}};
  for (const auto& [unit, factor] : kUnits) {
    if (text.back() != unit) continue;
    const std::string_view number = text.substr(0, text.size() - 1);
    const bool is_number = number.find_first_not_of("0123456789") == std::string_view::npos;
    return is_number && ParseAmount(number, 1, ms) && !__builtin_mul_overflow(*ms, factor, ms);
  }
  return false;
}

CLI::Option* AddDuration(CLI::App* app, const std::string& option, uint64_t* ms,
                         const std::string& text) {
  const auto parse = [=](const std::string& given) {
    if (ParseDuration(given, ms)) return;
    throw CLI::ValidationError(option,
                               "expected a time such as 90s, 30m, 24h or 7d, not '" + given + "'");
  };
  return app->add_option_function<std::string>(option, parse, text)->type_name("TIME");
}

// A message a line; "-" is the standard input.
Result<std::vector<std::string>> ReadMessages(const std::vector<std::string>& files) {
  std::vector<std::string> messages;
  for (const std::string& file : files) {
    const std::string path = file == "-" ? "/dev/stdin" : file;
    DSI_ASSIGN_OR_RETURN(const std::string text, internal::ReadTextFile(path, kMaxMessageFile));
    if (text.size() > kMaxMessageFile)
      return internal::BadInput("{}: more than {} bytes of messages", file, kMaxMessageFile);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      if (end != at) messages.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return messages;
}

class TableVerb {
 public:
  TableVerb(TableVerbOptions options, Console* console)
      : options_(std::move(options)), console_(console), progress_(*console) {
    dataset_.threads = static_cast<uint32_t>(options_.threads);
    dataset_.progress = [this](uint64_t done, uint64_t total) {
      return progress_.Update("reading footers", done, total, ProgressUnit::kFiles);
    };
  }

  Status Run() {
    for (const auto& [name, action] : kActions) {
      if (options_.action == name) return (this->*action)();
    }
    return {StatusCode::kInvalidArgument, "no such action"};
  }

 private:
  using Action = Status (TableVerb::*)();
  static const std::array<std::pair<std::string_view, Action>, 8> kActions;

  Status Create() {
    DSI_ASSIGN_OR_RETURN(const auto table, Table::Create(options_.where, dataset_));
    DSI_ASSIGN_OR_RETURN(const TableSnapshot first, table->Newest());
    return PrintSnapshot(first, console_);
  }

  Status Stage() {
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    return StageFiles(*table,
                      [&](const std::string& message) { return console_->Print(message + "\n"); });
  }

  Status Commit() {
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> messages, ReadMessages(options_.files));
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    return CommitMessages(table.get(), messages);
  }

  // Both, for jobs of one task. What it staged is not left behind where that fails.
  Status Add() {
    const bool is_only_try = options_.job.empty();
    if (is_only_try) options_.job = "add-" + internal::RandomDigits();
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    std::vector<std::string> messages;
    Status status = StageFiles(*table, [&](const std::string& message) {
      messages.push_back(message);
      return Status::Ok();
    });
    if (status.ok()) status = CommitMessages(table.get(), messages);
    if (!status.ok() && is_only_try) (void)table->Abort(options_.job);
    return status;
  }

  Status StageFiles(const Table& table, const std::function<Status(const std::string&)>& tell) {
    for (size_t done = 0; done < options_.files.size(); ++done) {
      if (!progress_.Update("staging", done, options_.files.size(), ProgressUnit::kFiles))
        return CheckInterrupt();
      const auto message = table.StageCopy(options_.job, options_.task, options_.files[done]);
      progress_.Clear();
      if (!message.ok()) return message.status();
      DSI_RETURN_IF_ERROR(tell(*message));
    }
    return Status::Ok();
  }

  Status CommitMessages(Table* table, const std::vector<std::string>& messages) {
    TableCommitOptions commit{.message = options_.message};
    if (options_.overwrite) commit.operation = TableOperation::kOverwrite;
    if (options_.base != 0) commit.base = options_.base;
    if (!options_.replaced.empty()) {
      commit.operation = TableOperation::kReplace;
      commit.replaced = options_.replaced;
    }
    const auto made = table->Commit(options_.job, messages, commit);
    progress_.Clear();
    if (made.status().code() == StatusCode::kAlreadyExists)
      console_->hint =
          "'dsictl table log TABLE' shows what was committed; --base names what was seen";
    if (!made.ok()) return made.status();
    return PrintSnapshot(*made, console_);
  }

  Status Abort() {
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    DSI_ASSIGN_OR_RETURN(const uint64_t removed, table->Abort(options_.job));
    if (console_->json)
      return PrintJson(nlohmann::ordered_json{{"files_removed", removed}}, console_);
    if (console_->quiet) return Status::Ok();
    return console_->Print(fmt::format("removed: {}\n", CountOf(removed, "file")));
  }

  Status Log() {
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    DSI_ASSIGN_OR_RETURN(const std::vector<TableSnapshot> snapshots, table->Snapshots());
    return PrintSnapshots(snapshots, console_);
  }

  Status Gc() {
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    DSI_ASSIGN_OR_RETURN(const TableGarbage garbage, table->CollectGarbage(options_.gc));
    return PrintGarbage(garbage, options_.gc.dry_run, console_);
  }

  Status Compact() {
    DSI_ASSIGN_OR_RETURN(const auto table, Open());
    CompactOptions options{.file_bytes = options_.file_bytes,
                           .fold_overlays = options_.fold_overlays,
                           .message = options_.message};
    options.writer.memory_bytes = options_.memory;
    options.dry_run = options_.gc.dry_run;
    options.writer.threads = static_cast<int>(options_.threads);
    options.progress = [&](uint64_t done, uint64_t total) {
      return progress_.Update("merging", done, total, ProgressUnit::kFiles);
    };
    const auto report = CompactTable(table.get(), options);
    progress_.Clear();
    if (report.status().code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_RETURN_IF_ERROR(report.status());
    return PrintCompaction(*report, options.dry_run, console_);
  }

  Result<std::unique_ptr<Table>> Open() {
    auto table = Table::Open(options_.where, dataset_);
    if (table.status().code() == StatusCode::kNotFound)
      console_->hint = "'dsictl table create TABLE' makes one";
    return table;
  }

  TableVerbOptions options_;
  DatasetOptions dataset_;
  Console* console_;
  Progress progress_;
};

const std::array<std::pair<std::string_view, TableVerb::Action>, 8> TableVerb::kActions = {{
    {"create", &TableVerb::Create},
    {"add", &TableVerb::Add},
    {"stage", &TableVerb::Stage},
    {"commit", &TableVerb::Commit},
    {"abort", &TableVerb::Abort},
    {"log", &TableVerb::Log},
    {"gc", &TableVerb::Gc},
    {"compact", &TableVerb::Compact},
}};

// Options that an action does not take would be overlooked.
Status CheckUse(const CLI::App& app, const TableVerbOptions& options) {
  struct Use {
    const char* option;
    std::vector<std::string_view> actions;
  };
  static const std::array<Use, 15> kUses = {{{"FILE", {"add", "stage", "commit"}},
                                             {"--job", {"add", "stage", "commit", "abort"}},
                                             {"--task", {"stage"}},
                                             {"--message", {"add", "commit", "compact"}},
                                             {"--overwrite", {"add", "commit"}},
                                             {"--base", {"add", "commit"}},
                                             {"--replace", {"add", "commit"}},
                                             {"--threads", {"add", "commit", "compact"}},
                                             {"--keep", {"gc"}},
                                             {"--younger-than", {"gc"}},
                                             {"--grace", {"gc"}},
                                             {"--dry-run", {"gc", "compact"}},
                                             {"--file-size", {"compact"}},
                                             {"--fold-overlays", {"compact"}},
                                             {"--memory", {"compact"}}}};
  for (const Use& use : kUses) {
    const auto& actions = use.actions;
    const bool is_taken =
        std::find(actions.begin(), actions.end(), options.action) != actions.end();
    if (app.get_option(use.option)->count() != 0 && !is_taken)
      return internal::InvalidArgument("table {} takes no {}", options.action, use.option);
  }
  const bool needs_job =
      options.action == "stage" || options.action == "commit" || options.action == "abort";
  if (needs_job && options.job.empty())
    return internal::InvalidArgument("table {}: --job is required", options.action);
  if (options.base != 0 && !options.overwrite)
    return internal::InvalidArgument("--base goes with --overwrite");
  if (options.overwrite && !options.replaced.empty())
    return internal::InvalidArgument("--overwrite and --replace exclude each other");
  if (options.threads > 1024) return internal::InvalidArgument("--threads is at most 1024");
  const bool needs_file =
      options.action == "add" || options.action == "stage" || options.action == "commit";
  if (needs_file && options.files.empty())
    return internal::InvalidArgument(
        "table {}: FILE is required{}", options.action,
        options.action == "commit" ? ": what stage printed; - is the standard input" : "");
  return Status::Ok();
}

}  // namespace

VerbAction AddTable(CLI::App* app, Console* console) {
  auto options = std::make_shared<TableVerbOptions>();
  app->add_option("ACTION", options->action,
                  "What to do: create, add, stage, commit, abort, log, gc or compact")
      ->required()
      ->check(CLI::IsMember({"create", "add", "stage", "commit", "abort", "log", "gc", "compact"}))
      ->type_name("");
  app->add_option("TABLE", options->where, "A folder, or s3://bucket/prefix/")
      ->required()
      ->type_name("");
  app->add_option("FILE", options->files,
                  "add, stage: .dsi files to copy; commit: files of the messages that stage "
                  "printed, - the standard input")
      ->type_name("");
  app->add_option("--job", options->job,
                  "Id of the job, which commits once; add: default a new one")
      ->type_name("ID");
  app->add_option("--task", options->task, "stage: id of the task; default: task")->type_name("ID");
  app->add_option("--message", options->message, "add, commit, compact: a note for people")
      ->type_name("TEXT");
  app->add_flag("--overwrite", options->overwrite, "add, commit: in the place of all files");
  AddCount(app, "--base", &options->base,
           "--overwrite: the snapshot that was seen; default: the newest");
  AddNameList(app, "--replace", &options->replaced,
              "add, commit: in the place of these files, as data/JOB/NAME");
  AddCount(
      app, "--threads", &options->threads,
      "add, commit: threads that read footers, default cores, or 32 for remote files; compact: "
      "threads that write, default cores");
  AddCount(app, "--keep", &options->gc.keep,
           "gc: the newest snapshots, so many, stay; default: 10");
  AddDuration(app, "--younger-than", &options->gc.younger_than_ms,
              "gc: and those younger than this; default: 7d");
  AddDuration(app, "--grace", &options->gc.grace_ms,
              "gc: files staged since stay, whoever needs them; default: 24h");
  AddSize(app, "--file-size", &options->file_bytes,
          "compact: files are merged up to so many bytes; default 512M");
  app->add_flag("--fold-overlays", options->fold_overlays,
                "compact: also files with overlays, whose features become part of the file");
  AddSize(app, "--memory", &options->memory,
          "compact: memory to take; default: three quarters of what there is");
  app->add_flag("--dry-run", options->gc.dry_run, "gc, compact: only tell");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl table create clicks/\n"
      "  dsictl table add clicks/ part-*.dsi --message 'the first day'\n"
      "  dsictl table stage clicks/ part-*.dsi --job day-1 > messages.jsonl\n"
      "  dsictl table commit clicks/ messages.jsonl --job day-1\n"
      "  dsictl table log clicks/\n"
      "  dsictl table compact clicks/ --file-size 1G\n"
      "  dsictl table gc clicks/ --keep 5 --younger-than 2d --dry-run\n\n"
      "What is staged is seen once it is committed: all files of the job, or none. add does "
      "both.\n");
  return [app, options, console]() -> Status {
    DSI_RETURN_IF_ERROR(CheckUse(*app, *options));
    return TableVerb(*options, console).Run();
  };
}

}  // namespace dsi::tools
