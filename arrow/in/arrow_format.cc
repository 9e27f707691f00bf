// Arrow's format strings.
#include <array>

#include "dsi/arrow/in/arrow_field_internal.h"
#include "dsi/base/parse_whole_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

struct Known {
  std::string_view format;
  ArrowForm form;
  Type type;
};
constexpr Known kKnown[] = {
    {"n", ArrowForm::kNull, Type::kInt64},         {"b", ArrowForm::kBool, Type::kBool},
    {"c", ArrowForm::kNumber, Type::kInt8},        {"C", ArrowForm::kNumber, Type::kUint8},
    {"s", ArrowForm::kNumber, Type::kInt16},       {"S", ArrowForm::kNumber, Type::kUint16},
    {"i", ArrowForm::kNumber, Type::kInt32},       {"I", ArrowForm::kNumber, Type::kUint32},
    {"l", ArrowForm::kNumber, Type::kInt64},       {"L", ArrowForm::kNumber, Type::kUint64},
    {"e", ArrowForm::kHalf, Type::kFloat32},       {"f", ArrowForm::kNumber, Type::kFloat32},
    {"g", ArrowForm::kNumber, Type::kFloat64},     {"z", ArrowForm::kBytes32, Type::kBytes},
    {"Z", ArrowForm::kBytes64, Type::kBytes},      {"u", ArrowForm::kBytes32, Type::kBytes},
    {"U", ArrowForm::kBytes64, Type::kBytes},      {"vz", ArrowForm::kBytesView, Type::kBytes},
    {"vu", ArrowForm::kBytesView, Type::kBytes},   {"+l", ArrowForm::kList32, Type::kInt64},
    {"+L", ArrowForm::kList64, Type::kInt64},      {"+s", ArrowForm::kStruct, Type::kInt64},
    {"+m", ArrowForm::kList32, Type::kInt64},      {"+vl", ArrowForm::kListView32, Type::kInt64},
    {"+vL", ArrowForm::kListView64, Type::kInt64},
};

struct Advised {
  std::string_view begin;
  std::string_view advice;
};
constexpr Advised kAdvised[] = {
    {"d:", "a decimal of other than 128 bits: cast it to one, or to float64 or int64"},
    {"+u", "a union: split it into a column per type"},
    {"+r", "run-end encoded: decode it first"},
    {"ti", "an interval: cast it to duration"},
};

int64_t NanosOf(char unit) {
  switch (unit) {
    case 's':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1'000;
    case 'n':
      return 1;
    default:
      return 0;
  }
}

// Dates, times of a day, timestamps and durations.
bool ParseTime(std::string_view format, ArrowField* field) {
  if (format == "tdD") {
    field->type = Type::kInt32;
    field->instant_nanos = 86'400 * NanosOf('s');
    return true;
  }
  if (format == "tdm") {
    field->instant_nanos = NanosOf('m');
    return true;
  }
  if (format.size() < 3) return false;
  const int64_t nanos = NanosOf(format[2]);
  if (nanos == 0) return false;
  // A time zone follows, which says how to show what counts from 1970 in UTC anyway.
  if (format.starts_with("ts") && format.size() >= 4 && format[3] == ':') {
    field->instant_nanos = nanos;
    return true;
  }
  if (format.size() != 3 || (format[1] != 't' && format[1] != 'D')) return false;
  field->is_span = true;
  if (format[1] == 't' && nanos >= NanosOf('m')) field->type = Type::kInt32;
  return true;
}

bool ParseWidth(std::string_view digits, int64_t least, int64_t* width) {
  return ParseWhole(digits, width) && *width >= least && *width <= kMaxListLength;
}

// "d:9,2", "d:9,2,128": of 9 digits, 2 of them behind the point. Values decide whether they fit.
bool ParseDecimal(std::string_view format, ArrowField* field) {
  constexpr int64_t kMostDigits = 38;  // Of 128 bits.
  format.remove_prefix(2);
  if (format.ends_with(",128")) format.remove_suffix(4);
  const size_t comma = std::min(format.find(','), format.size() - 1);
  if (!ParseWidth(format.substr(0, comma), 1, &field->digits) ||
      !ParseWidth(format.substr(comma + 1), 0, &field->width))
    return false;
  field->type = field->width == 0 ? Type::kInt64 : Type::kFloat64;
  return field->width <= field->digits && field->digits <= kMostDigits;
}

}  // namespace

void ParseArrowFormat(std::string_view format, ArrowField* field) {
  for (const Known& known : kKnown) {
    if (format != known.format) continue;
    field->form = known.form;
    field->type = known.type;
    return;
  }
  if (format.starts_with("t") && ParseTime(format, field)) {
    field->form = ArrowForm::kNumber;
    return;
  }
  if (format.starts_with("d:") && format.size() > 2 && ParseDecimal(format, field)) {
    field->form = ArrowForm::kDecimal;
    return;
  }
  if (format.starts_with("w:") && ParseWidth(format.substr(2), 0, &field->width)) {
    field->form = ArrowForm::kFixedBytes;
    field->type = Type::kBytes;
    return;
  }
  if (format.starts_with("+w:") && ParseWidth(format.substr(3), 1, &field->width)) {
    field->form = ArrowForm::kFixedList;
    return;
  }
  field->form = ArrowForm::kUnsupported;
  field->advice = "an unknown format";
  for (const Advised& known : kAdvised) {
    if (format.starts_with(known.begin)) field->advice = known.advice;
  }
}

}  // namespace dsi::internal
