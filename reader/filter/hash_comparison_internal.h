// The comparison of a number that a value is hashed to, which splits rows by users or sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

class HashComparison {
 public:
  // `predicate` is one of Subject::kHash that CheckPredicate is ok with.
  HashComparison(const Predicate& predicate, Type type);

  // As those of ReadyPredicate.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  // No statistics tell of hashes.
  bool MayMatch(const ColumnStatistics& /*statistics*/) const { return true; }

 private:
  // In [0, 1).
  double NumberOf(uint64_t bits) const;
  bool Holds(double number) const;

  Type type_;
  Compare compare_;
  double limit_;
  uint64_t salt_;
};

}  // namespace dsi::internal
