// dsictl batch: the rows that a job trained on in one step, named by a state of the job.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/text/row_text.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using internal::BadInput;

// As long as the text of a state may be, and as much again for what a loader puts around it.
constexpr uint64_t kMostStateBytes = uint64_t{1} << 27;
// A terminal shows so many; --json has all.
constexpr size_t kMostRunsShown = 40;

struct Options {
  std::vector<std::string> where;
  std::string state;
  int64_t step = 0;
  uint32_t rank = 0;
  bool prints_rows = false;
  std::vector<std::string> features;
  RowChoice choice;
};

// Rows of one file that follow each other.
struct RowRun {
  uint32_t file = 0;
  uint64_t first = 0;
  uint64_t count = 0;
};

// The state of a scan, out of what state_dict() of a loader has around it.
Result<std::string> StateIn(const std::string& path) {
  DSI_ASSIGN_OR_RETURN(std::string text, internal::ReadTextFile(path, kMostStateBytes));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("dsi_loader_state")) {
    if (json.contains("worker"))
      return BadInput("{}: the state of one worker of a DataLoader, which says nothing of ranks",
                      path);
    const auto inner = json.find("state");
    if (inner == json.end() || !inner->is_string() || inner->get<std::string>().empty())
      return BadInput("{}: the epoch had not begun, so there is no order yet", path);
    text = inner->get<std::string>();
  }
  if (text.find("\"dsi_mixed_state\"") != std::string::npos)
    return BadInput("{}: the state of a mixture: take \"state\" of one of its \"sources\"", path);
  return text;
}

// The column by which to read where rows stand: any does, so one that costs little.
Result<std::string> CheapColumn(const Dataset& dataset) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset.Columns());
  for (const bool has_lengths : {false, true}) {
    for (const ColumnInfo& column : columns) {
      if (column.support.ok() && HasLengths(column.kind, column.type) == has_lengths)
        return column.name;
    }
  }
  return BadInput("the dataset has no feature that can be read");
}

Result<std::vector<RowRun>> FindRuns(const Dataset& dataset, DatasetScanOptions options) {
  DSI_ASSIGN_OR_RETURN(std::string column, CheapColumn(dataset));
  options.scan.features = {{.name = std::move(column), .layout = Layout::kJagged}};
  DSI_ASSIGN_OR_RETURN(const auto scan, dataset.NewScan(options));
  Batch batch;
  DSI_RETURN_IF_ERROR(scan->Next(&batch).status());
  std::vector<BatchRow> rows;
  DSI_RETURN_IF_ERROR(scan->RowsOf(batch, &rows));
  std::vector<RowRun> runs;
  for (const BatchRow& row : rows) {
    const bool goes_on = !runs.empty() && runs.back().file == row.file &&
                         runs.back().first + runs.back().count == row.row;
    if (goes_on)
      ++runs.back().count;
    else
      runs.push_back({row.file, row.row, 1});
  }
  return runs;
}

std::string NameOf(const Dataset& dataset, const RowRun& run) {
  return internal::ShownName(dataset.files()[run.file].path);
}

uint64_t CountRowsOf(const std::vector<RowRun>& runs) {
  uint64_t rows = 0;
  for (const RowRun& run : runs) rows += run.count;
  return rows;
}

Status PrintRuns(const Dataset& dataset, const std::vector<RowRun>& runs, const Options& options,
                 const OrderOptions& order, Console* console) {
  if (console->json) {
    Json listed = Json::array();
    for (const RowRun& run : runs) {
      listed.push_back({{"file", NameOf(dataset, run)}, {"first", run.first}, {"rows", run.count}});
    }
    return PrintJson({{"step", options.step},
                      {"rank", options.rank},
                      {"epoch", order.epoch},
                      {"seed", order.seed},
                      {"rows", CountRowsOf(runs)},
                      {"runs", std::move(listed)}},
                     console);
  }
  using Align = TextTable::Align;
  TextTable table({{.title = "file"},
                   {.title = "rows", .align = Align::kRight},
                   {.title = "from", .align = Align::kRight},
                   {.title = "to", .align = Align::kRight}});
  const size_t shown = console->out_is_tty() ? std::min(runs.size(), kMostRunsShown) : runs.size();
  for (size_t i = 0; i < shown; ++i) {
    const RowRun& run = runs[i];
    table.AddRow({NameOf(dataset, run), CountText(run.count), CountText(run.first),
                  CountText(run.first + run.count - 1)});
  }
  std::string text = fmt::format("rank {}, step {}, epoch {}, seed {}: {} in {}\n\n", options.rank,
                                 options.step, order.epoch, order.seed,
                                 CountOf(CountRowsOf(runs), "row"), CountOf(runs.size(), "run"));
  if (!runs.empty()) text += table.Render(*console);
  if (shown < runs.size())
    text += fmt::format("({} more; --json has all)\n", CountOf(runs.size() - shown, "run"));
  return console->Print(text);
}

Status PrintRows(const Dataset& dataset, const DatasetScanOptions& batch, const Options& options,
                 Console* console) {
  RowTextOptions rows;
  rows.features = options.features;
  rows.filter = batch.scan.filter;
  rows.wide_integers_as_strings = console->ids_as_strings;
  DSI_ASSIGN_OR_RETURN(const auto text, RowText::Create(dataset, rows, batch));
  std::string lines;
  for (bool more = true; more;) {
    DSI_ASSIGN_OR_RETURN(more, text->Next(&lines, nullptr));
  }
  return console->PrintJsonText(lines);
}

Status Run(const Options& options, Console* console) {
  DSI_ASSIGN_OR_RETURN(const std::string state, StateIn(options.state));
  Result<DatasetScanOptions> found = OptionsOfBatch(state, options.rank, options.step);
  if (!found.ok()) return found.status().At(options.state);
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const auto dataset, OpenMany(options.where, &progress));
  progress.Clear();
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  DSI_ASSIGN_OR_RETURN(found->scan.filter, FilterOf(columns, options.choice));
  if (options.prints_rows) return PrintRows(*dataset, *found, options, console);
  DSI_ASSIGN_OR_RETURN(const std::vector<RowRun> runs, FindRuns(*dataset, *found));
  return PrintRuns(*dataset, runs, options, found->order, console);
}

}  // namespace

VerbAction AddBatch(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("WHERE", options->where, "What the job reads, in the order in which it names it")
      ->required()
      ->type_name("");
  app->add_option("--state", options->state,
                  "A file with what state_dict() or state of the job gave, as JSON")
      ->required()
      ->type_name("FILE");
  app->add_option("--step", options->step,
                  "Batches behind the state: 0 the next one, -1 the last before; default 0")
      ->type_name("N");
  app->add_option("--rank", options->rank, "Of which rank; default 0")->type_name("N");
  CLI::Option* rows = app->add_flag("--rows", options->prints_rows,
                                    "Print the rows, as cat does, and not where they stand");
  AddNameList(app, "--features", &options->features, "With --rows: only these; * and ? match")
      ->needs(rows);
  AddRowChoice(app, &options->choice);
  AddJsonFlag(app, console);
  AddIdsAsStrings(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "A state knows order, batch size and ranks of its job. Filters (--where, --sample) are not "
      "in it.\n\nExamples:\n"
      "  dsictl batch clicks/ --state state.json --step 342 --rank 3\n"
      "  dsictl batch clicks/ --state state.json --step -1 --rows --features user_id,label\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
