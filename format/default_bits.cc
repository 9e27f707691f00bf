#include "dsi/format/default_bits_internal.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "dsi/format/number_fit_internal.h"

namespace dsi::internal {
namespace {

template <typename To, typename From>
bool Store(From value, uint64_t* bits) {
  To number{};
  if (!ConvertNumber(value, &number)) return false;
  if constexpr (std::is_same_v<To, float>) {
    *bits = std::bit_cast<uint32_t>(number);
  } else if constexpr (std::is_same_v<To, double>) {
    *bits = std::bit_cast<uint64_t>(number);
  } else {
    *bits = static_cast<std::make_unsigned_t<To>>(number);
  }
  return true;
}

template <typename From>
bool DefaultFrom(From value, Type type, uint64_t* bits) {
  switch (type) {
    case Type::kBool:
      return Store<uint8_t>(value, bits) && *bits <= 1;
    case Type::kInt8:
      return Store<int8_t>(value, bits);
    case Type::kInt16:
      return Store<int16_t>(value, bits);
    case Type::kInt32:
      return Store<int32_t>(value, bits);
    case Type::kInt64:
      return Store<int64_t>(value, bits);
    case Type::kUint8:
      return Store<uint8_t>(value, bits);
    case Type::kUint16:
      return Store<uint16_t>(value, bits);
    case Type::kUint32:
      return Store<uint32_t>(value, bits);
    case Type::kUint64:
      return Store<uint64_t>(value, bits);
    case Type::kFloat32:
      return Store<float>(value, bits);
    case Type::kFloat64:
      return Store<double>(value, bits);
    case Type::kBytes:
      return false;
  }
  return false;
}

template <typename Float>
std::string FloatToJson(Float value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string text = fmt::format("{}", value);
  // A whole number would lose the sign of -0.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

bool DefaultFromInt(int64_t value, Type type, uint64_t* bits) {
  return DefaultFrom(value, type, bits);
}
bool DefaultFromUint(uint64_t value, Type type, uint64_t* bits) {
  return DefaultFrom(value, type, bits);
}
bool DefaultFromDouble(double value, Type type, uint64_t* bits) {
  return DefaultFrom(value, type, bits);
}

bool DefaultFromWord(std::string_view word, Type type, uint64_t* bits) {
  if (!IsFloat(type)) return false;
  using Limits = std::numeric_limits<double>;
  if (word == "NaN") return DefaultFrom(Limits::quiet_NaN(), type, bits);
  if (word == "Infinity") return DefaultFrom(Limits::infinity(), type, bits);
  if (word == "-Infinity") return DefaultFrom(-Limits::infinity(), type, bits);
  return false;
}

std::string DefaultToJson(uint64_t bits, Type type) {
  switch (type) {
    case Type::kBool:
      return bits != 0 ? "true" : "false";
    case Type::kInt8:
      return std::to_string(static_cast<int8_t>(bits));
    case Type::kInt16:
      return std::to_string(static_cast<int16_t>(bits));
    case Type::kInt32:
      return std::to_string(static_cast<int32_t>(bits));
    case Type::kInt64:
      return std::to_string(static_cast<int64_t>(bits));
    case Type::kFloat32:
      return FloatToJson(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case Type::kFloat64:
      return FloatToJson(std::bit_cast<double>(bits));
    default:
      return std::to_string(bits);
  }
}

}  // namespace dsi::internal
