// dsictl delete: takes rows out of files, by the values of a key or by conditions.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/rewrite/delete_from_table.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/text/filter_text.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct DeleteChoice {
  std::vector<std::string> in;
  std::string key;
  std::vector<std::string> values;
  std::string values_from;
  std::vector<std::string> where;
  bool dry_run = false;
  bool erase = false;
  std::string job;
  uint64_t memory = 0;
};

// A value on each line; lines without any, such as the last of many exports, name none.
Status ReadValues(const std::string& path, std::vector<std::string>* values) {
  std::ifstream in(path);
  if (!in) return internal::SystemError(path, "opening for reading", errno);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) values->push_back(line);
  }
  if (in.bad()) return internal::SystemError(path, "reading", errno);
  return Status::Ok();
}

Status Report(std::span<const DatasetFile> files, const std::vector<DeleteReport>& reports,
              bool dry_run, Console* console) {
  using Align = TextTable::Align;
  Json list = Json::array();
  TextTable table({{"file"},
                   {"rows", Align::kRight},
                   {dry_run ? "would be deleted" : "deleted", Align::kRight},
                   {"left", Align::kRight}});
  for (size_t i = 0; i < files.size(); ++i) {
    const DeleteReport& report = reports[i];
    list.push_back({{"path", files[i].path},
                    {"rows", report.num_rows},
                    {"deleted", report.num_deleted},
                    {"deleted_rows", report.num_deleted_rows},
                    {"bytes", report.file_bytes}});
    table.AddRow({files[i].path, CountText(report.num_rows), CountText(report.num_deleted),
                  CountText(report.num_rows - report.num_deleted_rows)});
  }
  if (console->json) return PrintJson(list, console);
  return console->quiet ? Status::Ok() : console->Print(table.Render(*console));
}

// The table that is named alone; null: no table.
Result<std::unique_ptr<Table>> TableOf(const DeleteChoice& choice) {
  std::unique_ptr<Table> none;
  if (choice.in.size() != 1) return none;
  const std::string& where = choice.in[0];
  std::error_code error;
  const bool may_be_one = internal::SchemeOf(where).empty()
                              ? std::filesystem::is_directory(where, error)
                              : where.ends_with('/');
  if (!may_be_one) return none;
  auto table = Table::Open(where);
  if (table.status().code() == StatusCode::kNotFound) return none;
  return table;
}

Status ReportTable(const TableDeleteReport& report, bool dry_run, Console* console) {
  if (console->json) {
    return PrintJson(Json{{"rows", report.num_rows},
                          {"deleted", report.num_deleted},
                          {"files", report.files},
                          {"snapshot", report.snapshot.number}},
                     console);
  }
  if (console->quiet) return Status::Ok();
  FactList facts;
  facts.Add(
      dry_run ? "would be deleted" : "deleted",
      fmt::format("{} of {} rows", CountText(report.num_deleted), CountText(report.num_rows)));
  facts.Add(dry_run ? "files to replace" : "files replaced", CountText(report.files.size()));
  facts.Add("snapshot", fmt::format("{}", report.snapshot.number));
  return console->Print(facts.Render(*console));
}

Status RunOnTable(Table* table, const DeleteChoice& choice, const std::vector<Predicate>& where,
                  Console* console) {
  Progress progress(*console);
  TableDeleteOptions options;
  options.job = choice.job;
  options.erase = choice.erase;
  options.dry_run = choice.dry_run;
  if (choice.memory != 0) options.memory_bytes = choice.memory;
  options.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("deleting", done, total, ProgressUnit::kRows);
  };
  const auto report = DeleteFromTable(table, where, options);
  if (report.status().code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
  DSI_RETURN_IF_ERROR(report.status());
  progress.Clear();
  return ReportTable(*report, choice.dry_run, console);
}

Status Run(DeleteChoice choice, Console* console) {
  if (!choice.values_from.empty())
    DSI_RETURN_IF_ERROR(ReadValues(choice.values_from, &choice.values));
  DSI_ASSIGN_OR_RETURN(const auto table, TableOf(choice));
  if (table == nullptr && (choice.erase || !choice.job.empty()))
    return internal::InvalidArgument("--erase and --job are of a table; 'dsictl rewrite' erases");
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(choice.in));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  DSI_ASSIGN_OR_RETURN(RowFilter filter, FilterOf(columns, {.where = choice.where}));
  if (choice.key.empty() != choice.values.empty())
    return internal::InvalidArgument("a key and values of it are given together");
  if (!choice.key.empty()) {
    DSI_ASSIGN_OR_RETURN(Predicate key, ParseKeyValues(choice.key, choice.values, columns));
    filter.where.push_back(std::move(key));
  }
  if (table != nullptr) return RunOnTable(table.get(), choice, filter.where, console);
  Progress progress(*console);
  DeleteOptions options;
  options.dry_run = choice.dry_run;
  if (choice.memory != 0) options.memory_bytes = choice.memory;
  options.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("reading", done, total, ProgressUnit::kRows);
  };
  const auto reports = DeleteRows(*dataset, filter.where, options);
  if (reports.status().code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
  DSI_RETURN_IF_ERROR(reports.status());
  progress.Clear();
  return Report(dataset->files(), *reports, choice.dry_run, console);
}

}  // namespace

VerbAction AddDelete(CLI::App* app, Console* console) {
  auto choice = std::make_shared<DeleteChoice>();
  app->add_option("WHERE", choice->in, "Files, patterns, folders or manifests of them; or a table")
      ->required()
      ->type_name("...");
  auto* key = app->add_option("--key", choice->key,
                              "Delete rows that have one of the values in this column")
                  ->type_name("NAME");
  AddNameList(app, "--values", &choice->values, "Values of the key, with commas between")
      ->needs(key)
      ->type_name("VALUES");
  app->add_option("--values-from", choice->values_from, "A file with a value on each line")
      ->needs(key)
      ->type_name("FILE");
  app->add_option("--where", choice->where,
                  "Delete rows for which this holds, such as 'label = 0'; repeatable: all must")
      ->allow_extra_args(false)
      ->type_name("TERM");
  app->add_flag("-n,--dry-run", choice->dry_run, "Only count them");
  app->add_flag("--erase", choice->erase,
                "Of a table: write its files anew, without the bytes of deleted rows");
  app->add_option("--job", choice->job, "Of a table: id of the job; default: made up")
      ->type_name("ID");
  AddSize(app, "--memory", &choice->memory, "Memory to take; default: 4G");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl delete clicks.dsi --key user_id --values 17,4711\n"
      "  dsictl delete 'clicks/*.dsi' --key user_id --values-from gone.txt --dry-run\n"
      "  dsictl delete clicks.dsi --where 'timestamp < 1700000000000'\n"
      "  dsictl delete clicks/ --key user_id --values 17 --erase   (a table of 'dsictl table')\n\n"
      "Scans give deleted rows no more; their bytes are in the files until 'dsictl rewrite' has "
      "made\nothers. A manifest of the files is to be made anew. Of a table, files are replaced in "
      "one commit;\nolder snapshots have the rows until 'dsictl table gc' removes them.\n");
  return [choice, console] { return Run(*choice, console); };
}

}  // namespace dsi::tools
