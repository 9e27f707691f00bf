#include "dsi/reader/decode/convert_values_internal.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "dsi/reader/decode/floats_of_doubles_internal.h"

namespace dsi::internal {
namespace {

template <typename To, typename From>
bool Fits(From value) {
  if constexpr (std::is_same_v<To, From> ||
                (std::is_floating_point_v<To> && std::is_integral_v<From>)) {
    return true;
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    return std::in_range<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    // Both ends are powers of two, so they are exact as floats whatever their width.
    constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kHigh = std::is_signed_v<To>
                               ? -kLow
                               : static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    return value >= kLow && value < kHigh && std::trunc(value) == value;
  } else {
    return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
  }
}

template <typename To, typename From>
bool IsCounted(From value) {
  constexpr auto kMost = uint64_t{1} << std::numeric_limits<To>::digits;
  const auto bits = static_cast<uint64_t>(value);
  return (value < From{} ? -bits : bits) <= kMost;
}

template <typename From, typename To, bool kIsExact = false>
bool Run(const void* from, size_t count, uint64_t position, std::byte* to,
         CountedVector<uint64_t>* unfit) {
  const From* const in = static_cast<const From*>(from);
  To* const out = reinterpret_cast<To*>(to);
  if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    if (FloatsOfDoubles(in, count, out)) return true;
  }
  const auto fits_in = [](From value) {
    if constexpr (kIsExact) return IsCounted<To>(value);
    return Fits<To>(value);
  };
  bool all_fit = true;
  for (size_t i = 0; i < count; ++i) {
    const From value = in[i];
    const bool fits = fits_in(value);
    all_fit &= fits;
    out[i] = fits ? static_cast<To>(value) : To{};
  }
  if (all_fit) return true;
  for (size_t i = 0; i < count; ++i) {
    if (!fits_in(in[i])) unfit->push_back(position + i);
  }
  return true;
}

bool BoolsAreSound(const uint8_t* in, size_t count, uint64_t position,
                   CountedVector<uint64_t>* unfit) {
  uint8_t all = 0;
  for (size_t i = 0; i < count; ++i) all |= in[i];
  if (all <= 1) return true;
  size_t i = 0;
  while (in[i] <= 1) ++i;
  unfit->push_back(position + i);
  return false;
}

bool CheckBools(const void* from, size_t count, uint64_t position, std::byte* to,
                CountedVector<uint64_t>* unfit) {
  if (!BoolsAreSound(static_cast<const uint8_t*>(from), count, position, unfit)) return false;
  if (from != to) std::memcpy(to, from, count);
  return true;
}

template <typename To>
bool RunBools(const void* from, size_t count, uint64_t position, std::byte* to,
              CountedVector<uint64_t>* unfit) {
  return BoolsAreSound(static_cast<const uint8_t*>(from), count, position, unfit) &&
         Run<uint8_t, To>(from, count, position, to, unfit);
}

template <typename To>
Conversion FindTo(Type from) {
  switch (from) {
    case Type::kBool:
      return {RunBools<To>, sizeof(To), false};
    case Type::kInt8:
      return {Run<int8_t, To>, sizeof(To), false};
    case Type::kInt16:
      return {Run<int16_t, To>, sizeof(To), false};
    case Type::kInt32:
      return {Run<int32_t, To>, sizeof(To), false};
    case Type::kInt64:
      return {Run<int64_t, To>, sizeof(To), false};
    case Type::kUint8:
      return {Run<uint8_t, To>, sizeof(To), false};
    case Type::kUint16:
      return {Run<uint16_t, To>, sizeof(To), false};
    case Type::kUint32:
      return {Run<uint32_t, To>, sizeof(To), false};
    case Type::kUint64:
      return {Run<uint64_t, To>, sizeof(To), false};
    case Type::kFloat32:
      return {Run<float, To>, sizeof(To), false};
    case Type::kFloat64:
      return {Run<double, To>, sizeof(To), false};
    case Type::kBytes:
      return {};
  }
  return {};
}

// Of integers that it has not all of; null `run`: of others.
template <typename To>
Conversion FindExact(Type from) {
  switch (from) {
    case Type::kInt32:
      return {Run<int32_t, To, true>, sizeof(To), false};
    case Type::kInt64:
      return {Run<int64_t, To, true>, sizeof(To), false};
    case Type::kUint32:
      return {Run<uint32_t, To, true>, sizeof(To), false};
    case Type::kUint64:
      return {Run<uint64_t, To, true>, sizeof(To), false};
    default:
      return {};
  }
}

template <typename To>
bool Bits(double value, uint64_t* bits) {
  if (!Fits<To>(value)) return false;
  const To converted = static_cast<To>(value);
  *bits = 0;
  std::memcpy(bits, &converted, sizeof(To));
  return true;
}

}  // namespace

Conversion FindConversion(Type from, Type to, Casting casting) {
  if (casting == Casting::kBits && IsBitCast(from, to)) return {};
  if (casting == Casting::kExact && IsFloat(to)) {
    const Conversion exact =
        to == Type::kFloat32 ? FindExact<float>(from) : FindExact<double>(from);
    if (exact.run != nullptr) return exact;
  }
  if (from == to) return from == Type::kBool ? Conversion{CheckBools, 1, true} : Conversion{};
  switch (to) {
    case Type::kInt32:
      return FindTo<int32_t>(from);
    case Type::kInt64:
      return FindTo<int64_t>(from);
    case Type::kFloat32:
      return FindTo<float>(from);
    case Type::kFloat64:
      return FindTo<double>(from);
    default:
      return {};
  }
}

bool BitsOf(double value, Type to, uint64_t* bits) {
  switch (to) {
    case Type::kBool:
      *bits = value == 1 ? 1 : 0;
      return value == 0 || value == 1;
    case Type::kInt8:
      return Bits<int8_t>(value, bits);
    case Type::kInt16:
      return Bits<int16_t>(value, bits);
    case Type::kInt32:
      return Bits<int32_t>(value, bits);
    case Type::kInt64:
      return Bits<int64_t>(value, bits);
    case Type::kUint8:
    case Type::kBytes:
      return Bits<uint8_t>(value, bits);
    case Type::kUint16:
      return Bits<uint16_t>(value, bits);
    case Type::kUint32:
      return Bits<uint32_t>(value, bits);
    case Type::kUint64:
      return Bits<uint64_t>(value, bits);
    case Type::kFloat32:
      return Bits<float>(value, bits);
    case Type::kFloat64:
      return Bits<double>(value, bits);
  }
  return false;
}

bool ConvertBits(uint64_t bits, Type from, Type to, Casting casting, uint64_t* converted) {
  const Conversion conversion = FindConversion(from, to, casting);
  *converted = bits;
  if (conversion.run == nullptr) return from == to || casting == Casting::kBits;
  *converted = 0;
  CountedVector<uint64_t> unfit;
  return conversion.run(&bits, 1, 0, reinterpret_cast<std::byte*>(converted), &unfit) &&
         unfit.empty();
}

}  // namespace dsi::internal
