#include "dsi/format/overlay.h"

#include <algorithm>
#include <string_view>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/seal_internal.h"

namespace dsi::internal {

uint64_t RowsFingerprint(const Core& core, uint64_t salt) {
  std::vector<std::byte> content;
  AppendLE<uint64_t>(&content, salt);
  for (const StripeRef& stripe : core.stripes) {
    AppendLE<uint64_t>(&content, stripe.num_rows);
    for (const TableRef* table : {&stripe.groups, &stripe.streams, &stripe.pages})
      AppendLE<uint64_t>(&content, table->seal);
  }
  return NameHash({reinterpret_cast<const char*>(content.data()), content.size()});
}

std::vector<std::byte> EncodeOverlay(const OverlayBinding& binding) {
  std::vector<std::byte> bytes;
  AppendLE<uint64_t>(&bytes, binding.base_fingerprint);
  AppendLE<uint64_t>(&bytes, binding.base_rows);
  for (const OverlayRows& rows : binding.rows) {
    AppendLE<uint64_t>(&bytes, rows.begin);
    AppendLE<uint64_t>(&bytes, rows.end);
  }
  return bytes;
}

// F-087.
Result<OverlayBinding> DecodeOverlay(std::span<const std::byte> bytes, const Core& core) {
  if (bytes.size() < kOverlayHeadSize + kOverlayRowsSize ||
      (bytes.size() - kOverlayHeadSize) % kOverlayRowsSize != 0)
    return Corrupt("overlay: a section of {} bytes (F-087)", bytes.size());
  OverlayBinding binding;
  binding.base_fingerprint = LoadLE<uint64_t>(bytes.data());
  binding.base_rows = LoadLE<uint64_t>(bytes.data() + 8);
  uint64_t num_rows = 0;
  for (size_t at = kOverlayHeadSize; at < bytes.size(); at += kOverlayRowsSize) {
    const OverlayRows rows{LoadLE<uint64_t>(&bytes[at]), LoadLE<uint64_t>(&bytes[at + 8])};
    const bool is_apart = binding.rows.empty() || rows.begin > binding.rows.back().end;
    if (!is_apart || rows.begin >= rows.end || rows.end > binding.base_rows) {
      return Corrupt("overlay: rows {}..{} of a base of {}, behind {} (F-087)", rows.begin,
                     rows.end, binding.base_rows,
                     binding.rows.empty() ? 0 : binding.rows.back().end);
    }
    num_rows += rows.end - rows.begin;  // They are apart: no more than base_rows.
    binding.rows.push_back(rows);
  }
  if (num_rows != core.num_rows)
    return Corrupt("overlay: rows of {} rows, the file has {} (F-087)", num_rows, core.num_rows);
  // No stripe has rows of two ranges.
  size_t range = 0;
  uint64_t left = binding.rows[0].end - binding.rows[0].begin;
  for (const StripeRef& stripe : core.stripes) {
    if (left == 0) {
      ++range;
      left = binding.rows[range].end - binding.rows[range].begin;
    }
    if (stripe.num_rows > left)
      return Corrupt("overlay: a stripe of {} rows at {}, where {} are left of {}..{} (F-087)",
                     stripe.num_rows, stripe.first_row, left, binding.rows[range].begin,
                     binding.rows[range].end);
    left -= stripe.num_rows;
    binding.stripe_rows.push_back(stripe.num_rows);
  }
  return binding;
}

Status CheckBinding(const OverlayBinding& binding) {
  Core core;
  for (const uint32_t num_rows : binding.stripe_rows) {
    if (num_rows == 0 || num_rows > kMaxStripeRows)
      return InvalidArgument("overlay: a stripe of {} rows", num_rows);
    StripeRef& stripe = core.stripes.emplace_back();
    stripe.first_row = core.num_rows;
    stripe.num_rows = num_rows;
    core.num_rows += num_rows;
  }
  const auto sound = DecodeOverlay(EncodeOverlay(binding), core);
  return sound.ok() ? Status::Ok() : InvalidArgument("{}", sound.status().message());
}

// F-088.
Result<std::vector<uint32_t>> StripesOfBase(const OverlayBinding& binding,
                                            std::span<const uint64_t> base_ends) {
  const uint64_t base_rows = base_ends.empty() ? 0 : base_ends.back();
  if (base_rows != binding.base_rows)
    return BadInput("an overlay of a base of {} rows; this one has {} (F-088)", binding.base_rows,
                    base_rows);
  std::vector<uint32_t> stripes;
  size_t next = 0;
  for (const OverlayRows& rows : binding.rows) {
    for (uint64_t row = rows.begin; row < rows.end;) {
      const auto at = static_cast<size_t>(
          std::upper_bound(base_ends.begin(), base_ends.end(), row) - base_ends.begin());
      const uint64_t begin = at == 0 ? 0 : base_ends[at - 1];
      const uint64_t found = next < binding.stripe_rows.size() ? binding.stripe_rows[next++] : 0;
      if (begin != row || base_ends[at] - begin != found) {
        return BadInput(
            "an overlay with a stripe of {} rows at row {} of its base, which has a stripe of {} "
            "there, from {} on (F-088)",
            found, row, base_ends[at] - begin, begin);
      }
      stripes.push_back(static_cast<uint32_t>(at));
      row += found;
    }
  }
  return stripes;
}

}  // namespace dsi::internal
