#include "dsi/tools/text_to_dsi_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/io/file.h"
#include "dsi/text/text_paths.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/output_path_internal.h"

namespace dsi::tools {
namespace {

Result<TextToDsiReport> Convert(const TextToDsiOptions& options, std::unique_ptr<WritableFile> file,
                                BadRows* bad_rows, Progress* progress) {
  TextSourceOptions source_options = options.source;
  source_options.skip_bad_rows = options.bad_rows.skips();
  source_options.text.threads = options.choice.writer.threads;
  source_options.memory_bytes = options.choice.writer.memory_bytes;
  DSI_ASSIGN_OR_RETURN(const TextSource source, TextSource::Open(source_options, progress));
  Schema schema = source.schema();
  DSI_ASSIGN_OR_RETURN(WriterOptions writer_options, WriterOptionsOf(options.choice));
  DSI_ASSIGN_OR_RETURN(const auto metadata, MetadataOf(options.choice));
  for (const auto& [key, text] : metadata) schema.metadata[key] = text;
  DSI_ASSIGN_OR_RETURN(writer_options.cluster_by,
                       ClusterKeysOf(options.choice, options.source.schema_file.empty(), &schema));
  if (writer_options.input_is_clustered && writer_options.cluster_by.empty() &&
      schema.cluster_by.empty()) {
    return internal::InvalidArgument(
        "--clustered: there is no session key that rows could be clustered by: --session-key "
        "names one");
  }
  TextToDsiReport report;
  report.fit = {.source = source.name(),
                .num_files = source.num_files(),
                .schema = schema,
                .inferred = options.source.schema_file.empty(),
                .inference = source.inference(),
                .coverage = {},
                .keep_order = writer_options.keep_order,
                .said_clustered = writer_options.input_is_clustered,
                .read = true};
  if (!writer_options.cluster_by.empty()) report.fit.schema.cluster_by = writer_options.cluster_by;
  writer_options.progress = [progress](const WriteProgress& now) {
    return ShowWriteProgress(now, progress);
  };
  DSI_ASSIGN_OR_RETURN(const auto writer,
                       Writer::Create(std::move(file), std::move(schema), writer_options));
  std::function<Status(const BadRow&)> on_bad_row;
  if (options.bad_rows.skips()) {
    on_bad_row = [bad_rows](const BadRow& row) {
      // Between two good rows there may be any number of bad ones.
      const Status go_on = CheckInterrupt();
      return go_on.ok() ? bad_rows->Add(row) : go_on;
    };
  }
  DSI_ASSIGN_OR_RETURN(const auto rows,
                       source.OpenRows(writer->schema(), options.ignore_unknown, on_bad_row));

  RowBatch batch(writer->schema());
  uint64_t num_rows = 0;
  uint64_t num_bytes = 0;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, rows->Next(options.max_rows - num_rows, &batch));
    if (!progress->Update("reading", rows->bytes_done(), rows->bytes_total(),
                          ProgressUnit::kBytes)) {
      return CheckInterrupt();
    }
    if (!more) break;
    num_rows += batch.num_rows();
    num_bytes += batch.size_bytes();
    DSI_RETURN_IF_ERROR(writer->Append(std::move(batch)));
    if (num_rows < options.max_rows && num_bytes < options.max_bytes) continue;
    const auto next = rows->Next(1, &batch);
    if (!next.ok()) return next.status();
    report.cut = batch.num_rows() != 0;
    break;
  }
  report.bytes_in = source.bytes_in(*rows);
  report.fit.coverage = rows->coverage();
  report.fit.rows = num_rows;
  report.fit.rejected = bad_rows->rejected();
  if (num_rows == 0 && report.fit.rejected.rows != 0) {
    return internal::BadInput("{} (none of {} rows can be read)", report.fit.rejected.first,
                              report.fit.rejected.rows);
  }
  DSI_ASSIGN_OR_RETURN(report.written, writer->Finish());
  report.fit.came_clustered = report.written.came_clustered;
  return report;
}

}  // namespace

Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options, Progress* progress) {
  // The output comes first: nobody should wait for a long reading to be told that the file exists.
  DSI_ASSIGN_OR_RETURN(auto file,
                       CreateLocalFile(options.out, {.overwrite = options.choice.force}));
  return TextToDsi(options, std::move(file), progress);
}

Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options,
                                  std::unique_ptr<WritableFile> file, Progress* progress) {
  if (const std::string& rejects = options.bad_rows.rejects; !rejects.empty()) {
    DSI_RETURN_IF_ERROR(CheckOutput("--rejects", rejects, {&options.out, 1}));
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         ListTexts(options.source.paths, ParseFormat(options.source.format)));
    DSI_RETURN_IF_ERROR(CheckOutput("--rejects", rejects, texts));
  }
  DSI_ASSIGN_OR_RETURN(BadRows bad_rows, BadRows::Create(options.bad_rows, options.choice.force));
  Result<TextToDsiReport> report = Convert(options, std::move(file), &bad_rows, progress);
  // Those that made it fail are what somebody wants to see.
  const Status finished = bad_rows.Finish();
  if (report.ok()) DSI_RETURN_IF_ERROR(finished);
  return report;
}

}  // namespace dsi::tools
