// The columns of many files as one table: which files have them, and as what.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/dataset/dataset.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

std::string Shown(const Dataset& dataset, uint32_t file) {
  return internal::ShownName(dataset.files()[file].path);
}

Json TypesJson(const std::vector<Type>& types) {
  Json names = Json::array();
  for (const Type type : types) names.push_back(TypeName(type));
  return names;
}

Json JsonOf(const ColumnFiles& found, const Dataset& dataset) {
  const ColumnInfo& column = found.column;
  Json conflict;  // Null: none.
  if (!found.conflict.ok()) conflict = found.conflict.message();
  return {{"name", column.name},
          {"feature", column.feature},
          {"id", column.feature_id},
          {"kind", KindText(column)},
          {"type", TypeName(column.type)},
          {"files", found.num_files},
          {"blank", found.num_blank},
          {"first", Shown(dataset, found.first)},
          {"last", Shown(dataset, found.last)},
          {"names", found.names},
          {"types", TypesJson(found.types)},
          {"conflict", std::move(conflict)}};
}

// What is not the same in all files.
std::string NoteOn(const ColumnFiles& found) {
  if (!found.conflict.ok()) return found.conflict.message();
  std::vector<std::string> notes;
  if (found.num_blank != 0) notes.push_back(fmt::format("blank in {}", CountText(found.num_blank)));
  if (found.types.size() > 1) {
    std::vector<std::string_view> types;
    for (const Type type : found.types) types.push_back(TypeName(type));
    notes.push_back(fmt::format("stored as {}", fmt::join(types, ", ")));
  }
  std::vector<std::string> names = found.names;
  std::erase(names, found.column.name);
  if (!names.empty()) notes.push_back(fmt::format("was {}", fmt::join(names, ", ")));
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::string TextOf(const std::vector<ColumnFiles>& columns, const Dataset& dataset,
                   const Console& console) {
  TextTable table({{.title = "feature", .align = kLeft, .max_width = 40},
                   {.title = "kind", .align = kLeft},
                   {.title = "type", .align = kLeft},
                   {.title = "files", .align = kRight},
                   {.title = "since", .align = kLeft, .max_width = 40, .minor = true},
                   {.title = "until", .align = kLeft, .max_width = 40, .minor = true},
                   {.title = "note", .align = kLeft}});
  const size_t num_files = dataset.files().size();
  for (const ColumnFiles& found : columns) {
    const bool is_everywhere = found.num_files == num_files;
    table.AddRow(
        {found.column.name, KindText(found.column), std::string(TypeName(found.column.type)),
         is_everywhere ? "all"
                       : fmt::format("{} of {}", CountText(found.num_files), CountText(num_files)),
         found.first == 0 ? "" : Shown(dataset, found.first),
         found.last + 1 == num_files ? "" : Shown(dataset, found.last), NoteOn(found)});
  }
  return table.Render(console);
}

}  // namespace

Status ShowDatasetColumns(const Where& where, FeatureOrder order, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const auto dataset, OpenMany(where.names, &progress, where.open));
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnFiles> columns, dataset->FilesOfColumns());
  progress.Clear();
  if (order == FeatureOrder::kName) {
    std::stable_sort(
        columns.begin(), columns.end(),
        [](const ColumnFiles& a, const ColumnFiles& b) { return a.column.name < b.column.name; });
  }
  if (!console->json) return console->Print(TextOf(columns, *dataset, *console));
  Json all = Json::array();
  for (const ColumnFiles& found : columns) all.push_back(JsonOf(found, *dataset));
  return PrintJson(all, console);
}

}  // namespace dsi::tools
