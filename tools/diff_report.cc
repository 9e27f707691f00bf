#include "dsi/tools/diff_report_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

constexpr size_t kMostColumns = 20;  // --all shows more.
constexpr size_t kValueWidth = 32;
constexpr size_t kBefore = 8;  // Of a long value so much is shown before the first difference.

// What a schema says of a column by one of the words of ComparedColumn::changes.
std::string SaidOf(const ColumnInfo& column, const std::string& word) {
  if (word == "name") return column.name;
  if (word == "id") return std::to_string(column.feature_id);
  if (word == "kind") return KindText(column);
  if (word == "type") return std::string(TypeName(column.type));
  if (word == "unit") return std::string(TimeUnitName(column.time_unit));
  if (word == "id_space") return column.id_space;
  if (word == "max_length") return std::to_string(column.max_length);
  if (word == "length") return std::to_string(column.fixed_length);
  if (word == "newest") return column.newest_first ? "first" : "last";
  if (word == "nested") return column.nested ? "true" : "false";
  if (word == "default") return column.default_bits ? "given" : "none";
  if (word == "precision") return std::string(PrecisionName(column.precision));
  return column.hashed ? "true" : "false";
}

std::string SchemaTable(const Comparison& found, const Console& console) {
  TextTable table({{.title = "schema", .max_width = 40},
                   {.title = "differs in"},
                   {.title = "A", .max_width = 24},
                   {.title = "B", .max_width = 24}});
  std::string notes;
  for (const ComparedColumn& column : found.columns) {
    if (!column.a || !column.b) {
      const ColumnInfo& there = column.a ? *column.a : *column.b;
      const std::string what = KindText(there) + " of " + std::string(TypeName(there.type));
      table.AddRow({there.name, column.a ? "A alone has it" : "B alone has it",
                    column.a ? what : "-", column.b ? what : "-"});
      continue;
    }
    for (const std::string& word : column.changes)
      table.AddRow({column.name(), word, SaidOf(*column.a, word), SaidOf(*column.b, word)});
    if (!column.support.ok())
      notes += Folded("not compared: " + Printable(column.support.message()), console, 2) + "\n";
  }
  return table.Render(console) + notes;
}

// Of two long values what begins with the entry in which they differ first, or in a long text
// shortly before.
std::pair<std::string, std::string> Excerpts(const std::string& a, const std::string& b) {
  size_t same = 0;
  while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
  size_t from = 0;
  if (std::max(a.size(), b.size()) > kValueWidth) {
    const size_t comma = a.rfind(',', same);
    from = same - std::min(same, kBefore);
    if (comma != std::string::npos && comma < same && same - comma < kValueWidth / 2)
      from = comma + 1;
    while (from > 0 && (a[from] & 0xC0) == 0x80) --from;  // Not inside of a character.
  }
  const auto cut = [from](const std::string& value) {
    if (value.empty()) return std::string("missing");
    const std::string rest = from == 0 ? value : "…" + value.substr(std::min(from, value.size()));
    return CutToWidth(rest, kValueWidth);
  };
  return {cut(a), cut(b)};
}

std::string RowText(uint64_t row_a, uint64_t row_b) {
  return row_a == row_b ? CountText(row_a)
                        : fmt::format("{} of A, {} of B", CountText(row_a), CountText(row_b));
}

std::string ColumnTable(const DiffReport& report, const Console& console) {
  TextTable table({{.title = "column", .max_width = 40},
                   {.title = "rows", .align = kRight},
                   {.title = "share", .align = kRight, .minor = true},
                   {.title = "values", .minor = true},
                   {.title = "first row"},
                   {.title = "A", .max_width = kValueWidth},
                   {.title = "B", .max_width = kValueWidth}});
  for (const size_t c : report.ShownColumns()) {
    const ComparedColumn& column = report.found.columns[c];
    const auto [a, b] = Excerpts(report.value_a[c], report.value_b[c]);
    table.AddRow({column.name(), CountText(column.differing),
                  ShareText(column.differing, report.found.pairs),
                  column.has_same_values ? "moved" : "others", RowText(column.row_a, column.row_b),
                  a, b});
  }
  return table.Render(console);
}

std::string OnlyText(const std::optional<uint64_t>& count, uint64_t first) {
  if (!count) return "not known";
  if (*count == 0) return "none";
  return fmt::format("{}, the first is {}", CountText(*count), CountText(first));
}

std::string Verdict(const DiffReport& report) {
  const Comparison& found = report.found;
  if (found.is_same()) return fmt::format("the same: {}\n", CountOf(found.rows_a, "row"));
  if (report.IsOtherOrder())
    return fmt::format("the same {} in another order\n", CountOf(found.rows_a, "row"));
  return "they differ\n";
}

}  // namespace

std::vector<size_t> DiffReport::ShownColumns() const {
  std::vector<size_t> shown;
  for (size_t c = 0; c < found.columns.size() && !IsOtherOrder(); ++c) {
    if (found.columns[c].differing != 0) shown.push_back(c);
  }
  std::stable_sort(shown.begin(), shown.end(), [this](size_t one, size_t other) {
    return found.columns[one].differing > found.columns[other].differing;
  });
  if (!all && shown.size() > kMostColumns) shown.resize(kMostColumns);
  return shown;
}

std::string DiffText(const DiffReport& report, const Console& console) {
  const Comparison& found = report.found;
  if (found.is_same() || report.IsOtherOrder()) return Verdict(report);
  FactList facts;
  facts.Add("A", fmt::format("{}, {}", report.a, CountOf(found.rows_a, "row")));
  facts.Add("B", fmt::format("{}, {}", report.b, CountOf(found.rows_b, "row")));
  facts.Add(
      report.by_key ? "rows of one key" : "rows of one place",
      fmt::format("{}, of which {} differ", CountText(found.pairs), CountText(found.differing)));
  const char* const only = report.by_key ? "keys only in" : "rows only in";
  facts.Add(fmt::format("{} A", only), OnlyText(found.only_a, found.first_only_a));
  facts.Add(fmt::format("{} B", only), OnlyText(found.only_b, found.first_only_b));
  std::string text = facts.Render(console);
  if (!found.has_same_columns()) text += "\n" + SchemaTable(found, console);
  const size_t shown = report.ShownColumns().size();
  if (shown != 0) text += "\n" + ColumnTable(report, console);
  const auto differing = static_cast<size_t>(
      std::count_if(found.columns.begin(), found.columns.end(),
                    [](const ComparedColumn& column) { return column.differing != 0; }));
  if (differing > shown) {
    text += fmt::format("and {} (--all shows them)\n", CountOf(differing - shown, "more column"));
  }
  const bool are_moved = found.only_a && found.differing > std::max(*found.only_a, *found.only_b);
  if (!report.by_key && are_moved)
    text +=
        "Most of these rows stand elsewhere in the other: --key compares rows by their names.\n";
  return text + "\n" + Verdict(report);
}

Json DiffJson(const DiffReport& report) {
  const Comparison& found = report.found;
  const auto number = [](const std::optional<uint64_t>& count) {
    return count ? Json(*count) : Json();
  };
  const auto value = [](const std::string& text) {
    return text.empty() ? Json() : Json::parse(text);
  };
  std::vector<bool> is_shown(found.columns.size(), false);
  for (const size_t c : report.ShownColumns()) is_shown[c] = true;
  Json columns = Json::array();
  for (size_t c = 0; c < found.columns.size(); ++c) {
    const ComparedColumn& column = found.columns[c];
    Json json = {{"name", column.name()},
                 {"name_a", column.a ? Json(column.a->name) : Json()},
                 {"name_b", column.b ? Json(column.b->name) : Json()},
                 {"changes", column.changes},
                 {"compared", column.support.ok()},
                 {"rows_differing", column.differing},
                 {"same_values", column.has_same_values}};
    if (!column.support.ok()) json["message"] = column.support.message();
    if (column.differing != 0) {
      json["row_a"] = column.row_a;
      json["row_b"] = column.row_b;
    }
    if (is_shown[c]) {
      json["value_a"] = value(report.value_a[c]);
      json["value_b"] = value(report.value_b[c]);
    }
    columns.push_back(std::move(json));
  }
  return {{"a", report.a},
          {"b", report.b},
          {"same", report.IsSame()},
          {"same_rows", found.has_same_rows},
          {"rows_a", found.rows_a},
          {"rows_b", found.rows_b},
          {"rows_compared", found.pairs},
          {"rows_differing", found.differing},
          {"only_a", number(found.only_a)},
          {"only_b", number(found.only_b)},
          {"first_only_a", found.only_a.value_or(0) != 0 ? Json(found.first_only_a) : Json()},
          {"first_only_b", found.only_b.value_or(0) != 0 ? Json(found.first_only_b) : Json()},
          {"columns", std::move(columns)}};
}

}  // namespace dsi::tools
