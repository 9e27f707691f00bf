#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/rewrite/overlay.h"

namespace dsi {
namespace {

using internal::InvalidArgument;

// The nearest row before or at `row`, and the one behind, at which a stripe begins or the rows end.
Status NoEnd(std::span<const StripeInfo> stripes, uint64_t row) {
  const auto after =
      std::upper_bound(stripes.begin(), stripes.end(), row,
                       [](uint64_t at, const StripeInfo& s) { return at < s.first_row; });
  const StripeInfo& stripe = *std::prev(after);
  return InvalidArgument(
      "rows of an overlay are whole stripes of its base: at {} none ends, but at {} and {}", row,
      stripe.first_row, stripe.first_row + stripe.num_rows);
}

}  // namespace

Result<OverlayBinding> BindOverlay(const Reader& base, std::span<const OverlayRows> rows) {
  return internal::NoThrow([&]() -> Result<OverlayBinding> {
    const FileInfo& info = base.info();
    if (info.overlay)
      return InvalidArgument("the base is an overlay itself; name the file that it is of");
    if (info.num_rows == 0) return InvalidArgument("the base has no rows");
    OverlayBinding binding{.base_fingerprint = info.rows_fingerprint, .base_rows = info.num_rows};
    const OverlayRows all{0, info.num_rows};
    if (rows.empty()) rows = {&all, 1};
    const std::span<const StripeInfo> stripes = base.stripes();
    uint64_t end = 0;
    for (OverlayRows asked : rows) {
      if (asked.end == UINT64_MAX) asked.end = info.num_rows;
      const bool is_first = binding.rows.empty();
      if (asked.begin >= asked.end || asked.end > info.num_rows || (!is_first && asked.begin < end))
        return InvalidArgument("rows {} to {} of a base of {} rows: ranges are ascending and apart",
                               asked.begin, asked.end, info.num_rows);
      uint64_t row = 0;
      for (const StripeInfo& stripe : stripes) {
        row = stripe.first_row + stripe.num_rows;
        if (row <= asked.begin) continue;
        if (stripe.first_row < asked.begin) return NoEnd(stripes, asked.begin);
        if (row > asked.end) return NoEnd(stripes, asked.end);
        binding.stripe_rows.push_back(static_cast<uint32_t>(stripe.num_rows));
        if (row == asked.end) break;
      }
      if (!is_first && asked.begin == end) {
        binding.rows.back().end = asked.end;
      } else {
        binding.rows.push_back(asked);
      }
      end = asked.end;
    }
    return binding;
  });
}

}  // namespace dsi
