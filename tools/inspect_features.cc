// Views of inspect that go by feature.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
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
  return {{"name", column.name},
          {"feature", column.feature},
          {"id", column.feature_id},
          {"kind", KindName(column.kind)},
          {"type", TypeName(column.type)},
          {"id_space", column.id_space},
          {"group", column.group},
          {"feature_group", column.feature_group},
          {"stored_bytes", column.stored_bytes},
          {"stored_values", column.stored_values}};
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
  TextTable table({{.title = "feature", .align = kLeft, .max_width = 40},
                   {.title = "kind", .align = kLeft, .max_width = 12},
                   {.title = "type", .align = kLeft, .max_width = 8},
                   {.title = "id space", .align = kLeft, .max_width = 20},
                   {.title = "group", .align = kRight, .max_width = 8},
                   {.title = "values", .align = kRight, .max_width = 20},
                   {.title = "bytes", .align = kRight, .max_width = 12},
                   {.title = "of file", .align = kRight, .max_width = 8},
                   {.title = "bytes/row", .align = kRight, .max_width = 10}});
  for (const ColumnInfo& column : columns) {
    const auto stored = static_cast<double>(column.stored_bytes);
    table.AddRow({column.name, std::string(KindName(column.kind)),
                  std::string(TypeName(column.type)), column.id_space,
                  fmt::format("{}", column.group), CountText(column.stored_values),
                  BytesText(column.stored_bytes), fmt::format("{:.2f}%", 100 * stored / bytes),
                  fmt::format("{:.2f}", stored / rows)});
  }
  return console->Print(table.Render(*console));
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
