// The comparison of a column of strings with one string, or with those of a set, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/statistics_internal.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

class TextComparison {
 public:
  // `predicate` compares with strings.
  explicit TextComparison(const Predicate& predicate);

  // As that of ReadyPredicate. A unique row that stands beside itself is looked at once.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  // False: no row matches where these are the least and the greatest.
  bool MayMatch(const ColumnStatistics& statistics) const;

 private:
  bool Holds(std::string_view text) const;

  Compare compare_;
  std::vector<std::string> texts_;  // Ascending; but for kIn and kNotIn it is one.
};

}  // namespace dsi::internal
