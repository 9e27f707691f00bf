// What values cost once they are encoded, roughly: codes are as short as their values are frequent.
// From samples, in bits, for choosing only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {

// Rows that show what the values of a feature cost.
inline constexpr uint32_t kCostSample = 2048;

// Bits for each of `rows`, missing or not; a value that no other of them has takes `bits_alone`
// beside its code.
double CodedBits(const FeatureRows& column, std::span<const uint32_t> rows, double bits_alone);

// The same for each row of all, where a few values may follow a pattern: that negatives follow a
// positive, by fours.
double CodedBitsInRows(const FeatureRows& column, size_t num_rows, double bits_alone);

// Bits of all values of `rows`, stored one after another; `to_decode` more for each entry. Lists
// are windows of what the row before shows, or, without, stand for themselves.
double BitsInOrder(const FeatureRows& column, std::span<const uint32_t> rows, bool have_windows,
                   double to_decode);

}  // namespace dsi::internal
