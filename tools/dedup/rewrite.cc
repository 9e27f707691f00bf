// The rows of a sample handed to a writer again.
#include <utility>

#include "dsi/io/file.h"
#include "dsi/rewrite/batch_columns_internal.h"
#include "dsi/rewrite/rewritten_schema_internal.h"
#include "dsi/tools/dedup/sampled_table_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {

Result<RewriteResult> Rewrite(const SampledTable& table, const Schema& schema,
                              WriterOptions options, std::string_view what, Progress* progress) {
  RewriteResult result;
  options.progress = [&](const WriteProgress& now) {
    return progress->Update(what, now.rows_done, now.rows_total, ProgressUnit::kRows);
  };
  DSI_ASSIGN_OR_RETURN(const auto writer, Writer::Create(CreateMemoryFile(&result.bytes, "a trial"),
                                                         schema, std::move(options)));
  ScanOptions scan_options;
  scan_options.row_end = table.num_rows;
  scan_options.batch_size = kDedupBatchRows;
  internal::RewritePlan plan;
  for (const FeatureSpec& feature : schema.features) {
    std::vector<Projection>& asked = plan.sources.emplace_back();
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      // As the trial has the feature, not the file.
      asked.push_back(internal::AskForColumn(feature, c));
      scan_options.features.push_back(asked.back());
    }
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, table.reader->NewScan(scan_options));
  Batch batch;
  internal::BatchColumns columns;
  while (true) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
    DSI_RETURN_IF_ERROR(columns.Fill(plan, batch));
    const size_t rows = batch.num_rows();
    DSI_RETURN_IF_ERROR(writer->AppendColumns(rows, columns.Rows(0, rows)));
  }
  DSI_ASSIGN_OR_RETURN(result.report, writer->Finish());
  return result;
}

}  // namespace dsi::tools
