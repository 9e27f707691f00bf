// Which rows one predicate of a filter holds for, made ready for the kind and type of its column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/filter/hash_comparison_internal.h"
#include "dsi/reader/filter/number_set_internal.h"
#include "dsi/reader/filter/number_comparison_internal.h"
#include "dsi/reader/filter/text_comparison_internal.h"

namespace dsi::internal {

// It compares with something.
inline bool TakesValue(Compare compare) {
  return compare != Compare::kExists && compare != Compare::kMissing;
}

// It looks at what a row has, not whether, or how much.
inline bool LooksAtValues(const Predicate& predicate) {
  return TakesValue(predicate.compare) && predicate.subject != Subject::kLength;
}

// Itself, then its alternatives with theirs.
std::vector<const Predicate*> AlternativesOf(const Predicate& predicate);

// It takes the values of a set.
inline bool TakesSet(Compare compare) {
  return compare == Compare::kIn || compare == Compare::kNotIn;
}

// kInvalidArgument: what columns of this kind have is no one number or string per row; `name` is
// the column's.
Status CheckComparable(std::string_view name, Kind kind, Type type);
// kInvalidArgument: `name` has no length.
Status CheckHasLength(std::string_view name, Kind kind, Type type);
// kInvalidArgument: columns of this kind and type are not compared so, or a string that is no time
// is compared with timestamps, which are of `unit`.
Status CheckPredicate(const Predicate& predicate, std::string_view name, Kind kind, Type type,
                      TimeUnit unit);

class ReadyPredicate {
 public:
  // CheckPredicate is ok with it.
  ReadyPredicate(const Predicate& predicate, Type type, TimeUnit unit);

  // matches[i] &= the row slots[i] compares as asked. `values` are those of the view, of `type`;
  // null unless LooksAtValues. `shape` is not sparse.
  void AndMatches(const std::byte* values, const ShapeView& shape, std::span<const uint32_t> slots,
                  uint8_t* matches) const;
  // False: none of so many rows with these statistics matches.
  bool MayMatch(const ColumnStatistics& statistics, uint64_t num_rows) const;

 private:
  struct PresenceTest {
    bool missing;
    void AndMatches(const std::byte* values, const ShapeView& shape,
                    std::span<const uint32_t> slots, uint8_t* matches) const;
    // Of rows some of which have a value.
    bool MayMatch(const ColumnStatistics& /*statistics*/) const { return !missing; }
  };
  using Test =
      std::variant<PresenceTest, NumberComparison, NumberSet, TextComparison, HashComparison>;
  static Test TestOf(const Predicate& predicate, Type type, TimeUnit unit);

  Test test_;
  bool of_length_;  // The test is one of lengths, of rows that have one.
};

}  // namespace dsi::internal
