// Views of inspect over many files that are one table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

constexpr size_t kFilesShown = 20;  // That anybody looks at; --json has all.

std::string NotShown(size_t count) {
  if (count <= kFilesShown) return "";
  return fmt::format("… and {} more; --json has them\n", CountText(count - kFilesShown));
}

// Of some of the files, and of each overlay that one of them has once.
uint64_t BytesOfAll(const Dataset& dataset, std::span<const size_t> which) {
  const internal::DatasetFiles& files = internal::DatasetAccess::Files(dataset);
  uint64_t bytes = 0;
  std::set<uint32_t> overlays;
  for (const size_t file : which) {
    bytes += files.files()[file].bytes;
    for (const internal::PlacedOverlay& placed : files.overlays_of(file)) {
      if (overlays.insert(placed.overlay).second)
        bytes += files.overlays()[placed.overlay].facts.bytes;
    }
  }
  return bytes;
}

uint64_t BytesOfFile(const Dataset& dataset, size_t file) {
  return BytesOfAll(dataset, std::span(&file, 1));
}

uint64_t BytesOfPlanned(const Dataset& dataset, const DatasetPlan& plan) {
  std::vector<size_t> which;
  for (const DatasetPlan::File& file : plan.files) which.push_back(file.file);
  return BytesOfAll(dataset, which);
}

Json JsonOf(const PlannedReads& reads) {
  return {{"rows", reads.num_rows},
          {"stripes", reads.num_stripes},
          {"stripes_skipped", reads.stripes_skipped},
          {"reads", reads.reads},
          {"bytes", reads.bytes},
          {"bytes_needed", reads.bytes_needed},
          {"directory_reads", reads.directory_reads},
          {"directory_bytes", reads.directory_bytes}};
}

Json JsonOf(const DatasetPlan& plan, const Dataset& dataset, size_t num_columns) {
  Json files = Json::array();
  for (const DatasetPlan::File& file : plan.files) {
    const DatasetFile& stored = dataset.files()[file.file];
    const uint64_t file_bytes = BytesOfFile(dataset, file.file);
    Json one = {{"path", internal::ShownName(stored.path)}, {"skipped", file.is_skipped}};
    one.update(JsonOf(file.reads));
    one["steps"] = file.steps;
    one["file_bytes"] = file_bytes;
    files.push_back(std::move(one));
  }
  Json all = {{"columns", num_columns}, {"files_skipped", plan.files_skipped}};
  all.update(JsonOf(plan.reads));
  all["file_bytes"] = BytesOfPlanned(dataset, plan);
  all["files"] = std::move(files);
  return all;
}

std::string TextOf(const DatasetPlan& plan, const Dataset& dataset, const Console& console) {
  TextTable table({{.title = "file", .align = kLeft},
                   {.title = "rows", .align = kRight},
                   {.title = "reads", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "of file", .align = kRight},
                   {.title = "stripes skipped", .align = kRight, .minor = true}});
  for (size_t i = 0; i < std::min(plan.files.size(), kFilesShown); ++i) {
    const DatasetPlan::File& file = plan.files[i];
    const DatasetFile& stored = dataset.files()[file.file];
    const uint64_t file_bytes = BytesOfFile(dataset, file.file);
    table.AddRow({internal::ShownName(stored.path), CountText(file.reads.num_rows),
                  file.is_skipped ? "skipped" : CountText(file.reads.reads),
                  BytesText(file.reads.bytes), ShareText(file.reads.bytes, file_bytes),
                  fmt::format("{} of {}", file.reads.stripes_skipped, file.reads.num_stripes)});
  }
  const PlannedReads& sum = plan.reads;
  const uint64_t bytes = BytesOfPlanned(dataset, plan);
  std::string all =
      fmt::format("{}, {} of {} ({}), {} of it needed; {} of directories, {}",
                  CountOf(sum.reads, "read"), BytesText(sum.bytes), BytesText(bytes),
                  ShareText(sum.bytes, bytes), BytesText(sum.bytes_needed),
                  CountOf(sum.directory_reads, "read"), BytesText(sum.directory_bytes));
  if (sum.stripes_skipped != 0) {
    all += fmt::format(
        "; {} of {} files skipped, {} of {} stripes, in which no row can match or all are deleted",
        CountText(plan.files_skipped), CountText(plan.files.size()), CountText(sum.stripes_skipped),
        CountText(sum.num_stripes));
  }
  return table.Render(console) + NotShown(plan.files.size()) + "\n" + Folded(all, console) + "\n";
}

}  // namespace

Status ShowDataset(const Where& where, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const auto dataset, OpenMany(where.names, &progress, where.open));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnFiles> columns, dataset->FilesOfColumns());
  progress.Clear();
  std::map<std::string, uint64_t> kinds;
  std::string last_feature;
  uint64_t num_features = 0;
  uint64_t num_partial = 0;    // Columns that are not in all files, …
  uint64_t num_conflicts = 0;  // … and that cannot be read of all.
  for (const ColumnFiles& found : columns) {
    num_partial += found.num_files != dataset->files().size() ? 1 : 0;
    num_conflicts += found.conflict.ok() ? 0 : 1;
    if (found.column.feature == last_feature) continue;
    ++kinds[KindText(found.column)];
    ++num_features;
    last_feature = found.column.feature;
  }
  std::vector<size_t> all(dataset->files().size());
  std::iota(all.begin(), all.end(), size_t{0});
  const uint64_t bytes = BytesOfAll(*dataset, all);
  if (console->json) {
    Json files = Json::array();
    for (size_t i = 0; i < dataset->files().size(); ++i) {
      const DatasetFile& file = dataset->files()[i];
      Json overlays = Json::array();
      for (const std::string& overlay : file.overlays)
        overlays.push_back(internal::ShownName(overlay));
      files.push_back({{"path", internal::ShownName(file.path)},
                       {"rows", file.num_rows},
                       {"bytes", BytesOfFile(*dataset, i)},
                       {"fingerprint", fmt::format("{:016x}", file.fingerprint)},
                       {"overlays", std::move(overlays)}});
    }
    return PrintJson({{"bytes", bytes},
                      {"rows", dataset->num_rows()},
                      {"features", num_features},
                      {"columns", columns.size()},
                      {"columns_of_some_files", num_partial},
                      {"conflicts", num_conflicts},
                      {"kinds", kinds},
                      {"snapshot", fmt::format("{:016x}", dataset->snapshot())},
                      {"files", std::move(files)}},
                     console);
  }
  std::string kind_words;
  for (const auto& [kind, count] : kinds)
    kind_words += fmt::format("{}{} {}", kind_words.empty() ? "" : ", ", CountText(count), kind);
  FactList facts;
  facts.Add("files", fmt::format("{}  ({})", CountText(dataset->files().size()), BytesText(bytes)));
  const auto num_rows = static_cast<double>(std::max<uint64_t>(1, dataset->num_rows()));
  facts.Add("rows", fmt::format("{}  ({:.1f} bytes each)", CountText(dataset->num_rows()),
                                static_cast<double>(bytes) / num_rows));
  facts.Add("features", fmt::format("{}  ({})", CountText(num_features), kind_words));
  if (num_partial != 0)
    facts.Add("of some files",
              fmt::format("{}  (--features tells which)", CountOf(num_partial, "column")));
  if (num_conflicts != 0)
    facts.Add("conflicts",
              fmt::format("{} that cannot be read of all files  (--features tells why)",
                          CountOf(num_conflicts, "column")));
  facts.Add("snapshot", fmt::format("{:016x}", dataset->snapshot()));
  TextTable table({{.title = "file", .align = kLeft},
                   {.title = "rows", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "overlays", .align = kRight}});
  const size_t shown = std::min(dataset->files().size(), kFilesShown);
  for (size_t i = 0; i < shown; ++i) {
    const DatasetFile& file = dataset->files()[i];
    table.AddRow({internal::ShownName(file.path), CountText(file.num_rows),
                  BytesText(BytesOfFile(*dataset, i)), CountText(file.overlays.size())});
  }
  return console->Print(facts.Render(*console) + "\n" + table.Render(*console) +
                        NotShown(dataset->files().size()));
}

Status ShowDatasetPlan(const Where& where, const std::vector<std::string>& features,
                       const RowChoice& rows, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const auto dataset, OpenMany(where.names, &progress, where.open));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> chosen, ChooseColumns(columns, features));
  DatasetScanOptions options;
  for (const ColumnInfo& column : chosen) options.scan.features.push_back(PlainProjection(column));
  DSI_ASSIGN_OR_RETURN(options.scan.filter, FilterOf(columns, rows));
  DSI_ASSIGN_OR_RETURN(const DatasetPlan plan, dataset->Plan(options));
  progress.Clear();
  if (console->json) return PrintJson(JsonOf(plan, *dataset, chosen.size()), console);
  return console->Print(TextOf(plan, *dataset, *console));
}

}  // namespace dsi::tools
