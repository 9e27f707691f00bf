// Whether the numbers of a column are among those of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

class NumberSet {
 public:
  // `values` are numbers, `type` is that of a number. `negate`: present and none of them.
  NumberSet(bool negate, std::span<const FilterValue> values, Type type);

  // As those of ReadyPredicate.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  bool MayMatch(const ColumnStatistics& statistics) const;

 private:
  Type type_;
  bool negate_;
  // Ascending, each once: uint64_t of uint64 columns, int64_t of other integers, double of floats.
  // What is no value of such a type is in no row.
  std::variant<std::vector<int64_t>, std::vector<uint64_t>, std::vector<double>> members_;
};

}  // namespace dsi::internal
