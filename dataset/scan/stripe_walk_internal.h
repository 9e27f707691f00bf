// From rows of a dataset to the stripes that they lie in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/order/selected_rows_internal.h"

namespace dsi::internal {

// Rows [first, first + count) of a stripe.
struct RowsOfStripe {
  size_t file = 0;
  size_t stripe = 0;
  uint64_t file_row = 0;    // Of the dataset, where the file begins, …
  uint64_t stripe_row = 0;  // … and where the stripe does.
  uint32_t num_rows = 0;    // Of the stripe.
  uint32_t first = 0;
  uint32_t count = 0;
};

// Those of the first stripe that a span, not empty, has rows of, which are taken off it.
inline RowsOfStripe TakeStripe(const DatasetFiles& dataset, RowSpan* span) {
  const auto behind = [](std::span<const uint64_t> ends, uint64_t row) {
    return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
  };
  const std::span<const uint64_t> file_ends = dataset.file_ends();
  const std::span<const uint64_t> stripe_ends = dataset.stripe_ends();
  RowsOfStripe rows;
  rows.file = behind(file_ends, span->begin);
  rows.file_row = rows.file == 0 ? 0 : file_ends[rows.file - 1];
  const size_t stripe = behind(stripe_ends, span->begin);
  rows.stripe = stripe - behind(stripe_ends, rows.file_row);
  rows.stripe_row = stripe == 0 ? 0 : stripe_ends[stripe - 1];
  rows.num_rows = static_cast<uint32_t>(stripe_ends[stripe] - rows.stripe_row);
  rows.first = static_cast<uint32_t>(span->begin - rows.stripe_row);
  const uint64_t end = std::min(span->end, stripe_ends[stripe]);
  rows.count = static_cast<uint32_t>(end - span->begin);
  span->begin = end;
  return rows;
}

}  // namespace dsi::internal
