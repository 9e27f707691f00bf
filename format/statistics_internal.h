// What the statistics section says of one column in one stripe (spec F-083), as values and bytes.
// The same is known of all rows of a file (DS-014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/text_prefix_internal.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// Numbers are in 64 bits: signed integers sign-extended, unsigned ones and the bits of floats
// zero-extended. Of strings only the texts are set.
struct ColumnStatistics {
  // The most bytes that one takes.
  static constexpr size_t kMaxSize = kMaxTextBounds + 4;

  uint64_t num_missing = 0;  // Rows.
  // False: every row is missing or NaN.
  bool has_bounds = false;
  uint64_t least = 0;
  uint64_t greatest = 0;
  TextPrefix least_text = {};
  TextPrefix greatest_text = {};

  bool operator==(const ColumnStatistics&) const = default;

  void AppendTo(Type type, std::vector<std::byte>* out) const;
  // Takes the first of *bytes, and its bytes off the front. kCorrupt (F-083).
  static Result<ColumnStatistics> TakeFrom(Type type, uint32_t num_rows,
                                           std::span<const std::byte>* bytes);
  // Those of other rows as well.
  void Add(Type type, const ColumnStatistics& other);
};

// Widens the bounds by `count` numbers of `type`; NaN is left out. They need no alignment.
void WidenBounds(Type type, const std::byte* values, size_t count, ColumnStatistics* statistics);
// Widens them by a string.
void WidenBounds(std::string_view text, ColumnStatistics* statistics);

// Of floats; false of others.
bool IsNan(Type type, uint64_t bits);

// A value's bits as a number that is greater the greater the value is; of floats −0.0 is less than
// +0.0. For 64 bits as above, not NaN.
uint64_t OrderedBits(Type type, uint64_t bits);

}  // namespace dsi::internal
