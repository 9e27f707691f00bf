// Arrays of numbers from one type to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dsi/format/types.h"

namespace dsi::internal {

// Converts `count` numbers, under the rules of format/number_fit_internal.h; bool takes 0 and 1.
// False: one did not fit, and is any number in `to`. Neither buffer need be aligned.
bool ConvertNumbers(Type from_type, const std::byte* from, size_t count, Type to_type,
                    std::byte* to);

// float16 to float32, exactly.
void ConvertHalves(const std::byte* from, size_t count, std::byte* to);

// One number, for messages.
std::string TextOfNumber(Type type, const std::byte* value);

}  // namespace dsi::internal
