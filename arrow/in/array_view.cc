#include "dsi/arrow/in/array_view_internal.h"

namespace dsi::internal {
namespace {

struct BufferCounts {
  int64_t least;
  int64_t most;
};

BufferCounts BuffersOf(ArrowForm form) {
  switch (form) {
    case ArrowForm::kNull:  // One in files of old versions.
      return {0, 1};
    case ArrowForm::kStruct:
    case ArrowForm::kFixedList:
      return {1, 1};
    case ArrowForm::kBytes32:
    case ArrowForm::kBytes64:
    case ArrowForm::kListView32:
    case ArrowForm::kListView64:
      return {3, 3};
    case ArrowForm::kBytesView:
      return {3, kMaxArrowSlots};
    default:
      return {2, 2};
  }
}

Status CheckLength(const ArrowArray& array, const ColumnPlace& place) {
  if (array.length < 0 || array.length > kMaxArrowSlots) {
    return place.Fault("an array of {} slots", array.length);
  }
  if (array.offset < 0 || array.offset > kMaxArrowSlots) {
    return place.Fault("an array at offset {}", array.offset);
  }
  if (array.null_count < -1 || array.null_count > array.length) {
    return place.Fault("{} nulls in an array of {} slots", array.null_count, array.length);
  }
  return {};
}

Status CheckShape(const ArrowField& field, const ArrowArray& array, const ColumnPlace& place) {
  const BufferCounts buffers = BuffersOf(field.form);
  if (array.n_buffers < buffers.least || array.n_buffers > buffers.most) {
    return place.Fault("{} buffers in an array of format {}, expected {}", array.n_buffers,
                       QuoteForMessage(field.format), buffers.least);
  }
  if (buffers.least > 0 && array.buffers == nullptr) return place.Fault("null buffers");
  if (array.n_children != static_cast<int64_t>(field.children.size())) {
    return place.Fault("{} children in an array of format {}, expected {}", array.n_children,
                       QuoteForMessage(field.format), field.children.size());
  }
  if (array.n_children > 0 && array.children == nullptr) return place.Fault("null children");
  if ((array.dictionary != nullptr) != (field.dictionary != nullptr)) {
    return place.Fault("an array {} a dictionary, unlike its schema",
                       array.dictionary != nullptr ? "with" : "without");
  }
  return {};
}

Status CheckBuffers(const ArrowField& field, const ArrowArray& array, size_t count,
                    const ColumnPlace& place) {
  if (field.form == ArrowForm::kNull) return {};
  if (array.buffers[0] == nullptr && array.null_count > 0) {
    return place.Fault("{} nulls without a validity buffer", array.null_count);
  }
  const bool has_more = array.n_buffers > 1;
  const bool is_empty = field.form == ArrowForm::kFixedBytes && field.width == 0;
  if (count > 0 && has_more && !is_empty && array.buffers[1] == nullptr) {
    return place.Fault("a null buffer, expected one of {} slots", count);
  }
  if (count > 0 && IsArrowListView(field.form) && array.buffers[2] == nullptr)
    return place.Fault("a null buffer, expected one of {} sizes", count);
  return {};
}

Status CheckArray(const ArrowField& field, const ArrowArray* array, const ColumnPlace& place) {
  if (array == nullptr) return place.Fault("a null array");
  if (array->release == nullptr) return place.Fault("an array that was released");
  DSI_RETURN_IF_ERROR(CheckLength(*array, place));
  return CheckShape(field, *array, place);
}

}  // namespace

Result<ArrowView> ViewOf(const ArrowField& field, const ArrowArray* array, size_t first,
                         size_t count, const ColumnPlace& place) {
  DSI_RETURN_IF_ERROR(CheckArray(field, array, place));
  const auto length = static_cast<size_t>(array->length);
  if (first > length || count > length - first) {
    return place.Fault("an array of {} slots, expected {} more from {} on", length, count, first);
  }
  DSI_RETURN_IF_ERROR(CheckBuffers(field, *array, count, place));
  return ArrowView{&field, array, static_cast<size_t>(array->offset) + first, count};
}

Result<ArrowView> ChildOf(const ArrowView& structs, size_t child, const ColumnPlace& place) {
  return ViewOf(structs.field->children[child], structs.child(child), structs.start, structs.count,
                place);
}

Result<ArrowView> WholeView(const ArrowField& field, const ArrowArray* array,
                            const ColumnPlace& place) {
  DSI_RETURN_IF_ERROR(CheckArray(field, array, place));
  return ViewOf(field, array, 0, static_cast<size_t>(array->length), place);
}

}  // namespace dsi::internal
