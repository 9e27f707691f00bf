#include "dsi/tools/text_to_dsi_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

// Rows that are parsed before they are handed to the writer; few, for tables of 20,000 features,
// and fewer where they are large.
constexpr uint64_t kBatchRows = 1024;
constexpr uint64_t kBatchBytes = 4 << 20;
constexpr uint64_t kRowsAtOnce = 16;

// Fills the batch with up to max_rows; false at the end of the input.
Result<bool> ReadBatch(TextInput* rows, uint64_t max_rows, RowBatch* batch) {
  const uint64_t most = std::min(kBatchRows, max_rows);
  while (batch->num_rows() < most && batch->size_bytes() < kBatchBytes) {
    const uint64_t count = std::min(kRowsAtOnce, most - batch->num_rows());
    DSI_ASSIGN_OR_RETURN(const bool more, rows->Next(count, batch));
    if (!more) return false;
  }
  return true;
}

Result<FeatureSpec*> FindKey(const std::string& option, const std::string& name, Schema* schema) {
  const int at = schema->FindFeature(name);
  if (at < 0) {
    internal::NearNames near(name, 1);
    for (const FeatureSpec& feature : schema->features) near.Offer(feature.name);
    return internal::InvalidArgument("{}: there is no feature \"{}\"{}", option, name,
                                     near.Advice());
  }
  return &schema->features[static_cast<size_t>(at)];
}

}  // namespace

Status AddMetadata(const std::vector<std::string>& pairs, Schema* schema) {
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return internal::InvalidArgument("--metadata takes key=value, not '{}'", pair);
    }
    schema->metadata[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return Status::Ok();
}

Result<std::vector<std::string>> ClusterKeys(const TextToDsiOptions& options, Schema* schema) {
  if (options.session_keys.empty() && options.time_feature.empty()) {
    return std::vector<std::string>();
  }
  const bool inferred = options.source.schema_file.empty();
  std::vector<std::string> keys = schema->cluster_by;
  std::string time;
  if (!keys.empty()) {
    DSI_ASSIGN_OR_RETURN(const FeatureSpec* last, FindKey("cluster_by", keys.back(), schema));
    if (last->kind == Kind::kTimestamp) {
      time = keys.back();
      keys.pop_back();
    }
  }
  if (!options.session_keys.empty()) keys = options.session_keys;
  for (const std::string& key : keys) {
    DSI_ASSIGN_OR_RETURN(FeatureSpec * feature, FindKey("--session-key", key, schema));
    const bool is_number = feature->kind == Kind::kDense && IsInteger(feature->columns[0].type);
    if (inferred && (is_number || feature->kind == Kind::kString)) feature->kind = Kind::kKey;
    if (feature->kind != Kind::kKey) {
      return internal::InvalidArgument("--session-key: \"{}\" is a {} feature, expected a key", key,
                                       KindName(feature->kind));
    }
  }
  if (!options.time_feature.empty()) {
    time = options.time_feature;
    DSI_ASSIGN_OR_RETURN(FeatureSpec * feature, FindKey("--time", time, schema));
    if (inferred && feature->kind == Kind::kDense && feature->columns[0].type == Type::kInt64) {
      feature->kind = Kind::kTimestamp;
      feature->time_unit = TimeUnit::kMillis;
    }
    if (feature->kind != Kind::kTimestamp) {
      return internal::InvalidArgument("--time: \"{}\" is a {} feature, expected a timestamp", time,
                                       KindName(feature->kind));
    }
  }
  for (size_t i = 0; time.empty() && i < schema->features.size(); ++i) {
    if (schema->features[i].kind == Kind::kTimestamp) time = schema->features[i].name;
  }
  if (!time.empty()) keys.push_back(time);
  return keys;
}

Status OfBudget(const Status& status, std::string_view what) {
  if (status.code() != StatusCode::kResourceExhausted ||
      status.message().find("memory budget") == std::string::npos)
    return status;
  return {status.code(), fmt::format("{} ({})", status.message(), what)};
}

bool ShowWriteProgress(const WriteProgress& now, Progress* progress) {
  switch (now.phase) {
    case WriteProgress::Phase::kCluster:
      return progress->Update("clustering", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case WriteProgress::Phase::kEncode:
      return progress->Update("encoding", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case WriteProgress::Phase::kPublish:
      return progress->Update("publishing", now.bytes_written, 0, ProgressUnit::kBytes);
  }
  return true;
}

Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options, Progress* progress) {
  // The output comes first: nobody should wait for a long reading to be told that the file exists.
  DSI_ASSIGN_OR_RETURN(auto file,
                       CreateLocalFile(options.out, {.overwrite = options.writer.overwrite}));
  return TextToDsi(options, std::move(file), progress);
}

Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options,
                                  std::unique_ptr<WritableFile> file, Progress* progress) {
  DSI_ASSIGN_OR_RETURN(const TextSource source, TextSource::Open(options.source, progress));

  Schema schema = source.schema();
  DSI_RETURN_IF_ERROR(AddMetadata(options.metadata, &schema));
  WriterOptions writer_options = options.writer;
  DSI_ASSIGN_OR_RETURN(writer_options.cluster_by, ClusterKeys(options, &schema));
  TextToDsiReport report;
  report.fit = {.source = source.name(),
                .num_files = source.num_files(),
                .schema = schema,
                .inferred = options.source.schema_file.empty(),
                .inference = source.inference(),
                .coverage = {},
                .keep_order = writer_options.keep_order,
                .read = true};
  if (!writer_options.cluster_by.empty()) report.fit.schema.cluster_by = writer_options.cluster_by;
  writer_options.progress = [progress](const WriteProgress& now) {
    return ShowWriteProgress(now, progress);
  };
  DSI_ASSIGN_OR_RETURN(const auto writer,
                       Writer::Create(std::move(file), std::move(schema), writer_options));
  DSI_ASSIGN_OR_RETURN(const auto rows, source.OpenRows(writer->schema(), options.ignore_unknown));

  RowBatch batch(writer->schema());
  uint64_t num_rows = 0;
  uint64_t num_bytes = 0;
  while (true) {
    const auto more = ReadBatch(rows.get(), options.max_rows - num_rows, &batch);
    if (!more.ok()) return more.status();
    if (!progress->Update("reading", rows->bytes_done(), rows->bytes_total(),
                          ProgressUnit::kBytes)) {
      return CheckInterrupt();
    }
    DSI_RETURN_IF_ERROR(writer->Append(batch));
    num_rows += batch.num_rows();
    num_bytes += batch.size_bytes();
    batch.Clear();
    if (!*more) break;
    if (num_rows < options.max_rows && num_bytes < options.max_bytes) continue;
    const auto next = rows->Next(1, &batch);
    if (!next.ok()) return next.status();
    report.cut = batch.num_rows() != 0;
    break;
  }
  report.bytes_in = source.bytes_in(*rows);
  report.fit.coverage = rows->coverage();
  report.fit.rows = num_rows;
  DSI_ASSIGN_OR_RETURN(report.written, writer->Finish());
  return report;
}

}  // namespace dsi::tools
