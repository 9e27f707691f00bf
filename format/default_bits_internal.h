// A feature's default value: numbers to the bits of the feature's type, and back to text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/format/types.h"

namespace dsi::internal {

// Bits of the type in 64: those of signed integers sign-extended.
constexpr uint64_t ExtendedBits(uint64_t bits, Type type) {
  if (!IsSignedInteger(type)) return bits;
  const int shift = 64 - 8 * TypeWidth(type);
  return static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
}

// False when the value does not fit the type. A number for type bool is 0 or 1.
bool DefaultFromInt(int64_t value, Type type, uint64_t* bits);
bool DefaultFromUint(uint64_t value, Type type, uint64_t* bits);
bool DefaultFromDouble(double value, Type type, uint64_t* bits);
// "NaN", "Infinity", "-Infinity", for float types.
bool DefaultFromWord(std::string_view word, Type type, uint64_t* bits);

// As a JSON value that gives the same bits; NaNs of any payload become "NaN".
std::string DefaultToJson(uint64_t bits, Type type);

}  // namespace dsi::internal
