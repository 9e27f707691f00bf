// The comparison of a column of numbers with one number.
//
// Over integers it is a closed interval, or all but one, so that a row costs a subtraction and a
// comparison whatever was asked; over floats the comparison itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

class NumberComparison {
 public:
  // `compare` is one with one value, `value` a number, `type` that of a number.
  NumberComparison(Compare compare, const FilterValue& value, Type type);

  // As those of ReadyPredicate.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  bool MayMatch(const ColumnStatistics& statistics) const;

 private:
  bool MayMatchFloats(const ColumnStatistics& statistics) const;
  template <typename T>
  void SetInterval(const FilterValue& value);

  Type type_;
  Compare compare_;
  bool negate_ = false;
  bool never_ = false;     // The interval is empty.
  uint64_t low_ = 0;       // Integers: bits of the least value in the interval, …
  uint64_t distance_ = 0;  // … and how far the greatest lies above it.
  double number_ = 0;      // Floats; rounded where the column is float32.
};

}  // namespace dsi::internal
