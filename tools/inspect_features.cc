// Views of inspect that go by feature.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

void Sort(FeatureOrder order, std::vector<ColumnInfo>* columns) {
  std::stable_sort(columns->begin(), columns->end(),
                   [order](const ColumnInfo& a, const ColumnInfo& b) {
                     switch (order) {
                       case FeatureOrder::kFile:
                         break;
                       case FeatureOrder::kBytes:
                         return a.stored_bytes > b.stored_bytes;
                       case FeatureOrder::kName:
                         return a.name < b.name;
                       case FeatureOrder::kValues:
                         return a.stored_values > b.stored_values;
                     }
                     return a.ordinal < b.ordinal;
                   });
}

Json ColumnJson(const ColumnInfo& column) {
  Json json = {{"name", column.name},
               {"feature", column.feature},
               {"id", column.feature_id},
               {"kind", KindName(column.kind)},
               {"type", TypeName(column.type)},
               {"id_space", column.id_space},
               {"group", column.group},
               {"feature_group", column.feature_group},
               {"stored_bytes", column.stored_bytes},
               {"stored_values", column.stored_values}};
  if (column.precision != Precision::kExact) {
    json["precision"] = PrecisionName(column.precision);
    json["max_error"] = column.max_error;
  }
  return json;
}

}  // namespace

Status ShowFeatures(const Reader& reader, FeatureOrder order, Console* console) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  Sort(order, &columns);
  if (console->json) {
    Json json = Json::array();
    for (const ColumnInfo& column : columns) json.push_back(ColumnJson(column));
    return PrintJson(json, console);
  }
  const auto rows = static_cast<double>(std::max<uint64_t>(1, reader.info().num_rows));
  const auto bytes = static_cast<double>(std::max<uint64_t>(1, reader.info().file_bytes));
  // Only files with rounded values have the columns that speak of them.
  const bool rounded = std::any_of(columns.begin(), columns.end(), [](const ColumnInfo& column) {
    return column.precision != Precision::kExact;
  });
  std::vector<TextTable::Column> titles = {
      {.title = "feature", .align = kLeft, .max_width = 40},
      {.title = "kind", .align = kLeft, .max_width = 12},
      {.title = "type", .align = kLeft, .max_width = 8},
      {.title = "id space", .align = kLeft, .max_width = 20},
      {.title = "group", .align = kRight, .max_width = 8},
      {.title = "values", .align = kRight, .max_width = 20},
      {.title = "bytes", .align = kRight, .max_width = 12},
      {.title = "of file", .align = kRight, .max_width = 8},
      {.title = "bytes/row", .align = kRight, .max_width = 10}};
  if (rounded) {
    titles.push_back({.title = "precision", .align = kLeft, .max_width = 9});
    titles.push_back({.title = "max error", .align = kRight, .max_width = 12});
  }
  TextTable table(std::move(titles));
  for (const ColumnInfo& column : columns) {
    const auto stored = static_cast<double>(column.stored_bytes);
    std::vector<std::string> row = {column.name,
                                    std::string(KindName(column.kind)),
                                    std::string(TypeName(column.type)),
                                    column.id_space,
                                    fmt::format("{}", column.group),
                                    CountText(column.stored_values),
                                    BytesText(column.stored_bytes),
                                    fmt::format("{:.2f}%", 100 * stored / bytes),
                                    fmt::format("{:.2f}", stored / rows)};
    if (rounded) {
      const bool exact = column.precision == Precision::kExact;
      row.push_back(exact ? "" : std::string(PrecisionName(column.precision)));
      row.push_back(exact ? "" : fmt::format("{:.3g}", column.max_error));
    }
    table.AddRow(std::move(row));
  }
  return console->Print(table.Render(*console));
}

Status ShowChoices(const Reader& reader, FeatureOrder order, Console* console) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  Sort(order, &columns);
  Json json = Json::array();
  TextTable table({{.title = "feature", .align = kLeft, .max_width = 40},
                   {.title = "bytes", .align = kRight, .max_width = 12},
                   {.title = "B/value", .align = kRight, .max_width = 10},
                   {.title = "ns/value", .align = kRight, .max_width = 10},
                   {.title = "encoding", .align = kLeft, .max_width = 60},
                   {.title = "B/value", .align = kRight, .max_width = 10},
                   {.title = "ns/value", .align = kRight, .max_width = 10},
                   {.title = "runner-up", .align = kLeft, .max_width = 60}});
  const auto number = [](double value) { return value == 0 ? "" : fmt::format("{:.2f}", value); };
  for (const ColumnInfo& column : columns) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const ChoiceInfo choice, reader.ExplainChoice(column.name));
    json.push_back({{"name", column.name},
                    {"stored_bytes", column.stored_bytes},
                    {"encoding", choice.encoding},
                    {"bytes_per_value", choice.bytes_per_value},
                    {"ns_per_value", choice.ns_per_value},
                    {"runner_up", choice.runner_up},
                    {"runner_up_bytes_per_value", choice.runner_up_bytes_per_value},
                    {"runner_up_ns_per_value", choice.runner_up_ns_per_value}});
    table.AddRow({column.name, BytesText(column.stored_bytes), number(choice.bytes_per_value),
                  number(choice.ns_per_value),
                  choice.encoding.empty() ? "constant" : choice.encoding,
                  number(choice.runner_up_bytes_per_value), number(choice.runner_up_ns_per_value),
                  choice.runner_up});
  }
  if (console->json) return PrintJson(json, console);
  return console->Print(table.Render(*console) +
                        "\nof the first page of values: bytes stored and time to decode for each; "
                        "the runner-up is the "
                        "next\nbest where a stored byte is worth 4 ns, as for --tuning nvme\n");
}

Status ShowStreams(const Reader& reader, const std::string& feature, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto columns, ChooseColumns(reader, {feature}));
  std::vector<StreamInfo> streams;
  for (const ColumnInfo& column : columns) {
    DSI_ASSIGN_OR_RETURN(auto found, reader.Streams(column.name));
    std::move(found.begin(), found.end(), std::back_inserter(streams));
  }
  if (console->json) {
    Json json = Json::array();
    for (const StreamInfo& stream : streams) {
      json.push_back({{"column", stream.column},
                      {"stripe", stream.stripe},
                      {"role", stream.role},
                      {"values", stream.num_values},
                      {"bytes", stream.bytes},
                      {"encoding", stream.encoding}});
    }
    return PrintJson(json, console);
  }
  TextTable table({{.title = "column", .align = kLeft, .max_width = 40},
                   {.title = "stripe", .align = kRight, .max_width = 8},
                   {.title = "stream", .align = kLeft, .max_width = 12},
                   {.title = "values", .align = kRight, .max_width = 20},
                   {.title = "bytes", .align = kRight, .max_width = 12},
                   {.title = "encoding", .align = kLeft, .max_width = 200}});
  for (const StreamInfo& stream : streams) {
    table.AddRow({stream.column, fmt::format("{}", stream.stripe), stream.role,
                  CountText(stream.num_values), BytesText(stream.bytes), stream.encoding});
  }
  return console->Print(table.Render(*console));
}

}  // namespace dsi::tools
