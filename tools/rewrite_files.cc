#include "dsi/tools/rewrite_files_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/tools/convert_report_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/output_path_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

Result<FeatureChanges> ChangesOf(const RewriteChoice& choice) {
  FeatureChanges changes;
  changes.only = choice.only;
  changes.drop = choice.drop;
  for (const std::string& pair : choice.rename) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      return internal::InvalidArgument("--rename takes OLD=NEW, not '{}'", pair);
    changes.rename.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  if (!choice.schema_file.empty()) {
    Schema schema;
    DSI_RETURN_IF_ERROR(LoadSchema(choice.schema_file, &schema));
    changes.schema = std::move(schema);
  }
  DSI_ASSIGN_OR_RETURN(changes.metadata, MetadataOf(choice.writer));
  return changes;
}

void WarnOfPositions(const std::vector<ColumnInfo>& columns, const WriterChoice& choice) {
  if (choice.writer.keep_position) return;
  if (std::none_of(columns.begin(), columns.end(), [](const ColumnInfo& column) {
        return column.feature == internal::kPositionName;
      }))
    return;
  PrintWarning(
      "the original places of the rows are left out; --keep-position stores those that they have "
      "in the file read");
}

uint64_t BytesOf(const Dataset& dataset) {
  uint64_t bytes = 0;
  for (const DatasetFile& file : dataset.files()) bytes += file.bytes;
  return bytes;
}

Result<std::vector<JobReads>> JobReadsOf(std::span<const FeatureUse> uses,
                                         std::span<const std::string> made) {
  if (uses.empty()) return std::vector<JobReads>();
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(made));
  return CountJobReads(uses, *dataset);
}

Status ReportShards(const Conversion& done, const std::vector<RewrittenShard>& shards,
                    Console* console) {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const RewrittenShard& shard : shards) {
    rows += shard.report.num_rows;
    bytes += shard.report.file_bytes;
  }
  if (console->json) {
    Json list = Json::array();
    for (const RewrittenShard& shard : shards) {
      list.push_back({{"path", shard.path},
                      {"rows", shard.report.num_rows},
                      {"sessions", shard.report.num_sessions},
                      {"bytes", shard.report.file_bytes}});
    }
    Json json = {{"output", done.out},
                 {"rows", rows},
                 {"bytes_in", done.bytes_in},
                 {"bytes_out", bytes},
                 {"seconds", done.seconds},
                 {"rows_per_second", static_cast<double>(rows) / done.seconds},
                 {"shards", list}};
    if (!done.jobs_after.empty()) json["jobs"] = JobsJson(done);
    return PrintJson(json, console);
  }
  if (console->quiet) return Status::Ok();
  TextTable table({{"shard"},
                   {"rows", TextTable::Align::kRight},
                   {"sessions", TextTable::Align::kRight},
                   {"bytes", TextTable::Align::kRight}});
  for (const RewrittenShard& shard : shards) {
    table.AddRow({shard.path, CountText(shard.report.num_rows),
                  CountText(shard.report.num_sessions), BytesText(shard.report.file_bytes)});
  }
  FactList facts;
  facts.Add("rows", CountText(rows));
  facts.Add("bytes", fmt::format("{} in, {} out", BytesText(done.bytes_in), BytesText(bytes)));
  facts.Add("time", SecondsText(done.seconds));
  const std::string jobs = done.jobs_after.empty() ? "" : JobsTable(done, *console);
  return console->Print(table.Render(*console) + "\n" + facts.Render(*console) + jobs);
}

}  // namespace

Status OfOption(const Status& status) {
  constexpr std::string_view kName = "of memory_bytes";
  if (status.code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
  std::string message(status.message());
  if (message.find("of memory_bytes)") == std::string::npos) return status;
  for (size_t at = 0; (at = message.find(kName, at)) != std::string::npos;)
    message.replace(at, kName.size(), "of --memory");
  return {status.code(), std::move(message)};
}

bool ShowRewriteProgress(const RewriteProgress& now, Progress* progress) {
  const std::string of =
      now.num_shards == 1 ? "" : fmt::format(" {}/{}", now.shard + 1, now.num_shards);
  switch (now.phase) {
    case RewriteProgress::Phase::kKeys:
      return progress->Update("reading keys", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case RewriteProgress::Phase::kCheck:
      return progress->Update("trying", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case RewriteProgress::Phase::kRead:
      return progress->Update("reading" + of, now.rows_done, now.rows_total, ProgressUnit::kRows);
    case RewriteProgress::Phase::kWrite:
      return ShowWriteProgress(now.write, progress);
  }
  return true;
}

Status RewriteFiles(const RewriteChoice& choice, Console* console) {
  const Timer watch;
  DSI_RETURN_IF_ERROR(CheckOutside(choice.out, choice.in));
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(choice.in));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  RewriteOptions options;
  DSI_ASSIGN_OR_RETURN(options.filter, FilterOf(columns, choice.rows));
  DSI_ASSIGN_OR_RETURN(options.features, ChangesOf(choice));
  DSI_ASSIGN_OR_RETURN(options.writer, WriterOptionsOf(choice.writer));
  if (NamesKeys(choice.writer)) {
    // Reads the directories of all files, as rewriting will.
    DSI_ASSIGN_OR_RETURN(Schema schema, RewrittenSchema(*dataset, options.features));
    DSI_ASSIGN_OR_RETURN(options.writer.cluster_by,
                         ClusterKeysOf(choice.writer, /*inferred=*/false, &schema));
  }
  WarnOfPositions(columns, choice.writer);
  Progress progress(*console);
  options.progress = [&](const RewriteProgress& now) {
    return ShowRewriteProgress(now, &progress);
  };
  Conversion done{choice.out, BytesOf(*dataset), 0};
  const std::vector<FeatureUse>& uses = options.writer.uses;
  DSI_ASSIGN_OR_RETURN(done.jobs_before, CountJobReads(uses, *dataset));
  if (choice.shards.rows == 0 && choice.shards.bytes == 0) {
    const auto written = Rewrite(*dataset, choice.out, options);
    progress.Clear();
    if (!written.ok()) return OfOption(written.status());
    done.seconds = watch.seconds();
    DSI_ASSIGN_OR_RETURN(done.jobs_after, JobReadsOf(uses, {{choice.out}}));
    return ReportToDsi(done, *written, nullptr, console);
  }
  auto shards = RewriteShards(*dataset, choice.out, choice.shards, options);
  progress.Clear();
  if (!shards.ok()) return OfOption(shards.status());
  done.seconds = watch.seconds();
  std::vector<std::string> paths;
  for (const RewrittenShard& shard : *shards) paths.push_back(shard.path);
  DSI_ASSIGN_OR_RETURN(done.jobs_after, JobReadsOf(uses, paths));
  return ReportShards(done, *shards, console);
}

}  // namespace dsi::tools
