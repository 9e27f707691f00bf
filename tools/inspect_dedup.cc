// inspect --dedup: what deduplication made of each group, from indexes and shapes alone.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

// Values of the features of a group, or of all: entries times columns.
struct ValueTotals {
  uint64_t rows = 0;      // In all rows.
  uint64_t unique = 0;    // In unique rows.
  uint64_t windowed = 0;  // In unique rows that are windows.
  uint64_t stored = 0;
  uint64_t windows_bytes = 0;

  void Add(const FeatureDedup& f) {
    rows += f.row_entries * f.num_columns;
    unique += f.unique_entries * f.num_columns;
    windowed += f.windowed_entries * f.num_columns;
    stored += f.pool_entries * f.num_columns;
    windows_bytes += f.windows_bytes;
  }
  void Add(const ValueTotals& other) {
    rows += other.rows;
    unique += other.unique;
    windowed += other.windowed;
    stored += other.stored;
    windows_bytes += other.windows_bytes;
  }
};

double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string Factor(uint64_t a, uint64_t b) {
  return FactorText(static_cast<double>(a), static_cast<double>(b));
}

// Stored values of the lists that are windows, as a share of those the lists have.
std::string PoolText(const ValueTotals& values) {
  if (values.windowed == 0) return "";
  const uint64_t others = values.unique - values.windowed;
  const uint64_t pool = values.stored - std::min(values.stored, others);
  return fmt::format("{:.0f}%", 100 * Ratio(pool, values.windowed));
}

Json GroupJson(const GroupInfo& group, const GroupTotals& totals, const ValueTotals& values,
               const std::vector<FeatureDedup>& features) {
  Json per_stripe = Json::array();
  for (const GroupInfo::PerStripe& stripe : group.stripes) {
    per_stripe.push_back({{"form", FormName(stripe.form)},
                          {"unique_rows", stripe.num_unique},
                          {"index_bytes", stripe.index_bytes}});
  }
  Json per_feature = Json::array();
  for (const FeatureDedup& f : features) {
    if (f.group != group.ordinal) continue;
    per_feature.push_back({{"feature", f.feature},
                           {"columns", f.num_columns},
                           {"rows_present", f.rows_present},
                           {"row_entries", f.row_entries},
                           {"unique_entries", f.unique_entries},
                           {"stored_entries", f.pool_entries},
                           {"windowed_entries", f.windowed_entries},
                           {"windowed_stripes", f.windowed_stripes},
                           {"windows_bytes", f.windows_bytes}});
  }
  return {{"group", group.ordinal},
          {"name", group.name},
          {"declared", group.declared},
          {"owner", group.owner},
          {"parent", group.parent},
          {"columns", group.columns},
          {"rows", totals.rows},
          {"unique_rows", totals.unique_rows},
          {"factor", Ratio(totals.rows, totals.unique_rows)},
          {"factor_by_length", Ratio(values.rows, values.unique)},
          {"index_bytes", totals.index_bytes},
          {"windows_bytes", values.windows_bytes},
          {"values_of_rows", values.rows},
          {"values_of_unique_rows", values.unique},
          {"values_in_windows", values.windowed},
          {"values_stored", values.stored},
          {"stripes", per_stripe},
          {"features", per_feature}};
}

}  // namespace

Status ShowDedup(const Reader& reader, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
  DSI_ASSIGN_OR_RETURN(const auto features, reader.Dedup());
  const std::span<const StripeInfo> stripes = reader.stripes();
  std::vector<ValueTotals> values(groups.size());
  for (const FeatureDedup& feature : features) values[feature.group].Add(feature);

  Json json = Json::array();
  TextTable table({{.title = "#", .align = kRight},
                   {.title = "group", .align = kLeft, .max_width = 14},
                   {.title = "owner", .align = kLeft, .max_width = 16},
                   {.title = "in", .align = kRight, .minor = true},
                   {.title = "columns", .align = kRight},
                   {.title = "factor", .align = kRight},
                   {.title = "by length", .align = kRight},
                   {.title = "index", .align = kRight},
                   {.title = "bits/row", .align = kRight, .minor = true},
                   {.title = "windows", .align = kRight, .minor = true},
                   {.title = "pool", .align = kRight, .minor = true},
                   {.title = "form", .align = kLeft, .max_width = 21}});
  ValueTotals all;
  uint64_t index_bytes = 0;
  for (const GroupInfo& group : groups) {
    const GroupTotals totals = TotalsOf(group, stripes);
    const ValueTotals& of_group = values[group.ordinal];
    all.Add(of_group);
    index_bytes += totals.index_bytes;
    json.push_back(GroupJson(group, totals, of_group, features));
    const bool rows = group.ordinal == 0;
    const std::string title = rows ? "(rows)" : group.name.empty() ? "found" : group.name;
    table.AddRow({fmt::format("{}", group.ordinal), title, group.owner,
                  group.parent == 0 ? "" : fmt::format("{}", group.parent),
                  CountText(group.columns.size()), Factor(totals.rows, totals.unique_rows),
                  Factor(of_group.rows, of_group.unique), rows ? "" : BytesText(totals.index_bytes),
                  rows ? "" : fmt::format("{:.2f}", 8 * Ratio(totals.index_bytes, totals.rows)),
                  of_group.windows_bytes == 0 ? "" : BytesText(of_group.windows_bytes),
                  PoolText(of_group), totals.forms});
  }
  if (console->json) return PrintJson(json, console);
  const std::string of_all = fmt::format(
      "all: {} values in rows, {} in unique rows ({} fewer), {} stored ({} fewer); indexes {}, "
      "windows {}, of {}",
      CountText(all.rows), CountText(all.unique), Factor(all.rows, all.unique),
      CountText(all.stored), Factor(all.rows, all.stored), BytesText(index_bytes),
      BytesText(all.windows_bytes), BytesText(reader.info().file_bytes));
  return console->Print(
      table.Render(*console) + "\n" + Folded(of_all, *console, 5) + "\n\n" +
      Folded("factor: rows for each unique row; by length: values in rows for each in unique rows; "
             "in: the group whose index this one's refers to; pool: values stored for 100 in "
             "windows",
             *console) +
      "\n");
}

}  // namespace dsi::tools
