// A feature's default value: numbers to the bits of the feature's type, and back to text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/format/types.h"

namespace dsi::internal {

// False when the value does not fit the type. A number for type bool is 0 or 1.
bool DefaultFromInt(int64_t value, Type type, uint64_t* bits);
bool DefaultFromUint(uint64_t value, Type type, uint64_t* bits);
bool DefaultFromDouble(double value, Type type, uint64_t* bits);
// "NaN", "Infinity", "-Infinity", for float types.
bool DefaultFromWord(std::string_view word, Type type, uint64_t* bits);

// As a JSON value that gives the same bits; NaNs of any payload become "NaN".
std::string DefaultToJson(uint64_t bits, Type type);

}  // namespace dsi::internal
