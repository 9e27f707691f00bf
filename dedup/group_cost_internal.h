// What an inverse index costs and when a group pays: estimates in bits, for choosing only.
#pragma once

#include <algorithm>

#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {

// Run lengths or new-row bits, whichever is smaller: one bit a row, or per run the bits of the
// mean run length with room for the spread.
inline double RunIndexBits(double num_rows, double num_unique) {
  return std::min(num_rows, num_unique * (Log2(num_rows / num_unique) + 2));
}

// Unique row numbers, per row or per run of equal ones. Popular entities and first uses make the
// numbers compressible, hence the discount.
inline double GeneralIndexBits(double num_rows, double num_unique, double num_runs) {
  constexpr double kEntropyDiscount = 0.9;
  if (num_unique <= 1) return 0;
  const double per_number = Log2(num_unique);
  const double by_row = num_rows * per_number;
  const double by_run = num_runs * (per_number + Log2(num_rows / num_runs) + 2);
  return kEntropyDiscount * std::min(by_row, by_run);
}

// Steps of versions (spec D-005), of which so many are changes: the entropy of a bit per row.
inline double StepBits(double num_rows, double num_changes) {
  const double share = std::clamp(num_changes / num_rows, 0.001, 0.999);
  return -num_rows * (share * Log2(share) + (1 - share) * Log2(1 - share));
}

// Features that are smaller than this over a whole stripe are not worth a look: the records of a
// group cost about as much.
inline constexpr double kMinFeatureBits = 1024;

// A group must repay the records and the decoding of its index: 1 KiB at least, and 2 % of what its
// features cost as rows unless it saves 16 KiB.
inline bool WorthKeeping(double saved_bits, double bits_as_rows) {
  constexpr double kMinSavedBits = 8.0 * (1 << 10);
  constexpr double kCertainBits = 8.0 * (16 << 10);
  return saved_bits >= kMinSavedBits &&
         (saved_bits >= 0.02 * bits_as_rows || saved_bits >= kCertainBits);
}

}  // namespace dsi::internal
