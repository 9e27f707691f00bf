#include "dsi/reader/scan/row_range_internal.h"

#include <algorithm>
#include <vector>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

Result<RowRange> FindRange(const OpenFile& file, const ScanOptions& options) {
  RowRange range{.begin = options.row_begin,
                 .end = std::min(options.row_end, file.core().num_rows)};
  if (range.begin > range.end) {
    return InvalidArgument("rows {} to {} asked for, the file has {}", options.row_begin,
                           options.row_end, file.core().num_rows);
  }
  const std::vector<StripeRef>& stripes = file.core().stripes;
  const auto ends_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row + stripe.num_rows <= row;
  };
  const auto starts_before = [](const StripeRef& stripe, uint64_t row) {
    return stripe.first_row < row;
  };
  const auto first = std::lower_bound(stripes.begin(), stripes.end(), range.begin, ends_before);
  const auto end = std::lower_bound(first, stripes.end(), range.end, starts_before);
  range.first_stripe = static_cast<size_t>(first - stripes.begin());
  range.end_stripe = static_cast<size_t>(end - stripes.begin());
  return range;
}

}  // namespace dsi::internal
