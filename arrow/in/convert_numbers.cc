#include "dsi/arrow/in/convert_numbers_internal.h"

#include <fmt/format.h>

#include <bit>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/number_fit_internal.h"

namespace dsi::internal {
namespace {

// Calls call.template operator()<T>() with the type that holds numbers of `type`.
template <typename Call>
auto WithNumberType(Type type, const Call& call) {
  switch (type) {
    case Type::kInt8:
      return call.template operator()<int8_t>();
    case Type::kInt16:
      return call.template operator()<int16_t>();
    case Type::kInt32:
      return call.template operator()<int32_t>();
    case Type::kInt64:
      return call.template operator()<int64_t>();
    case Type::kUint16:
      return call.template operator()<uint16_t>();
    case Type::kUint32:
      return call.template operator()<uint32_t>();
    case Type::kUint64:
      return call.template operator()<uint64_t>();
    case Type::kFloat32:
      return call.template operator()<float>();
    case Type::kFloat64:
      return call.template operator()<double>();
    default:  // Bytes are no numbers; nobody asks.
      return call.template operator()<uint8_t>();
  }
}

template <typename From, typename To>
bool ConvertAll(const std::byte* from, size_t count, std::byte* to) {
  bool fits = true;
  for (size_t i = 0; i < count; ++i) {
    To value{};
    fits &= ConvertNumber(LoadLE<From>(from + i * sizeof(From)), &value);
    StoreLE(to + i * sizeof(To), value);
  }
  return fits;
}

template <typename From>
bool ConvertToBools(const std::byte* from, size_t count, std::byte* to) {
  bool fits = true;
  for (size_t i = 0; i < count; ++i) {
    const auto value = LoadLE<From>(from + i * sizeof(From));
    fits &= value == From{0} || value == From{1};
    to[i] = std::byte{value == From{1}};
  }
  return fits;
}

float FloatOfHalf(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000U} << 16;
  const uint32_t exponent = half >> 10 & 0x1FU;
  const uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float tiny = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -tiny : tiny;
}

}  // namespace

bool ConvertNumbers(Type from_type, const std::byte* from, size_t count, Type to_type,
                    std::byte* to) {
  return WithNumberType(from_type, [&]<typename From>() {
    if (to_type == Type::kBool) return ConvertToBools<From>(from, count, to);
    return WithNumberType(to_type,
                          [&]<typename To>() { return ConvertAll<From, To>(from, count, to); });
  });
}

void ConvertHalves(const std::byte* from, size_t count, std::byte* to) {
  for (size_t i = 0; i < count; ++i) {
    StoreLE(to + i * sizeof(float), FloatOfHalf(LoadLE<uint16_t>(from + i * sizeof(uint16_t))));
  }
}

std::string TextOfNumber(Type type, const std::byte* value) {
  return WithNumberType(type, [&]<typename T>() {
    if constexpr (sizeof(T) == 1) {
      return fmt::format("{}", int{LoadLE<T>(value)});
    } else {
      return fmt::format("{}", LoadLE<T>(value));
    }
  });
}

}  // namespace dsi::internal
