// An Arrow schema after it was checked: what each field holds, in a form of our own that outlives
// the caller's structs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// How the buffers of an array lie.
enum class ArrowForm : uint8_t {
  kNull,
  kBool,        // Bits.
  kHalf,        // float16.
  kNumber,      // Of ArrowField::type.
  kDecimal,     // 16 bytes: a whole number over 10 to the ArrowField::width.
  kBytes32,     // Strings and binary: offsets of 4 bytes,
  kBytes64,     // of 8,
  kBytesView,   // views of 16,
  kFixedBytes,  // or ArrowField::width bytes each.
  kList32,      // Offsets of 4 bytes,
  kList64,      // of 8,
  kListView32,  // offsets and sizes of 4,
  kListView64,  // of 8,
  kFixedList,   // or ArrowField::width items each.
  kStruct,
  kUnsupported,  // ArrowField::advice says what to do about it.
};

struct ArrowField {
  std::string name;
  std::string format;  // As Arrow spells it, cut to what a message needs.
  ArrowForm form = ArrowForm::kUnsupported;
  Type type = Type::kInt64;  // Of numbers, as loaded: bool bits are kBool, float16 is kFloat32.
  int64_t width = 0;
  int64_t digits = 0;  // The most of a decimal, up to 38.
  // Points in time: this many nanoseconds each; 0: no point in time.
  int64_t instant_nanos = 0;
  // Durations and times of a day: numbers with a unit that are no points in time.
  bool is_span = false;
  // A list of structs of two members, a key and a value, whatever they are called.
  bool is_map() const { return format == "+m"; }
  std::string_view advice;
  std::vector<ArrowField> children;
  // The values, where the field itself holds indices.
  std::unique_ptr<ArrowField> dictionary;

  // The field itself, or the one its indices stand for.
  const ArrowField& values() const { return dictionary ? *dictionary : *this; }
};

constexpr bool IsArrowNumber(ArrowForm form) {
  return form >= ArrowForm::kBool && form <= ArrowForm::kDecimal;
}
constexpr bool IsArrowBytes(ArrowForm form) {
  return form >= ArrowForm::kBytes32 && form <= ArrowForm::kFixedBytes;
}
constexpr bool IsArrowListView(ArrowForm form) {
  return form == ArrowForm::kListView32 || form == ArrowForm::kListView64;
}
constexpr bool IsArrowList(ArrowForm form) {
  return form >= ArrowForm::kList32 && form <= ArrowForm::kFixedList;
}

// No map, and no indices of lists.
inline bool IsPlainList(const ArrowField& field) {
  return !field.dictionary && IsArrowList(field.form) && !field.is_map();
}

// Nulls alone, or lists of nothing else: a schema that is found has no feature for them.
inline bool NeverHasValue(const ArrowField& field) {
  const ArrowField& values = field.values();
  if (values.form == ArrowForm::kNull) return true;
  return IsArrowList(values.form) && NeverHasValue(values.children[0]);
}

// Fills in form, type, width and what else the format says. Unknown and malformed ones are
// kUnsupported: columns that nobody asks for may have them.
void ParseArrowFormat(std::string_view format, ArrowField* field);

// Reads the schema of a table: a struct of columns. kBadInput: a released or null struct, children
// that do not fit the format, a column without a name, nesting beyond 64, more than kMaxColumns
// fields, names beyond kMaxSchemaBytes in all.
Result<ArrowField> ParseArrowSchema(const ArrowSchema& schema);

// "list<int64>", for messages.
std::string DescribeArrow(const ArrowField& field);

// "a map: cast it to …", for messages.
std::string ArrowAdvice(const ArrowField& field);

}  // namespace dsi::internal
