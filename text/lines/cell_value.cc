#include "dsi/text/lines/cell_value_internal.h"

#include <charconv>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/text/lines/number_of_text_internal.h"

namespace dsi::internal {

NumberText ParseNumber(std::string_view text, int64_t* whole, uint64_t* big, double* number) {
  const char* first = text.data();
  const char* last = first + text.size();
  const size_t digits_at = text.starts_with('-') ? 1 : 0;
  const bool is_whole = text.size() > digits_at &&
                        text.find_first_not_of("0123456789", digits_at) == std::string_view::npos;
  if (is_whole && text != "-0") {
    if (std::from_chars(first, last, *whole).ec == std::errc()) return NumberText::kInt;
    if (digits_at == 0 && std::from_chars(first, last, *big).ec == std::errc()) {
      return NumberText::kUint;
    }
    return NumberText::kNone;
  }
  const auto [end, code] = std::from_chars(first, last, *number);
  return code == std::errc() && end == last ? NumberText::kDouble : NumberText::kNone;
}

Status ReadCellTime(std::string_view text, TimeUnit unit, const TimeForms& times, int64_t* time) {
  IsoTime parsed;
  if (times.Parse(text, &parsed)) return IsoToUnit(parsed, unit, time);
  const Status status = ConvertTimeText(text, times.UnitOfNumbers(unit), unit, time);
  if (status.code() != StatusCode::kBadInput) return status;
  return BadInput("found {}, expected {}", QuoteForMessage(text), times.Expected(unit));
}

bool ParseTruth(std::string_view text, bool* value) {
  *value = text == "true" || text == "True" || text == "TRUE";
  return *value || text == "false" || text == "False" || text == "FALSE";
}

Status SetCellValue(const Schema& schema, uint32_t at, std::string_view text,
                    const TimeForms& times, RowBatch* batch) {
  const FeatureSpec& feature = schema.features[at];
  const Type type = feature.columns[0].type;
  if (type == Type::kBytes) return batch->SetBytes(at, text);
  // Some programs quote every cell; an empty number is then missing as well.
  if (text.empty()) return {};
  if (const TimeUnit unit = feature.columns[0].time_unit; unit != TimeUnit::kNone) {
    int64_t time = 0;
    const Status status = ReadCellTime(text, unit, times, &time);
    if (!status.ok())
      return BadInput("feature {}: {}", QuoteForMessage(feature.name), status.message());
    return batch->SetInt(at, time);
  }
  if (bool truth = false; type == Type::kBool && ParseTruth(text, &truth))
    return batch->SetInt(at, truth ? 1 : 0);
  int64_t whole = 0;
  uint64_t big = 0;
  double number = 0;
  switch (ParseNumber(text, &whole, &big, &number)) {
    case NumberText::kInt:
      return batch->SetInt(at, whole);
    case NumberText::kUint:
      return batch->SetUint(at, big);
    case NumberText::kDouble:
      if (!IsFloat(type)) break;
      return batch->SetDouble(at, NumberOfText(number, type));
    case NumberText::kNone:
      break;
  }
  return BadInput("feature {}: found {}, expected a number of type {}",
                  QuoteForMessage(feature.name), QuoteForMessage(text), TypeName(type));
}

}  // namespace dsi::internal
