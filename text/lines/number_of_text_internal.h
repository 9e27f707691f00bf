// The number that a text stands for, of which a parser gave the nearest double.
#pragma once

#include "dsi/format/types.h"

namespace dsi::internal {

// As a value of the type, with a float type. Rounding to double and then to float32 may differ from
// rounding once where the double lies halfway between two of float32. Of these it is the one whose
// shortest text reads as that double, so that a float32 written as text reads back to its bits.
double NumberOfText(double number, Type type);

}  // namespace dsi::internal
