// dsictl values: which values features have and how often, over many files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/value_counts.h"
#include "dsi/tools/column_value_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/transform_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

struct ValuesOptions {
  std::vector<std::string> where;
  std::vector<std::string> features;
  std::string pipeline;
  uint64_t top = UINT64_MAX;
  uint64_t min_count = 1;
  uint32_t quantiles = 0;
  uint32_t threads = 0;
  uint64_t memory = CountOptions().memory_bytes;
  RowChoice choice;
  bool lists_values = false;  // --top or --min-count was given.
};

// What was counted of a column, and the column.
struct Counted {
  ColumnInfo column;
  ValueCounts counts;
  size_t shown = 0;                    // So many of the first values are listed.
  double share = 0;                    // Of the entries that these are.
  std::vector<ColumnValue> quantiles;  // Between equal parts.
  ColumnValue least, median, greatest;
};

ColumnValue ValueAt(const ValueCounts& counts, size_t i) {
  return std::visit([&](const auto& values) -> ColumnValue { return values[i]; }, counts.values);
}

void Summarize(const ValuesOptions& options, Counted* of_one) {
  const ValueCounts& counts = of_one->counts;
  of_one->shown =
      static_cast<size_t>(std::min<uint64_t>(options.top, counts.NumAtLeast(options.min_count)));
  uint64_t entries = 0;
  for (size_t i = 0; i < of_one->shown; ++i) entries += counts.counts[i];
  if (counts.entries != 0)
    of_one->share = static_cast<double>(entries) / static_cast<double>(counts.entries);
  if (counts.counts.empty()) return;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&counts.values)) {
    const auto [least, greatest] = std::minmax_element(texts->begin(), texts->end());
    of_one->least = *least;
    of_one->greatest = *greatest;
    return;
  }
  std::vector<double> shares = {0, 0.5, 1};
  for (uint32_t i = 1; i < options.quantiles; ++i)
    shares.push_back(static_cast<double>(i) / options.quantiles);
  auto found = counts.Quantiles(shares);
  if (!found.ok()) return;  // NaN alone.
  of_one->least = ValueAt(counts, (*found)[0]);
  of_one->median = ValueAt(counts, (*found)[1]);
  of_one->greatest = ValueAt(counts, (*found)[2]);
  for (size_t i = 3; i < found->size(); ++i)
    of_one->quantiles.push_back(ValueAt(counts, (*found)[i]));
}

Json JsonOf(const Counted& of_one, const ValuesOptions& options) {
  const ValueCounts& counts = of_one.counts;
  const bool is_text = counts.type == Type::kBytes;
  Json json = {{"name", counts.column},
               {"type", TypeName(counts.type)},
               {"rows", counts.rows},
               {"missing", counts.missing},
               {"entries", counts.entries},
               {"min_length", counts.min_length},
               {"max_length", counts.max_length},
               {"different", counts.counts.size()},
               {"min", ValueJson(of_one.least)},
               {"max", ValueJson(of_one.greatest)}};
  if (!is_text) {
    json["median"] = ValueJson(of_one.median);
    json["mean"] = counts.Mean();
    json["deviation"] = counts.Deviation();
  }
  if (!is_text && options.quantiles != 0) {
    Json quantiles = Json::array();
    for (const ColumnValue& value : of_one.quantiles) quantiles.push_back(ValueJson(value));
    json["quantiles"] = std::move(quantiles);
  }
  if (!options.lists_values) return json;
  json["share"] = of_one.share;
  Json values = Json::array();
  for (size_t i = 0; i < of_one.shown; ++i) values.push_back(ValueJson(ValueAt(counts, i)));
  json["values"] = std::move(values);
  json["counts"] = std::vector<uint64_t>(
      counts.counts.begin(), counts.counts.begin() + static_cast<ptrdiff_t>(of_one.shown));
  return json;
}

// Of keys, ids and times a mean says nothing.
bool HasMean(const Counted& of_one) {
  const Kind kind = of_one.column.kind;
  const bool is_measured =
      kind == Kind::kDense || kind == Kind::kLabel || IsFloat(of_one.counts.type);
  return is_measured && of_one.counts.type != Type::kBytes && of_one.counts.entries != 0;
}

std::string SummaryTable(const std::vector<Counted>& counted, const Console& console) {
  TextTable table({{.title = "feature", .align = kLeft, .max_width = 32},
                   {.title = "type", .align = kLeft, .max_width = 8, .minor = true},
                   {.title = "missing", .align = kRight},
                   {.title = "entries", .align = kRight, .minor = true},
                   {.title = "different", .align = kRight},
                   {.title = "least", .align = kRight},
                   {.title = "median", .align = kRight, .minor = true},
                   {.title = "greatest", .align = kRight},
                   {.title = "mean", .align = kRight},
                   {.title = "deviation", .align = kRight, .minor = true}});
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  for (const Counted& of_one : counted) {
    const ValueCounts& counts = of_one.counts;
    const bool has_mean = HasMean(of_one);
    table.AddRow({counts.column, std::string(TypeName(counts.type)),
                  ShareText(counts.missing, counts.rows), CountText(counts.entries),
                  CountText(counts.counts.size()), ValueText(of_one.column, of_one.least),
                  ValueText(of_one.column, of_one.median),
                  ValueText(of_one.column, of_one.greatest), has_mean ? number(counts.Mean()) : "",
                  has_mean ? number(counts.Deviation()) : ""});
  }
  return table.Render(console);
}

std::string QuantileLines(const std::vector<Counted>& counted, const Console& console) {
  std::string text;
  for (const Counted& of_one : counted) {
    if (of_one.quantiles.empty()) continue;
    std::string line = of_one.counts.column + ":";
    for (const ColumnValue& value : of_one.quantiles) line += " " + ValueText(of_one.column, value);
    text += "\n" + Folded(Printable(line), console, 2) + "\n";
  }
  return text;
}

std::string ValueTable(const Counted& of_one, const Console& console) {
  const ValueCounts& counts = of_one.counts;
  TextTable table({{.title = counts.column, .align = kLeft},
                   {.title = "entries", .align = kRight},
                   {.title = "share", .align = kRight}});
  for (size_t i = 0; i < of_one.shown; ++i) {
    table.AddRow({ValueText(of_one.column, ValueAt(counts, i)), CountText(counts.counts[i]),
                  ShareText(counts.counts[i], counts.entries)});
  }
  return fmt::format("\n{}{} of {} values, {:.2f}% of the entries\n", table.Render(console),
                     CountText(of_one.shown), CountText(counts.counts.size()), 100 * of_one.share);
}

Status Print(const std::vector<Counted>& counted, const ValuesOptions& options, Console* console) {
  if (console->json) {
    Json json = Json::array();
    for (const Counted& of_one : counted) json.push_back(JsonOf(of_one, options));
    return PrintJson(json, console);
  }
  std::string text = SummaryTable(counted, *console) + QuantileLines(counted, *console);
  if (options.lists_values) {
    for (const Counted& of_one : counted) text += ValueTable(of_one, *console);
  }
  return console->Print(text);
}

// The columns to count, and of what a pipeline makes them.
Status Choose(const ValuesOptions& options, const Dataset& dataset, CountOptions* count,
              std::vector<ColumnInfo>* columns, Console* console) {
  if (!options.pipeline.empty()) {
    DSI_ASSIGN_OR_RETURN(count->scan.pipeline, ReadPipeline(options.pipeline, console));
  }
  std::vector<ColumnInfo> stored;
  DSI_ASSIGN_OR_RETURN(stored, dataset.Columns());
  *columns = stored;
  if (!options.pipeline.empty()) {
    DSI_ASSIGN_OR_RETURN(*columns, dataset.Columns(count->scan.pipeline));
  }
  if (options.features.empty()) {
    if (!options.pipeline.empty())
      std::erase_if(*columns, [](const ColumnInfo& column) { return !column.is_made; });
    DSI_RETURN_IF_ERROR(LeaveOutUnsupported(columns));
  } else {
    DSI_ASSIGN_OR_RETURN(*columns, ChooseColumns(*columns, options.features));
  }
  for (const ColumnInfo& column : *columns)
    count->scan.scan.features.push_back({.name = column.name});
  DSI_ASSIGN_OR_RETURN(count->scan.scan.filter, FilterOf(stored, options.choice));
  return Status::Ok();
}

Status Run(const ValuesOptions& options, Console* console) {
  DatasetOptions open;
  open.progress = [](uint64_t, uint64_t) { return InterruptSignal() == 0; };
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(options.where, open));
  CountOptions count;
  std::vector<ColumnInfo> columns;
  DSI_RETURN_IF_ERROR(Choose(options, *dataset, &count, &columns, console));
  count.scan.scan.threads = options.threads;
  count.memory_bytes = options.memory;
  Progress progress(*console);
  const uint64_t num_rows = dataset->num_rows();
  count.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("counting", total == 0 ? 0 : num_rows * done / total, num_rows,
                           ProgressUnit::kRows);
  };
  auto counts = CountValues(*dataset, count);
  progress.Clear();
  if (counts.status().code() == StatusCode::kResourceExhausted)
    console->hint = "count fewer --features at a time, or a --sample of the rows, or give --memory";
  if (!counts.ok()) return counts.status();
  std::vector<Counted> counted;
  for (size_t i = 0; i < counts->size(); ++i) {
    Counted& of_one = counted.emplace_back();
    of_one.column = columns[i];
    of_one.counts = std::move((*counts)[i]);
    Summarize(options, &of_one);
  }
  return Print(counted, options, console);
}

}  // namespace

VerbAction AddValues(CLI::App* app, Console* console) {
  auto options = std::make_shared<ValuesOptions>();
  app->add_option("WHERE", options->where,
                  "Files, patterns, folders or manifests, which are one table")
      ->required()
      ->type_name("");
  AddNameList(app, "--features", &options->features,
              "Only these; * and ? match; default: all, with --pipeline all that it makes");
  app->add_option("--pipeline", options->pipeline,
                  "Count what a pipeline makes, a file of JSON: for sizes of embedding tables")
      ->type_name("FILE");
  CLI::Option* const top =
      AddCount(app, "--top", &options->top, "List the so many most frequent values of each");
  CLI::Option* const min_count = AddCount(app, "--min-count", &options->min_count,
                                          "List those values that are so many entries or more");
  app->add_option("--quantiles", options->quantiles,
                  "Also the values between so many parts of equal size: borders of buckets")
      ->check(CLI::Range(2U, 65536U).description(""))
      ->type_name("N");
  AddRowChoice(app, &options->choice);
  app->add_option("--threads", options->threads, "Threads; 0: all cores, which is the default")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N");
  AddSize(app, "--memory", &options->memory, "For what is counted, such as 4G, the default");
  AddJsonFlag(app, console);
  AddIdsAsStrings(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Reads all rows once and counts exactly. With --json the values that are listed come whole,\n"
      "for a vocabulary.\n\nExamples:\n"
      "  dsictl values clicks.dsi --features label,'user.*'\n"
      "  dsictl values 'day=*/part-*.dsi' --features item.id --min-count 5 --json\n"
      "  dsictl values clicks.dsi --features dense.price --quantiles 10\n"
      "  dsictl values clicks.dsi --pipeline pipeline.json --top 3\n");
  return [options, top, min_count, console] {
    options->lists_values = top->count() != 0 || min_count->count() != 0;
    return Run(*options, console);
  };
}

}  // namespace dsi::tools
