// One comparison of a filter, made ready for the type of its column.
//
// Over integers it is a closed interval, or all but one, so that a row costs a subtraction and a
// comparison whatever was asked; over floats the comparison itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/base/status.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

class ReadyPredicate {
 public:
  // `type` is that of a number.
  ReadyPredicate(Compare compare, const decltype(Predicate::value)& value, Type type);

  // matches[i] &= the row slots[i] is present and compares as asked. `values` are those of the
  // view, of `type`; `shape` is of a feature with one entry per present row.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  // False: no row of a stripe with these statistics matches.
  bool MayMatch(const ColumnStatistics& statistics, uint32_t num_rows) const;

 private:
  bool MayMatchFloats(const ColumnStatistics& statistics) const;
  template <typename T>
  void SetInterval(const decltype(Predicate::value)& value);

  Type type_;
  Compare compare_;
  bool negate_ = false;
  bool never_ = false;     // The interval is empty.
  uint64_t low_ = 0;       // Integers: bits of the least value in the interval, …
  uint64_t distance_ = 0;  // … and how far the greatest lies above it.
  double number_ = 0;      // Floats; rounded where the column is float32.
};

}  // namespace dsi::internal
