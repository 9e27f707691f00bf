// dsictl delete: takes rows out of files, by the values of a key or by conditions.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/descriptor_internal.h"
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
};

struct DeletedFile {
  std::string path;
  DeleteReport report;
};

// A value on each line.
Status ReadValues(const std::string& path, std::vector<std::string>* values) {
  std::ifstream in(path);
  if (!in) return internal::SystemError(path, "opening for reading", errno);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    values->push_back(line);
  }
  if (in.bad()) return internal::SystemError(path, "reading", errno);
  return Status::Ok();
}

Status Report(const std::vector<DeletedFile>& files, bool dry_run, Console* console) {
  if (console->json) {
    Json list = Json::array();
    for (const DeletedFile& file : files) {
      list.push_back({{"path", file.path},
                      {"rows", file.report.num_rows},
                      {"deleted", file.report.num_deleted},
                      {"deleted_rows", file.report.num_deleted_rows},
                      {"bytes", file.report.file_bytes}});
    }
    return PrintJson(list, console);
  }
  if (console->quiet) return Status::Ok();
  using Align = TextTable::Align;
  TextTable table({{"file"},
                   {"rows", Align::kRight},
                   {dry_run ? "would be deleted" : "deleted", Align::kRight},
                   {"left", Align::kRight}});
  for (const auto& [path, report] : files) {
    table.AddRow({path, CountText(report.num_rows), CountText(report.num_deleted),
                  CountText(report.num_rows - report.num_deleted_rows)});
  }
  return console->Print(table.Render(*console));
}

Status Run(DeleteChoice choice, Console* console) {
  if (!choice.values_from.empty())
    DSI_RETURN_IF_ERROR(ReadValues(choice.values_from, &choice.values));
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(choice.in));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  DSI_ASSIGN_OR_RETURN(RowFilter filter, FilterOf(columns, {.where = choice.where}));
  if (choice.key.empty() != choice.values.empty())
    return internal::InvalidArgument("a key and values of it are given together");
  if (!choice.key.empty()) {
    DSI_ASSIGN_OR_RETURN(Predicate key, ParseKeyValues(choice.key, choice.values, columns));
    filter.where.push_back(std::move(key));
  }
  Progress progress(*console);
  DeleteOptions options;
  options.dry_run = choice.dry_run;
  options.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("reading", done, total, ProgressUnit::kRows);
  };
  std::vector<DeletedFile> files;
  for (const DatasetFile& file : dataset->files()) {
    const auto report = DeleteRows(file.path, filter.where, options);
    if (report.status().code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_RETURN_IF_ERROR(report.status());
    files.push_back({file.path, *report});
  }
  progress.Clear();
  return Report(files, choice.dry_run, console);
}

}  // namespace

VerbAction AddDelete(CLI::App* app, Console* console) {
  auto choice = std::make_shared<DeleteChoice>();
  app->add_option("WHERE", choice->in, "Files, patterns, folders or manifests of them")
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
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl delete clicks.dsi --key user_id --values 17,4711\n"
      "  dsictl delete 'clicks/*.dsi' --key user_id --values-from gone.txt --dry-run\n"
      "  dsictl delete clicks.dsi --where 'timestamp < 1700000000000'\n\n"
      "Scans give deleted rows no more; their bytes are in the files until 'dsictl rewrite' has "
      "made\nothers. A manifest of the files is to be made anew.\n");
  return [choice, console] { return Run(*choice, console); };
}

}  // namespace dsi::tools
