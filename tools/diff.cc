// dsictl diff: are these two datasets the same, and if not, where do they differ?
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/comparison.h"
#include "dsi/tools/diff_report_internal.h"
#include "dsi/tools/hints_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/row_value_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::vector<std::string> features;
  std::vector<std::string> key;
  RowChoice rows;
  bool any_order = false;
  bool all = false;
  uint32_t threads = 0;
  uint64_t memory = CompareOptions().memory_bytes;
};

// Which of the two a hint is of is known here alone.
Result<std::unique_ptr<Dataset>> Open(const std::string& name, Progress* progress,
                                      Console* console) {
  auto opened = OpenMany({name}, progress);
  AskedFor asked;
  asked.verb = "diff";
  asked.in = name;
  if (!opened.ok()) console->hint = HintFor(opened.status(), asked);
  return opened;
}

// A column of one side, and where its value in a row goes.
struct AskedValue {
  const ColumnInfo* column;
  std::string* value;
};

Status ReadRow(const Dataset& dataset, uint64_t row, std::span<const AskedValue> asked) {
  DatasetScanOptions options;
  options.rows = {{row, row + 1}};
  for (const AskedValue& one : asked)
    options.scan.features.push_back({.name = one.column->name, .layout = Layout::kJagged});
  DSI_ASSIGN_OR_RETURN(const auto scan, dataset.NewScan(options));
  Batch batch;
  DSI_RETURN_IF_ERROR(scan->Next(&batch).status());
  for (size_t i = 0; i < asked.size(); ++i) {
    DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(i));
    if (view.rows == 0 || view.present[0] == 0) continue;
    internal::TextBuffer text;
    AddRowValue(view, 0, HasOneValue(asked[i].column->kind), &text);
    *asked[i].value = text.text();
  }
  return Status::Ok();
}

// Most columns differ first in a few rows: each is read once.
Status ReadValues(const Dataset& a, const Dataset& b, DiffReport* report) {
  std::map<uint64_t, std::vector<AskedValue>> of_a, of_b;
  report->value_a.resize(report->found.columns.size());
  report->value_b.resize(report->found.columns.size());
  for (const size_t c : report->ShownColumns()) {
    const ComparedColumn& column = report->found.columns[c];
    of_a[column.row_a].push_back({&*column.a, &report->value_a[c]});
    of_b[column.row_b].push_back({&*column.b, &report->value_b[c]});
  }
  for (const auto& [row, asked] : of_a) DSI_RETURN_IF_ERROR(ReadRow(a, row, asked));
  for (const auto& [row, asked] : of_b) DSI_RETURN_IF_ERROR(ReadRow(b, row, asked));
  return Status::Ok();
}

// Either dataset may call a column, or know it, in its own way.
Result<RowFilter> FilterFor(const Dataset& dataset, const std::string& name,
                            const RowChoice& rows) {
  if (rows.where.empty()) return RowFilter();
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset.Columns());
  auto filter = FilterOf(columns, rows);
  if (!filter.ok()) return filter.status().At(name);
  return filter;
}

Status Run(const DiffOptions& options, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const auto a, Open(options.a, &progress, console));
  DSI_ASSIGN_OR_RETURN(const auto b, Open(options.b, &progress, console));
  CompareOptions compare;
  compare.features = options.features;
  compare.key = options.key;
  DSI_ASSIGN_OR_RETURN(compare.filter_a, FilterFor(*a, options.a, options.rows));
  DSI_ASSIGN_OR_RETURN(compare.filter_b, FilterFor(*b, options.b, options.rows));
  compare.threads = options.threads;
  compare.memory_bytes = options.memory;
  compare.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("comparing", done, total, ProgressUnit::kRows);
  };
  auto found = CompareDatasets(*a, *b, compare);
  progress.Clear();
  if (found.status().code() == StatusCode::kResourceExhausted)
    console->hint = "compare fewer --features, or give --memory";
  // A name of the command line, as with other verbs, is no file that is missing.
  if (found.status().message().starts_with("neither has"))
    return {StatusCode::kInvalidArgument, found.status().message()};
  if (!found.ok()) return found.status();
  DiffReport report{.a = options.a,
                    .b = options.b,
                    .found = *std::move(found),
                    .any_order = options.any_order,
                    .by_key = !options.key.empty(),
                    .all = options.all};
  console->is_different = !report.IsSame();
  if (console->quiet && !console->json) return Status::Ok();
  DSI_RETURN_IF_ERROR(ReadValues(*a, *b, &report));
  return console->json ? PrintJson(DiffJson(report), console)
                       : console->Print(DiffText(report, *console));
}

}  // namespace

VerbAction AddDiff(CLI::App* app, Console* console) {
  auto options = std::make_shared<DiffOptions>();
  app->add_option("A", options->a, "A file, pattern, folder, table or manifest, by path or URL")
      ->required()
      ->type_name("");
  app->add_option("B", options->b, "Another one")->required()->type_name("");
  AddNameList(app, "--features", &options->features,
              "Only these; * and ? match; default: all of both");
  AddNameList(app, "--key", &options->key,
              "Features that name a row: rows of one key are compared, wherever they stand");
  app->add_option("--where", options->rows.where,
                  "Of both only rows such as 'label = 1'; repeatable, all must hold")
      ->allow_extra_args(false)
      ->type_name("TERM");
  app->add_flag("--any-order", options->any_order,
                "The same rows in another order are no difference");
  app->add_flag("--all", options->all, "Show all columns that differ, not the first 20");
  app->add_option("--threads", options->threads, "Threads; 0: all cores, which is the default")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N");
  AddSize(app, "--memory", &options->memory,
          "For rows that wait for the other's, such as 4G, the default");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Compares schemas and rows, not how they are stored. Without --key rows are compared by\n"
      "their place.\n\n"
      "Exit codes: 0 they are the same, 5 they differ.\n\nExamples:\n"
      "  dsictl diff clicks.dsi rewritten.dsi\n"
      "  dsictl diff clicks@6 clicks@7 --key request_id\n"
      "  dsictl diff logs/ reclustered.dsi --any-order\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
