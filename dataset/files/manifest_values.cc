#include "dsi/dataset/files/manifest_values_internal.h"

#include <fmt/format.h>

#include "dsi/format/default_bits_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

// Readers that hold every number as a double keep those (DS-012).
constexpr uint64_t kMostInDouble = uint64_t{1} << 53;

}  // namespace

bool ReadTypedValue(dom::element value, Type type, uint64_t* bits) {
  std::string_view text;
  int64_t number = 0;
  uint64_t large = 0;
  bool fits = false;
  switch (value.type()) {
    case dom::element_type::BOOL:
      fits = type == Type::kBool;
      *bits = bool(value) ? 1 : 0;
      break;
    case dom::element_type::INT64:
      fits = DefaultFromInt(value, type, bits);
      break;
    case dom::element_type::UINT64:
      fits = DefaultFromUint(value, type, bits);
      break;
    case dom::element_type::DOUBLE:
      fits = !IsInteger(type) && DefaultFromDouble(value, type, bits);
      break;
    case dom::element_type::STRING:
      text = value;
      if (IsFloat(type)) {
        fits = DefaultFromWord(text, type, bits);
      } else if (ParseWhole(text, &large)) {
        fits = DefaultFromUint(large, type, bits);
      } else if (ParseWhole(text, &number)) {
        fits = DefaultFromInt(number, type, bits);
      }
      break;
    default:
      break;
  }
  return fits;
}

void AppendWholeNumber(uint64_t number, std::string* out) {
  const std::string_view quote = number > kMostInDouble ? "\"" : "";
  *out += fmt::format("{}{}{}", quote, number, quote);
}

void AppendTypedValue(uint64_t bits, Type type, std::string* out) {
  const auto as_signed = static_cast<int64_t>(bits);
  if (IsSignedInteger(type) && as_signed < 0) {
    const bool fits = as_signed >= -static_cast<int64_t>(kMostInDouble);
    *out += fmt::format("{}{}{}", fits ? "" : "\"", as_signed, fits ? "" : "\"");
  } else if (IsInteger(type)) {
    AppendWholeNumber(bits, out);
  } else {
    *out += DefaultToJson(bits, type);
  }
}

}  // namespace dsi::internal
