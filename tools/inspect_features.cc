// Views of inspect that go by feature.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

Json ColumnJson(const ColumnInfo& column) {
  Json json = {{"name", column.name},
               {"feature", column.feature},
               {"id", column.feature_id},
               {"kind", KindText(column)},
               {"type", TypeName(column.type)},
               {"id_space", column.id_space},
               {"group", column.group},
               {"stored_bytes", column.stored_bytes},
               {"stored_values", column.stored_values}};
  if (column.precision != Precision::kExact) {
    json["precision"] = PrecisionName(column.precision);
    json["max_error"] = column.max_error;
  }
  if (column.hashed) json["hashed"] = true;
  return json;
}

std::string TypeText(const ColumnInfo& column) {
  return std::string(TypeName(column.type)) + (column.hashed ? ", hashed" : "");
}

// The two outer levels of a tree, of leaves and codecs the names alone: "dictionary(delta, zstd)".
std::string ShortTree(std::string_view tree) {
  constexpr std::array<std::string_view, 5> kLeftOut = {"compressed:", " u8", " u16", " u32",
                                                        " u64"};
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < tree.size();) {
    const auto left_out =
        std::find_if(kLeftOut.begin(), kLeftOut.end(),
                     [&](std::string_view word) { return tree.substr(i).starts_with(word); });
    if (left_out != kLeftOut.end()) {
      i += left_out->size();
      continue;
    }
    const char c = tree[i++];
    if (c == '(') ++depth;
    if (depth < 2) text += c;
    if (c == ')') --depth;
  }
  return text;
}

// "alias of packed +2": two other encodings among its pages. Empty where nothing is stored.
std::string EncodingText(const ChoiceInfo& choice) {
  if (!choice.damage.ok()) return DamageText(choice);
  if (choice.encodings.empty()) return "";
  return (choice.is_alias ? "alias of " : "") +
         (choice.source.empty() ? "" : fmt::format("in {}: ", choice.source)) +
         ShortTree(choice.encodings[0].encoding) +
         (choice.encodings.size() > 1 ? fmt::format(" +{}", choice.encodings.size() - 1) : "");
}

// By ordinal of the column: its values; of several tiers the largest.
std::vector<ChoiceInfo> ChoicesOfValues(std::vector<ChoiceInfo> choices, size_t num_columns) {
  std::vector<ChoiceInfo> of_values(num_columns);
  for (ChoiceInfo& choice : choices) {
    if (choice.role != kValuesRole) continue;
    ChoiceInfo& known = of_values[choice.column];
    if (known.role.empty() || choice.bytes > known.bytes) known = std::move(choice);
  }
  return of_values;
}

// Rows for the bytes that are no column's, and for all of the file. Dictionaries count with a
// column.
Status AddRest(const Reader& reader, const std::vector<ColumnInfo>& columns, TextTable* table) {
  DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
  const uint64_t file_bytes = reader.info().file_bytes;
  uint64_t indexes = 0;
  for (const GroupInfo& group : groups) indexes += TotalsOf(group, reader.stripes()).index_bytes;
  uint64_t streams = indexes;
  for (const ColumnInfo& column : columns) streams += column.stored_bytes;
  // Columns and indexes are counted as their nodes take in pages; some pages are compressed.
  uint64_t pages = 0;
  uint64_t content = 0;
  uint64_t dead = 0;
  DSI_ASSIGN_OR_RETURN(const auto parts, reader.Layout());
  for (const LayoutPart& part : parts) {
    if (part.name == "not referred to") dead += part.bytes;
    if (!part.name.starts_with("pages")) continue;
    pages += part.bytes;
    content += part.content_bytes;
  }
  const auto add = [&](const char* name, uint64_t bytes) {
    table->AddRow({name, "", "", "", "", "", BytesText(bytes), ShareText(bytes, file_bytes)});
  };
  table->AddRow({});
  add("(indexes)", indexes);
  if (content != pages) {
    table->AddRow({"(pages compressed)", "", "", "", "", "", "-" + BytesText(content - pages),
                   "-" + ShareText(content - pages, file_bytes)});
  }
  const uint64_t rest = file_bytes + content - pages;
  add("(directory)", rest - std::min(rest, streams + dead));
  if (dead != 0) add("(not referred to)", dead);
  add("(all)", file_bytes);
  return Status::Ok();
}

}  // namespace

void SortColumns(FeatureOrder order, std::vector<ColumnInfo>* columns) {
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

Status ShowFeatures(const Reader& reader, FeatureOrder order, Console* console) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  DSI_ASSIGN_OR_RETURN(std::vector<ChoiceInfo> choices, ReadChoices(reader, false));
  const Status damage = FirstDamage(choices);
  const std::vector<ChoiceInfo> of_values = ChoicesOfValues(std::move(choices), columns.size());
  SortColumns(order, &columns);
  if (console->json) {
    Json json = Json::array();
    for (const ColumnInfo& column : columns) {
      json.push_back(ColumnJson(column));
      json.back()["encodings"] = EncodingsJson(of_values[column.ordinal]);
      json.back()["damage"] = DamageJson(of_values[column.ordinal]);
    }
    DSI_RETURN_IF_ERROR(PrintJson(json, console));
    return damage;
  }
  // Only files with rounded values have the columns that speak of them.
  const bool rounded = std::any_of(columns.begin(), columns.end(), [](const ColumnInfo& column) {
    return column.precision != Precision::kExact;
  });
  std::vector<TextTable::Column> titles = {
      {.title = "feature", .align = kLeft, .max_width = 32},
      {.title = "kind", .align = kLeft, .max_width = 12},
      {.title = "type", .align = kLeft, .max_width = 8},
      {.title = "id space", .align = kLeft, .max_width = 12, .minor = true},
      {.title = "group", .align = kRight, .minor = true},
      {.title = "values", .align = kRight},
      {.title = "bytes", .align = kRight},
      {.title = "of file", .align = kRight}};
  if (rounded) {
    titles.push_back({.title = "precision", .align = kLeft, .max_width = 9});
    titles.push_back({.title = "max error", .align = kRight});
  }
  titles.push_back({.title = "encoding", .align = kLeft, .max_width = 32});
  TextTable table(std::move(titles));
  for (const ColumnInfo& column : columns) {
    std::vector<std::string> row = {column.name,
                                    KindText(column),
                                    column.support.ok() ? TypeText(column) : "",
                                    column.id_space,
                                    fmt::format("{}", column.group),
                                    CountText(column.stored_values),
                                    BytesText(column.stored_bytes),
                                    ShareText(column.stored_bytes, reader.info().file_bytes)};
    if (rounded) {
      const bool exact = column.precision == Precision::kExact;
      row.push_back(exact ? "" : std::string(PrecisionName(column.precision)));
      row.push_back(exact ? "" : fmt::format("{:.3g}", column.max_error));
    }
    row.push_back(EncodingText(of_values[column.ordinal]));
    table.AddRow(std::move(row));
  }
  const Status rest = AddRest(reader, columns, &table);
  DSI_RETURN_IF_ERROR(
      console->Print(table.Render(*console) + "\n" +
                     Folded("encoding: of the values in the largest stripe, the outer two levels; "
                            "+2: two others among its pages; --why tells all, and why; directory: "
                            "with seals and padding",
                            *console) +
                     "\n"));
  return damage.ok() ? rest : damage;
}

Status ShowStreams(const Reader& reader, const std::string& feature, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto columns, ChooseColumns(reader, {feature}));
  std::vector<StreamInfo> streams;
  std::set<std::tuple<std::string, uint32_t, std::string>> seen;
  for (const ColumnInfo& column : columns) {
    DSI_ASSIGN_OR_RETURN(const auto found, reader.Streams(column.name));
    // What columns share, such as the index of their group, comes with the first of them.
    for (const StreamInfo& stream : found) {
      if (seen.emplace(stream.column, stream.stripe, stream.role).second) streams.push_back(stream);
    }
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
                   {.title = "stripe", .align = kRight},
                   {.title = "stream", .align = kLeft, .max_width = 12},
                   {.title = "values", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "encoding", .align = kLeft, .max_width = 200}});
  for (const StreamInfo& stream : streams) {
    table.AddRow({stream.column, fmt::format("{}", stream.stripe), stream.role,
                  CountText(stream.num_values), BytesText(stream.bytes), stream.encoding});
  }
  return console->Print(table.Render(*console));
}

}  // namespace dsi::tools
