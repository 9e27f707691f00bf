// dsictl inspect: what a file holds and how it is stored.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/base/error_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/stored_rows_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  Where where;
  bool features = false;
  bool stats = false;
  bool layout = false;
  bool stripes = false;
  bool groups = false;
  bool dedup = false;
  bool metadata = false;
  std::string overlays;
  std::string sort = "file";
  std::vector<std::string> plan;
  RowChoice rows;  // Of the plan: where.
  std::optional<uint32_t> stripe;
  std::string streams;
  bool why = false;
  std::vector<const CLI::Option*> views;
};

constexpr size_t kLargestShown = 8;

Status ShowMetadata(const Reader& reader, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto metadata, reader.Metadata());
  if (console->json) return PrintJson(Json(metadata), console);
  FactList facts;
  if (metadata.empty())
    return console->Print("no notes (convert --metadata KEY=VALUE stores them)\n");
  for (const auto& [key, value] : metadata) facts.Add(key, value);
  return console->Print(facts.Render(*console));
}

void QuoteWideIntegers(Json* json) {
  constexpr int64_t kMost = (int64_t{1} << 53) - 1;
  if (json->is_structured()) {
    for (Json& member : *json) QuoteWideIntegers(&member);
  } else if (json->is_number_unsigned()) {
    if (json->get<uint64_t>() > uint64_t{kMost}) *json = json->dump();
  } else if (json->is_number_integer()) {
    const auto number = json->get<int64_t>();
    if (number < -kMost || number > kMost) *json = json->dump();
  }
}

// The group of rows, in which nothing is shared, is none.
uint32_t NumDedupGroups(const FileInfo& info) {
  return info.num_groups > 0 ? info.num_groups - 1 : 0;
}

Json SummaryJson(const FileInfo& info, const std::map<std::string, uint64_t>& kinds,
                 uint64_t stored_values, const GroupTotals& best) {
  return {{"bytes", info.file_bytes},
          {"rows", info.num_rows},
          {"deleted_rows", info.num_deleted_rows},
          {"previous_file_bytes", info.previous_file_bytes},
          {"sessions", info.num_sessions},
          {"features", info.num_features},
          {"columns", info.num_columns},
          {"kinds", kinds},
          {"groups", NumDedupGroups(info)},
          {"stripes", info.num_stripes},
          {"page_values", info.page_values},
          {"stored_values", stored_values},
          {"index_bytes", best.index_bytes},
          {"format", fmt::format("{}.{}", info.major, info.minor)},
          {"writer", info.writer},
          {"tuning", TuningJson(info)},
          {"ns_per_byte", info.ns_per_byte},
          {"fingerprint", fmt::format("{:016x}", info.fingerprint)},
          {"rows_fingerprint", fmt::format("{:016x}", info.rows_fingerprint)},
          {"overlay", OverlayJson(info)}};
}

std::string LargestFeatures(std::vector<ColumnInfo> columns, uint64_t file_bytes,
                            const Console& console) {
  const size_t shown = std::min(columns.size(), kLargestShown);
  std::partial_sort(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(shown), columns.end(),
                    [](const ColumnInfo& a, const ColumnInfo& b) {
                      return a.stored_bytes != b.stored_bytes ? a.stored_bytes > b.stored_bytes
                                                              : a.ordinal < b.ordinal;
                    });
  using enum TextTable::Align;
  TextTable table({{.title = "largest features", .align = kLeft, .max_width = 40},
                   {.title = "kind", .align = kLeft, .max_width = 12},
                   {.title = "bytes", .align = kRight},
                   {.title = "of file", .align = kRight}});
  for (size_t i = 0; i < shown; ++i) {
    const ColumnInfo& column = columns[i];
    table.AddRow(
        {column.name, KindText(column), BytesText(column.stored_bytes),
         fmt::format("{:.1f}%", 100 * static_cast<double>(column.stored_bytes) /
                                    static_cast<double>(std::max<uint64_t>(1, file_bytes)))});
  }
  return table.Render(console);
}

std::string StrongestGroups(const std::vector<GroupInfo>& groups,
                            std::span<const StripeInfo> stripes, const Console& console) {
  std::vector<std::pair<const GroupInfo*, GroupTotals>> found;
  for (const GroupInfo& group : groups) {
    if (group.ordinal != 0) found.emplace_back(&group, TotalsOf(group, stripes));
  }
  // Unique rows per feature of the group say how much work is saved: many features count more.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const auto saved = [](const auto& entry) {
      return static_cast<double>(entry.second.rows -
                                 std::min(entry.second.rows, entry.second.unique_rows)) *
             static_cast<double>(entry.first->columns.size());
    };
    return saved(a) > saved(b);
  });
  if (found.size() > kLargestShown) found.resize(kLargestShown);
  if (found.empty()) return "";
  using enum TextTable::Align;
  TextTable table({{.title = "dedup groups", .align = kLeft, .max_width = 40},
                   {.title = "features", .align = kLeft, .max_width = 30},
                   {.title = "unique rows", .align = kRight},
                   {.title = "rows / unique", .align = kRight}});
  for (const auto& [group, totals] : found) {
    const std::vector<std::string>& names = group->columns;
    const std::string others =
        names.size() > 1 ? fmt::format(" +{}", CountText(names.size() - 1)) : "";
    table.AddRow(
        {GroupTitle(*group), names.empty() ? "" : names[0] + others, CountText(totals.unique_rows),
         FactorText(static_cast<double>(totals.rows), static_cast<double>(totals.unique_rows))});
  }
  return "\n" + table.Render(console);
}

Status ShowSummary(const Reader& reader, const std::string& file, Console* console) {
  const FileInfo& info = reader.info();
  DSI_ASSIGN_OR_RETURN(const auto columns, reader.Columns());
  DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
  const auto stripes = reader.stripes();
  std::map<std::string, uint64_t> kinds;
  uint64_t stored_values = 0;
  std::string last_feature;
  for (const ColumnInfo& column : columns) {
    stored_values += column.stored_values;
    // Columns of a feature stand together and count as one.
    if (column.feature != last_feature) ++kinds[KindText(column)];
    last_feature = column.feature;
  }
  GroupTotals all;
  for (const GroupInfo& group : groups) all.index_bytes += TotalsOf(group, stripes).index_bytes;
  if (console->json) return PrintJson(SummaryJson(info, kinds, stored_values, all), console);

  std::string kind_words;
  for (const auto& [kind, count] : kinds) {
    kind_words += fmt::format("{}{} {}", kind_words.empty() ? "" : ", ", CountText(count), kind);
  }
  const auto per = [](uint64_t a, uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  };
  FactList facts;
  facts.Add("file", fmt::format("{}  ({}, format {}.{})", file, BytesText(info.file_bytes),
                                info.major, info.minor));
  facts.Add("written by", info.writer);
  facts.Add("tuning", info.tuning ? fmt::format("{}  (a stored byte is worth {} ns)",
                                                TuningText(info), info.ns_per_byte)
                                  : TuningText(info));
  facts.Add("rows", fmt::format("{}  ({:.1f} bytes each)", CountText(info.num_rows),
                                per(info.file_bytes, info.num_rows)));
  if (info.num_deleted_rows != 0)
    facts.Add("deleted rows", fmt::format("{} of these", CountText(info.num_deleted_rows)));
  if (info.previous_file_bytes != 0)
    facts.Add("appended to", fmt::format("a file of {}", BytesText(info.previous_file_bytes)));
  if (info.overlay) facts.Add("overlay of", OverlayText(*info.overlay));
  facts.Add("sessions", SessionsText(info.num_sessions, info.num_rows));
  facts.Add("stripes", CountText(info.num_stripes));
  facts.Add("features", fmt::format("{}  ({})", CountText(info.num_features), kind_words));
  facts.Add("dedup groups",
            fmt::format("{}  (indexes: {})", NumDedupGroups(info), BytesText(all.index_bytes)));
  facts.Add("values stored", CountText(stored_values));
  std::string text = facts.Render(*console);
  text += "\n" + LargestFeatures(columns, info.file_bytes, *console);
  text += StrongestGroups(groups, stripes, *console);
  return console->Print(text);
}

Status CheckOneView(const Options& options) {
  std::string given;
  size_t count = 0;
  for (const CLI::Option* view : options.views) {
    if (view->count() == 0) continue;
    given += (count++ == 0 ? "" : ", ") + view->get_name();
  }
  if (count > 1)
    return internal::InvalidArgument("{}: give one of them, each is a view of its own", given);
  const bool is_unnamed = options.overlays.empty() && options.streams.empty();
  for (const CLI::Option* view : options.views) {
    const bool takes_name = view->get_name() == "--overlays" || view->get_name() == "--streams";
    if (takes_name && view->count() != 0 && is_unnamed)
      return internal::InvalidArgument("{}: an empty name", given);
  }
  return Status::Ok();
}

FeatureOrder OrderOf(const Options& options) {
  const std::map<std::string, FeatureOrder> orders = {{"file", FeatureOrder::kFile},
                                                      {"bytes", FeatureOrder::kBytes},
                                                      {"name", FeatureOrder::kName},
                                                      {"values", FeatureOrder::kValues}};
  return orders.at(options.sort);
}

// What many files have as one table.
Status RunOnMany(const Options& options, Console* console) {
  const auto of_one = [](std::string_view option) {
    return internal::InvalidArgument("{} is for one file: name that alone", option);
  };
  const bool is_of_many = options.features || !options.plan.empty();
  for (const CLI::Option* view : options.views) {
    if (view->count() != 0 && !is_of_many) return of_one(view->get_name());
  }
  if (options.why) return of_one("--why");
  if (options.stripe.has_value()) return of_one("--stripe");
  if (options.features) {
    const FeatureOrder order = OrderOf(options);
    if (order == FeatureOrder::kBytes || order == FeatureOrder::kValues)
      return of_one("--sort " + options.sort);
    return ShowDatasetColumns(options.where, order, console);
  }
  if (options.plan.empty()) return ShowDataset(options.where, console);
  return ShowDatasetPlan(options.where, options.plan, options.rows, console);
}

Status Run(const Options& options, Console* console) {
  DSI_RETURN_IF_ERROR(CheckOneView(options));
  const Where& where = options.where;
  if (AreManyFiles(where.names)) return RunOnMany(options, console);
  const std::string& file = where.names.front();
  DSI_ASSIGN_OR_RETURN(const auto reader, OpenOne(file, where.open));
  if (options.features) {
    const FeatureOrder order = OrderOf(options);
    return options.why ? ShowChoices(*reader, order, console)
                       : ShowFeatures(*reader, order, console);
  }
  if (options.stats) return ShowStats(*reader, console);
  if (options.layout) return ShowLayout(*reader, console);
  if (options.stripes) return ShowStripes(*reader, console);
  if (options.groups) return ShowGroups(*reader, console);
  if (options.dedup) return ShowDedup(*reader, console);
  if (options.metadata) return ShowMetadata(*reader, console);
  if (!options.overlays.empty())
    return ShowOverlays(*reader, {{options.overlays}, where.open}, console);
  if (!options.plan.empty()) {
    // What is planned is counted from the start, and the first reader knows the directory by then.
    DSI_ASSIGN_OR_RETURN(const auto planner, OpenOne(file, where.open));
    return ShowPlan(*reader, *planner, options.plan, options.rows, options.stripe, console);
  }
  if (!options.streams.empty()) return ShowStreams(*reader, options.streams, console);
  return ShowSummary(*reader, internal::ShownName(file), console);
}

}  // namespace

Result<std::unique_ptr<Reader>> OpenOne(const std::string& file, const OpenOptions& how) {
  DSI_ASSIGN_OR_RETURN(auto opened, OpenUri(file, how));
  return Reader::Open(std::move(opened));
}

std::string KindText(const ColumnInfo& column) {
  return std::string(column.support.ok() ? KindName(column.kind) : "unsupported");
}

std::string TuningText(const FileInfo& info) {
  if (!info.tuning) return "not recorded";
  const std::string_view name = TuningName(*info.tuning);
  return name.empty() ? fmt::format("unknown ({})", static_cast<int>(*info.tuning))
                      : std::string(name);
}

Json TuningJson(const FileInfo& info) { return info.tuning ? Json(TuningText(info)) : Json(); }

Status PrintJson(const Json& json, Console* console) {
  if (console->ids_as_strings) {
    Json quoted = json;
    QuoteWideIntegers(&quoted);
    return console->PrintJsonText(quoted.dump(2, ' ', false, Json::error_handler_t::replace) +
                                  "\n");
  }
  return console->PrintJsonText(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

VerbAction AddInspect(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  AddStoredRows(app, &options->where);
  AddJsonFlag(app, console);
  AddIdsAsStrings(app, console);
  const auto view = [&options](CLI::Option* option) {
    options->views.push_back(option);
    return option->group("Views: one of them; none: a summary");
  };
  auto* features = view(app->add_flag("--features", options->features,
                                      "Every column, its size and encoding; reads a stripe"));
  view(app->add_flag("--stats", options->stats,
                     "What is missing, lengths, least and greatest values; reads everything"));
  view(app->add_flag("--layout", options->layout, "Where the bytes are, every one of them"));
  view(app->add_flag("--stripes", options->stripes, "The horizontal pieces"));
  view(app->add_flag("--groups", options->groups, "Which features share an inverse index"));
  view(app->add_flag("--dedup", options->dedup, "What deduplication saved, by group"));
  auto* plan =
      view(AddNameList(app, "--plan", &options->plan, "What reading these features would read"));
  view(app->add_option("--streams", options->streams, "How the streams of a feature are encoded"))
      ->type_name("FEATURE");
  view(app->add_flag("--metadata", options->metadata, "The notes stored with --metadata"));
  view(app->add_option(
           "--overlays", options->overlays,
           "Overlays of it among the files of a folder or pattern, and whether they fit"))
      ->type_name("WHERE");
  app->add_flag("--why", options->why,
                "With --features: how all streams are encoded, why, and the next best way")
      ->needs(features);
  app->add_option("--sort", options->sort, "With --features; default file")
      ->check(CLI::IsMember({"file", "bytes", "name", "values"}))
      ->needs(features)
      ->type_name("WORD");
  app->add_option_function<uint32_t>(
         "--stripe", [options](const uint32_t& i) { options->stripe = i; },
         "With --plan: only this stripe")
      ->needs(plan)
      ->type_name("I");
  app->add_option("--where", options->rows.where,
                  "With --plan: only rows such as 'label = 1'; repeatable, all must hold")
      ->allow_extra_args(false)
      ->needs(plan)
      ->type_name("TERM");
  app->footer(
      "Examples:\n"
      "  dsictl inspect clicks.dsi\n"
      "  dsictl inspect clicks.dsi --features --sort bytes\n"
      "  dsictl inspect clicks.dsi --stats\n"
      "  dsictl inspect clicks.dsi --plan label,user.clicks --where 'timestamp >= 1700000000'\n"
      "  dsictl inspect clicks.dsi --dedup --json\n"
      "  dsictl inspect 'clicks/day=2*/' --plan label,user.clicks\n\n"
      "Of many files there are the summary, --features and --plan.\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
