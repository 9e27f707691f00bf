#include "dsi/arrow/out/batch_column_internal.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status OfOtherColumns(const OutputField& field) {
  return InvalidArgument("the batch is of a scan of other columns: {} has another type",
                         field.name);
}

Status SetPadded(const PaddedView& view, const OutputField& field, BatchColumn* column) {
  if (view.dtype != field.dtype || view.width != field.width) return OfOtherColumns(field);
  column->rows = view.rows;
  column->present = view.present;
  column->values = view.values;
  column->num_values = view.rows * view.width;
  return Status::Ok();
}

Status SetJagged(const JaggedView& view, const OutputField& field, BatchColumn* column) {
  if (view.dtype != field.dtype) return OfOtherColumns(field);
  column->rows = view.rows;
  column->present = view.present;
  column->values = view.values;
  column->num_values = view.num_values;
  column->offsets = view.offsets;
  return Status::Ok();
}

bool IsContinuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// All bytes at once: rows are UTF-8 if their bytes together are and none starts inside of a
// character.
bool AreUtf8(const BatchColumn& column, std::string_view bytes) {
  if (!simdjson::validate_utf8(bytes.data(), bytes.size())) return false;
  for (size_t i = 0; i < column.rows; ++i) {
    const auto begin = static_cast<size_t>(column.offsets[i]);
    if (begin < bytes.size() && IsContinuation(bytes[begin])) return false;
  }
  return true;
}

}  // namespace

Status FindBatchColumn(const Batch& batch, size_t ordinal, const OutputField& field,
                       BatchColumn* column) {
  *column = {};
  switch (field.layout) {
    case Layout::kPadded: {
      DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(ordinal));
      return SetPadded(view, field, column);
    }
    case Layout::kPaddedIkjt: {
      DSI_ASSIGN_OR_RETURN(const PaddedIkjtView view, batch.PaddedIkjt(ordinal));
      column->inverse = view.inverse;
      return SetPadded(view.unique, field, column);
    }
    case Layout::kJagged: {
      DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(ordinal));
      return SetJagged(view, field, column);
    }
    case Layout::kIkjt: {
      DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(ordinal));
      column->inverse = view.inverse;
      return SetJagged(view.unique, field, column);
    }
    case Layout::kDense:
    case Layout::kVbe:
    case Layout::kKjt:
      break;
  }
  return OfOtherColumns(field);
}

Status CheckUtf8(const Batch& batch, const OutputField& field, const BatchColumn& column) {
  const std::string_view bytes(static_cast<const char*>(column.values), column.num_values);
  if (AreUtf8(column, bytes)) return Status::Ok();
  const size_t num_rows = batch.num_rows();
  for (size_t i = 0; i < num_rows; ++i) {
    const size_t at = column.inverse == nullptr ? i : static_cast<size_t>(column.inverse[i]);
    const auto begin = static_cast<size_t>(column.offsets[at]);
    const auto end = static_cast<size_t>(column.offsets[at + 1]);
    if (simdjson::validate_utf8(bytes.data() + begin, end - begin)) continue;
    const uint64_t row =
        batch.row_numbers().empty() ? batch.first_row() + i : batch.row_numbers()[i];
    return Error(StatusCode::kOutOfRange,
                 "column {}, row {}: its bytes are not UTF-8; binary columns hold any", field.name,
                 row);
  }
  return Status::Ok();
}

}  // namespace dsi::internal
