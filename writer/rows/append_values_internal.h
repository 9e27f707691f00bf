// Numbers of one type into the bytes of a column of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/format/types.h"
#include "dsi/writer/growing_bytes.h"

namespace dsi::internal {

template <typename To, typename From>
bool AppendConverted(std::span<const From> from, GrowingBytes* out) {
  const size_t at = out->size();
  if constexpr (std::is_same_v<To, From>) {
    out->append(std::as_bytes(from));
    return true;
  }
  out->resize(at + from.size() * sizeof(To));
  std::byte* to = out->data() + at;
  bool fits = true;
  for (size_t i = 0; i < from.size(); ++i) {
    To value{};
    fits &= ConvertNumber(from[i], &value);
    std::memcpy(to + i * sizeof(To), &value, sizeof(To));
  }
  if (!fits) out->resize(at);
  return fits;
}

template <typename From>
bool AppendBools(std::span<const From> from, GrowingBytes* out) {
  const size_t at = out->size();
  out->resize(at + from.size());
  bool fits = true;
  for (size_t i = 0; i < from.size(); ++i) {
    fits &= from[i] == 0 || from[i] == 1;
    out->data()[at + i] = std::byte{from[i] == 1};
  }
  if (!fits) out->resize(at);
  return fits;
}

// Appends all or, when one does not fit the type, nothing.
template <typename From>
bool AppendAs(Type type, std::span<const From> from, GrowingBytes* out) {
  switch (type) {
    case Type::kBool:
      return AppendBools(from, out);
    case Type::kInt8:
      return AppendConverted<int8_t>(from, out);
    case Type::kInt16:
      return AppendConverted<int16_t>(from, out);
    case Type::kInt32:
      return AppendConverted<int32_t>(from, out);
    case Type::kInt64:
      return AppendConverted<int64_t>(from, out);
    case Type::kUint8:
      return AppendConverted<uint8_t>(from, out);
    case Type::kUint16:
      return AppendConverted<uint16_t>(from, out);
    case Type::kUint32:
      return AppendConverted<uint32_t>(from, out);
    case Type::kUint64:
      return AppendConverted<uint64_t>(from, out);
    case Type::kFloat32:
      return AppendConverted<float>(from, out);
    case Type::kFloat64:
      return AppendConverted<double>(from, out);
    case Type::kBytes:
      return false;
  }
  return false;
}

// Names the first that does not.
template <typename From>
Status DoesNotFit(const std::string& name, Type type, std::span<const From> from) {
  GrowingBytes scratch;
  for (const From& value : from) {
    if (!AppendAs<From>(type, {&value, 1}, &scratch)) {
      if (std::is_integral_v<From> && IsFloat(type)) {
        return Error(StatusCode::kOutOfRange, "feature {}: found {}, {}", QuoteForMessage(name),
                     value, AdviceOnWhole(type));
      }
      return Error(StatusCode::kOutOfRange,
                   "feature {}: found {}, expected a value that fits type {}",
                   QuoteForMessage(name), value, TypeName(type));
    }
  }
  return {};
}

}  // namespace dsi::internal
