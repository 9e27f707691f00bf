// Slots of an Arrow array after what can be checked of it was checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "dsi/arrow/abi.h"
#include "dsi/arrow/in/arrow_field_internal.h"
#include "dsi/base/bit_runs_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {

// No memory holds more slots of a byte; sums and sizes of what is below cannot wrap around.
inline constexpr int64_t kMaxArrowSlots = int64_t{1} << 48;

// Where messages say that something is: a column, and the number of its first row.
struct ColumnPlace {
  std::string name;
  uint64_t first_row = 0;

  template <typename... Args>
  Status Fault(fmt::format_string<Args...> text, Args&&... args) const {
    return BadInput("column {}: {}", QuoteForMessage(name),
                    fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  Status RowFault(StatusCode code, size_t row, fmt::format_string<Args...> text,
                  Args&&... args) const {
    return Error(code, "column {}, row {}: {}", QuoteForMessage(name), first_row + row,
                 fmt::format(text, std::forward<Args>(args)...));
  }
};

// Which slots have a value; no bits: all have.
struct SlotBits {
  const uint8_t* bits = nullptr;
  size_t start = 0;

  bool IsSet(size_t slot) const {
    return bits == nullptr || (bits[(start + slot) / 8] >> ((start + slot) % 8) & 1) != 0;
  }
};

struct ArrowView {
  const ArrowField* field = nullptr;
  const ArrowArray* array = nullptr;
  size_t start = 0;  // Of slot 0 in the buffers.
  size_t count = 0;

  SlotBits validity() const {
    if (field->form == ArrowForm::kNull) return {};
    return {static_cast<const uint8_t*>(array->buffers[0]), start};
  }
  const std::byte* buffer(int64_t i) const {
    return static_cast<const std::byte*>(array->buffers[i]);
  }
  // May be null where no slot needs it.
  const ArrowArray* child(size_t i) const { return array->children[i]; }
};

// Slots `first` to `first + count` of an array, as the parent of the array names them. kBadInput: a
// null or released array, lengths or offsets that are negative or too large, fewer slots than
// `first + count`, numbers of buffers, children or nulls that do not fit the format, a null buffer
// that is needed, a dictionary where none belongs or none where one does.
Result<ArrowView> ViewOf(const ArrowField& field, const ArrowArray* array, size_t first,
                         size_t count, const ColumnPlace& place);
// The same slots of a child of a struct. Errors: as ViewOf.
Result<ArrowView> ChildOf(const ArrowView& structs, size_t child, const ColumnPlace& place);
// All slots of an array.
Result<ArrowView> WholeView(const ArrowField& field, const ArrowArray* array,
                            const ColumnPlace& place);

}  // namespace dsi::internal
