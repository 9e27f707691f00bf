// Outputs of a pipeline as JSON Lines, for who looks at what it makes.
#include <algorithm>
#include <string>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/text/row_text_buffer_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/row_value_internal.h"
#include "dsi/tools/transform_internal.h"

namespace dsi::tools {
namespace {

using internal::TextBuffer;

struct ShownColumn {
  std::string name;
  bool is_number = false;
  JaggedView view;  // Of the batch.
};

bool IsNumber(const TransformJob& job, const std::string& name) {
  for (const size_t stage : job.plan.outputs()) {
    const TransformStage& made = job.plan.stages()[stage];
    if (made.name == name) return made.type.shape == RowShape::kNumber;
  }
  for (const ColumnInfo& column : job.columns) {
    if (column.name == name)
      return !HasLengths(column.kind, column.type) && column.kind != Kind::kEmbedding;
  }
  return false;  // Ids and weights of a scored list.
}

}  // namespace

Status PrintTransformed(const TransformJob& job, uint64_t num_rows, Console* console) {
  DatasetScanOptions options;
  options.scan = job.scan;
  options.scan.batch_size = static_cast<uint32_t>(std::clamp<uint64_t>(num_rows, 1, 4096));
  options.pipeline = job.pipeline;
  for (const std::string& name : job.shown)
    options.scan.features.push_back({.name = name, .layout = Layout::kJagged});
  DSI_ASSIGN_OR_RETURN(const auto scan, job.dataset->NewScan(options));
  std::vector<ShownColumn> shown;
  for (const ScanColumn& column : scan->columns())
    shown.push_back({column.name, IsNumber(job, column.name), {}});
  TextBuffer text;
  Batch batch;
  for (uint64_t printed = 0; printed < num_rows;) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
    for (size_t i = 0; i < shown.size(); ++i) {
      DSI_ASSIGN_OR_RETURN(shown[i].view, batch.Jagged(i));
    }
    text.Clear();
    for (size_t row = 0; row < batch.num_rows() && printed < num_rows; ++row, ++printed) {
      text.Add('{');
      bool is_first = true;
      for (const ShownColumn& column : shown) {
        if (column.view.present[row] == 0) continue;
        if (!is_first) text.Add(',');
        is_first = false;
        text.AddQuoted(column.name);
        text.Add(':');
        AddRowValue(column.view, row, column.is_number, &text);
      }
      text.Add("}\n");
    }
    DSI_RETURN_IF_ERROR(console->PrintJsonText(text.text()));
  }
  return Status::Ok();
}

}  // namespace dsi::tools
