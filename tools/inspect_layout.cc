// Views of inspect that go by stripe, dedup group or byte range.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "dsi/base/error_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/unsupported_features_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

constexpr std::array<std::string_view, 7> kFormNames = {
    "identity", "run lengths", "new-row bits", "general", "via parent", "versions", "as of"};

// Short ones, for tables in which several stand side by side.
constexpr std::array<std::string_view, 7> kFormWords = {"identity", "runs",     "bits", "general",
                                                        "parent",   "versions", "as of"};

std::string JoinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string GroupTitle(const GroupInfo& group) {
  if (group.ordinal == 0) return "rows (not deduplicated)";
  return group.name.empty() ? fmt::format("group {}", group.ordinal) : group.name;
}

GroupTotals TotalsOf(const GroupInfo& group, std::span<const StripeInfo> stripes) {
  GroupTotals totals;
  std::array<size_t, kFormNames.size()> used{};
  size_t unknown = 0;
  for (size_t i = 0; i < group.stripes.size(); ++i) {
    if (i < stripes.size()) totals.rows += stripes[i].num_rows;
    // Of an unknown form nothing else is told.
    if (!group.stripes[i].support.ok()) {
      ++unknown;
      continue;
    }
    totals.unique_rows += group.stripes[i].num_unique;
    totals.index_bytes += group.stripes[i].index_bytes;
    ++used[static_cast<size_t>(group.stripes[i].form)];
  }
  const auto num_forms = std::count_if(used.begin(), used.end(), [](size_t n) { return n > 0; });
  for (size_t form = 0; form < used.size(); ++form) {
    if (used[form] == 0) continue;
    totals.forms += totals.forms.empty() ? "" : ", ";
    totals.forms += kFormWords[form];
    if (num_forms > 1) totals.forms += fmt::format(" {}", used[form]);
  }
  if (unknown > 0)
    totals.forms += fmt::format("{}unsupported {}", totals.forms.empty() ? "" : ", ", unknown);
  return totals;
}

std::string_view FormName(IndexForm form) { return kFormNames[static_cast<size_t>(form)]; }

Status ShowStripes(const Reader& reader, Console* console) {
  const std::span<const StripeInfo> stripes = reader.stripes();
  if (console->json) {
    Json json = Json::array();
    for (const StripeInfo& stripe : stripes) {
      json.push_back({{"first_row", stripe.first_row},
                      {"rows", stripe.num_rows},
                      {"sessions", stripe.num_sessions},
                      {"offset", stripe.offset},
                      {"bytes", stripe.bytes},
                      {"continues_session", stripe.continues_session}});
    }
    return PrintJson(json, console);
  }
  TextTable table({{.title = "stripe", .align = kRight},
                   {.title = "first row", .align = kRight},
                   {.title = "rows", .align = kRight},
                   {.title = "sessions", .align = kRight},
                   {.title = "offset", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "", .align = kLeft, .max_width = 40}});
  for (size_t i = 0; i < stripes.size(); ++i) {
    const StripeInfo& stripe = stripes[i];
    table.AddRow({fmt::format("{}", i), CountText(stripe.first_row), CountText(stripe.num_rows),
                  CountText(stripe.num_sessions), CountText(stripe.offset), BytesText(stripe.bytes),
                  stripe.continues_session ? "goes on with a session" : ""});
  }
  return console->Print(table.Render(*console));
}

Status ShowLayout(const Reader& reader, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto parts, reader.Layout());
  const uint64_t file_bytes = reader.info().file_bytes;
  if (console->json) {
    Json json = Json::array();
    for (const LayoutPart& part : parts) {
      json.push_back({{"part", part.name},
                      {"count", part.count},
                      {"bytes", part.bytes},
                      {"content_bytes", part.content_bytes}});
    }
    return PrintJson(json, console);
  }
  TextTable table({{.title = "part", .align = kLeft, .max_width = 40},
                   {.title = "count", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "of file", .align = kRight},
                   {.title = "holds", .align = kRight}});
  for (const LayoutPart& part : parts) {
    if (part.bytes == 0) continue;
    table.AddRow({part.name, CountText(part.count), BytesText(part.bytes),
                  ShareText(part.bytes, file_bytes),
                  part.content_bytes > part.bytes ? BytesText(part.content_bytes) : ""});
  }
  table.AddRow({});
  table.AddRow({"(all)", "", BytesText(file_bytes), ShareText(file_bytes, file_bytes), ""});
  return console->Print(table.Render(*console));
}

Status ShowGroups(const Reader& reader, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
  if (console->json) {
    Json json = Json::array();
    for (const GroupInfo& group : groups) {
      json.push_back({{"group", group.ordinal},
                      {"name", group.name},
                      {"declared", group.declared},
                      {"owner", group.owner},
                      {"columns", group.columns}});
    }
    return PrintJson(json, console);
  }
  TextTable table({{.title = "group", .align = kLeft, .max_width = 30},
                   {.title = "from", .align = kLeft, .max_width = 8},
                   {.title = "owner", .align = kLeft, .max_width = 24},
                   {.title = "columns", .align = kRight},
                   {.title = "", .align = kLeft, .max_width = 60}});
  for (const GroupInfo& group : groups) {
    const std::string from = group.ordinal == 0 ? "" : group.declared ? "schema" : "found";
    table.AddRow({GroupTitle(group), from, group.owner, CountText(group.columns.size()),
                  JoinNames(group.columns)});
  }
  return console->Print(table.Render(*console));
}

Status ShowPlan(const Reader& reader, const Reader& planner,
                const std::vector<std::string>& features, const RowChoice& rows,
                std::optional<uint32_t> stripe, Console* console) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  ScanOptions options;
  DSI_ASSIGN_OR_RETURN(options.filter, FilterOf(columns, rows));
  DSI_ASSIGN_OR_RETURN(columns, ChooseColumns(columns, features));
  if (stripe.has_value()) {
    const std::span<const StripeInfo> stripes = reader.stripes();
    if (*stripe >= stripes.size()) {
      return internal::InvalidArgument("--stripe {}: the file has {}, counted from 0", *stripe,
                                       CountOf(stripes.size(), "stripe"));
    }
    options.row_begin = stripes[*stripe].first_row;
    options.row_end = options.row_begin + stripes[*stripe].num_rows;
  }
  const auto plan_of = [&](std::span<const ColumnInfo> some) {
    options.features.clear();
    for (const ColumnInfo& column : some) options.features.push_back(PlainProjection(column));
    return planner.Plan(options);
  };
  auto made = plan_of(columns);
  if (!made.ok()) {
    DSI_RETURN_IF_ERROR(LeaveOutUnsupported(
        made.status(), features, "",
        [&](std::span<const ColumnInfo> of_one) { return plan_of(of_one).status(); }, &columns));
    made = plan_of(columns);
  }
  DSI_ASSIGN_OR_RETURN(const ReadPlan plan, std::move(made));
  if (console->json) {
    Json ranges = Json::array();
    for (const ReadPlan::Range& range : plan.ranges) {
      ranges.push_back({{"offset", range.offset},
                        {"size", range.size},
                        {"stripe", range.stripe},
                        {"pages", range.num_pages}});
    }
    return PrintJson({{"columns", columns.size()},
                      {"bytes", plan.bytes},
                      {"bytes_needed", plan.bytes_needed},
                      {"directory_reads", plan.directory_reads},
                      {"directory_bytes", plan.directory_bytes},
                      {"steps", plan.steps},
                      {"pages", plan.num_pages},
                      {"stripes_skipped", plan.stripes_skipped},
                      {"file_bytes", reader.info().file_bytes},
                      {"ranges", ranges}},
                     console);
  }
  TextTable table({{.title = "stripe", .align = kRight},
                   {.title = "offset", .align = kRight},
                   {.title = "size", .align = kRight},
                   {.title = "pages", .align = kRight}});
  for (const ReadPlan::Range& range : plan.ranges) {
    table.AddRow({fmt::format("{}", range.stripe), CountText(range.offset), BytesText(range.size),
                  CountText(range.num_pages)});
  }
  const double share = 100 * static_cast<double>(plan.bytes) /
                       static_cast<double>(std::max<uint64_t>(1, reader.info().file_bytes));
  std::string all =
      fmt::format("{}, {} of {} ({:.1f}%), {} of it needed", CountOf(plan.ranges.size(), "read"),
                  BytesText(plan.bytes), BytesText(reader.info().file_bytes), share,
                  BytesText(plan.bytes_needed));
  all += fmt::format("; {} of the directory, {}", CountOf(plan.directory_reads, "read"),
                     BytesText(plan.directory_bytes));
  all +=
      fmt::format("; {} from opening the file to the first batch, reads of one in flight together",
                  CountOf(plan.steps, "step"));
  if (plan.stripes_skipped != 0) {
    all += fmt::format("; {} of {} stripes skipped, in which no row can match or all are deleted",
                       plan.stripes_skipped, stripe.has_value() ? 1 : reader.stripes().size());
  }
  return console->Print(table.Render(*console) + "\n" + Folded(all, *console) + "\n");
}

}  // namespace dsi::tools
