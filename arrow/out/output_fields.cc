#include "dsi/arrow/out/output_fields_internal.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

using Shape = OutputField::Shape;
using ColumnsByName = std::unordered_map<std::string_view, const ColumnInfo*>;

void AppendCounted(std::string_view text, std::string* out) {
  const auto size = static_cast<int32_t>(text.size());
  out->append(reinterpret_cast<const char*>(&size), sizeof(size));
  out->append(text);
}

// A count, then keys and values, each behind its size; native numbers.
std::string MetadataOf(const ColumnInfo& column) {
  const int32_t count = column.id_space.empty() ? 1 : 2;
  std::string out(reinterpret_cast<const char*>(&count), sizeof(count));
  AppendCounted("dsi.kind", &out);
  AppendCounted(KindName(column.kind), &out);
  if (column.id_space.empty()) return out;
  AppendCounted("dsi.id_space", &out);
  AppendCounted(column.id_space, &out);
  return out;
}

bool IsOneNumber(const ScanColumn& scanned, const ColumnInfo* column) {
  if (column == nullptr) return scanned.width == 1;
  return !HasLengths(column->kind, column->type) && column->kind != Kind::kEmbedding &&
         scanned.width == 1;
}

Result<Shape> ShapeOf(const ScanColumn& scanned, const ColumnInfo* column) {
  const bool is_bytes = scanned.dtype == Type::kBytes;
  switch (scanned.layout) {
    case Layout::kPadded:
    case Layout::kPaddedIkjt:
      if (is_bytes)
        return InvalidArgument("column {}: padded bytes are no column of Arrow; expected jagged",
                               scanned.name);
      return IsOneNumber(scanned, column) ? Shape::kNumber : Shape::kFixedList;
    case Layout::kJagged:
    case Layout::kIkjt:
      return is_bytes ? Shape::kBytes : Shape::kList;
    case Layout::kDense:
    case Layout::kVbe:
    case Layout::kKjt:
      break;
  }
  return InvalidArgument(
      "column {}: a part of a dense matrix or of a KeyedJaggedTensor is no column of "
      "Arrow; expected padded, jagged or IKJT",
      scanned.name);
}

Result<OutputField> MakeField(const ScanColumn& scanned, const ColumnsByName& by_name) {
  const auto found = by_name.find(scanned.name);
  const ColumnInfo* const column = found == by_name.end() ? nullptr : found->second;
  OutputField field;
  DSI_ASSIGN_OR_RETURN(field.shape, ShapeOf(scanned, column));
  field.name = scanned.name;
  field.layout = scanned.layout;
  field.dtype = scanned.dtype;
  field.width = scanned.width;
  if (column == nullptr) return field;
  field.metadata = MetadataOf(*column);
  // As another type it is a number like any other.
  if (field.shape != Shape::kBytes && field.dtype == Type::kInt64)
    field.time_unit = column->time_unit;
  return field;
}

}  // namespace

Result<std::shared_ptr<const OutputFields>> MakeOutputFields(std::span<const ScanColumn> scanned,
                                                             std::span<const ColumnInfo> columns,
                                                             const ArrowOutputOptions& options) {
  ColumnsByName by_name;
  by_name.reserve(columns.size());
  for (const ColumnInfo& column : columns) by_name.emplace(column.name, &column);
  auto made = std::make_shared<OutputFields>();
  made->binary = options.binary;
  made->num_links = scanned.size();
  made->fields.reserve(scanned.size());
  for (const ScanColumn& column : scanned) {
    DSI_ASSIGN_OR_RETURN(OutputField field, MakeField(column, by_name));
    made->num_nodes += field.num_nodes();
    made->num_links += field.is_nested();
    made->fields.push_back(std::move(field));
  }
  return std::shared_ptr<const OutputFields>(std::move(made));
}

Status CheckScanned(const OutputFields& fields, std::span<const ScanColumn> scanned) {
  if (scanned.size() != fields.fields.size()) {
    return InvalidArgument("a scan of {} columns, expected one of {}", scanned.size(),
                           fields.fields.size());
  }
  for (size_t i = 0; i < scanned.size(); ++i) {
    const OutputField& field = fields.fields[i];
    const ScanColumn& column = scanned[i];
    if (column.name == field.name && column.layout == field.layout && column.dtype == field.dtype &&
        column.width == field.width)
      continue;
    return InvalidArgument("column {} of the scan is {}, expected {} in another layout or type", i,
                           column.name, field.name);
  }
  return Status::Ok();
}

}  // namespace dsi::internal
