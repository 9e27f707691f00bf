// The view of inspect that reads every value: what is missing, how long lists are, between what
// values lie.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/tools/column_value_internal.h"
#include "dsi/tools/feature_stats_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

double MeanLength(const ColumnStats& stats) {
  return stats.missing == stats.rows
             ? 0
             : static_cast<double>(stats.entries) / static_cast<double>(stats.rows - stats.missing);
}

double MissingShare(const ColumnStats& stats) {
  return stats.rows == 0 ? 0 : static_cast<double>(stats.missing) / static_cast<double>(stats.rows);
}

Json StatsJson(const ColumnStats& stats) {
  const ColumnInfo& column = stats.column;
  Json json = {{"name", column.name},
               {"feature", column.feature},
               {"kind", KindText(column)},
               {"type", TypeName(column.type)},
               {"rows", stats.rows},
               {"missing", stats.missing},
               {"missing_share", MissingShare(stats)}};
  if (HasLengths(column.kind, column.type)) {
    json["entries"] = stats.entries;
    json["min_length"] = stats.min_length;
    json["mean_length"] = MeanLength(stats);
    json["max_length"] = stats.max_length;
  }
  json["min"] = ValueJson(stats.least);
  json["max"] = ValueJson(stats.greatest);
  if (IsFloat(column.type)) json["nan"] = stats.nan;
  if (IsTime(column)) {
    json["first_time"] = TimeOf(column, stats.least);
    json["last_time"] = TimeOf(column, stats.greatest);
  }
  return json;
}

}  // namespace

Status ShowStats(const Reader& reader, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnStats> stats, ReadStats(reader, &progress));
  progress.Clear();
  if (console->json) {
    Json json = Json::array();
    for (const ColumnStats& of_one : stats) json.push_back(StatsJson(of_one));
    return PrintJson(json, console);
  }
  // Only files with NaN have the column that counts it.
  const bool has_nan =
      std::any_of(stats.begin(), stats.end(), [](const ColumnStats& s) { return s.nan != 0; });
  std::vector<TextTable::Column> titles = {
      {.title = "feature", .align = kLeft, .max_width = 32},
      {.title = "kind", .align = kLeft, .max_width = 12, .minor = true},
      {.title = "type", .align = kLeft, .max_width = 8, .minor = true},
      {.title = "missing", .align = kRight},
      {.title = "lengths", .align = kRight, .minor = true},
      {.title = "mean", .align = kRight, .minor = true},
      {.title = "least", .align = kRight},
      {.title = "greatest", .align = kRight}};
  if (has_nan) titles.push_back({.title = "NaN", .align = kRight});
  TextTable table(std::move(titles));
  for (const ColumnStats& of_one : stats) {
    const ColumnInfo& column = of_one.column;
    const bool has_lengths = HasLengths(column.kind, column.type) && of_one.missing < of_one.rows;
    std::vector<std::string> row = {
        column.name,
        KindText(column),
        std::string(TypeName(column.type)),
        fmt::format("{:.2f}%", 100 * MissingShare(of_one)),
        has_lengths ? fmt::format("{} to {}", of_one.min_length, of_one.max_length) : "",
        has_lengths ? fmt::format("{:.1f}", MeanLength(of_one)) : "",
        ValueText(column, of_one.least),
        ValueText(column, of_one.greatest)};
    if (has_nan) row.push_back(of_one.nan == 0 ? "" : CountText(of_one.nan));
    table.AddRow(std::move(row));
  }
  return console->Print(table.Render(*console) + "\n" +
                        Folded("lengths: entries of lists and bytes of strings, of rows that are "
                               "not missing; least and greatest: of all entries but NaN",
                               *console) +
                        "\n");
}

}  // namespace dsi::tools
