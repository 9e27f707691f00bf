#include "dsi/text/lines/row_parser_internal.h"

#include "dsi/text/lines/cell_value_internal.h"

namespace dsi::internal {

void RowParser::Start(const TextBlock& block, const std::string& name) {
  uint64_t unused = 0;
  TakeIgnored(&unused);
  lines_->StartBlock(block, name);
  ran_out_ = false;
  path_values_ = block.path_values;
  StartBlock(block.start.get());
}

Status RowParser::AtLine(const Status& status) const {
  const Status at = status.At(lines_->Where());
  // A value that fits no column, or a feature set twice, is a fault of the text here.
  if (at.code() == StatusCode::kOutOfRange || at.code() == StatusCode::kInvalidArgument) {
    return {StatusCode::kBadInput, at.message()};
  }
  return at;
}

Result<bool> RowParser::AddRow(RowBatch* batch, const OnBadRow& on_bad_row) {
  Status status = SetRow(batch);
  ran_out_ = lines_->ran_out();
  if (ran_out_) {
    batch->DropRow();
    return false;
  }
  if (status.ok()) {
    status = EndRow(batch);
    if (status.ok()) return true;
    status = AtLine(status);
  }
  batch->DropRow();
  if (!on_bad_row || lines_->failed() || status.code() != StatusCode::kBadInput) return status;
  DSI_RETURN_IF_ERROR(on_bad_row({.file = lines_->name(),
                                  .line = row_line(),
                                  .text = row_text(),
                                  .reason = status.message()}));
  return false;
}

Status RowParser::EndRow(RowBatch* batch) {
  if (path_values_ != nullptr) {
    for (const PathValues::Value& value : path_values_->values) {
      if (batch->IsSet(value.feature)) continue;
      const Status status =
          SetCellValue(*schema_, value.feature, value.text, path_values_->times, batch);
      if (!status.ok()) return {status.code(), status.message() + ", in the path"};
    }
  }
  return batch->EndRow();
}

Result<bool> RowParser::Next(size_t max_rows, RowBatch* batch, const OnBadRow& on_bad_row) {
  for (size_t count = 0; count < max_rows;) {
    DSI_ASSIGN_OR_RETURN(const bool has_row, NextRow());
    if (!has_row) return false;
    row_place_ = lines_->place();
    lines_before_ = lines_->lines_done() - 1;
    DSI_ASSIGN_OR_RETURN(const bool added, AddRow(batch, on_bad_row));
    if (ran_out_) return false;
    if (added) ++count;
  }
  return true;
}

std::vector<IgnoredName> RowParser::TakeIgnored(uint64_t* more) {
  std::vector<IgnoredName> names = ignored_.Take(more);
  ForgetIgnored();
  return names;
}

}  // namespace dsi::internal
