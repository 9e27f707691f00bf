#include "dsi/rewrite/base_rows_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/open.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/rewrite/overlay.h"

namespace dsi::internal {
namespace {

Result<std::unique_ptr<Reader>> OpenBase(const std::string& path) {
  DSI_ASSIGN_OR_RETURN(auto file, OpenUri(path));
  return Reader::Open(std::move(file));
}

}  // namespace

Result<OverlayTarget> MakeTarget(const std::string& base, std::span<const OverlayRows> rows) {
  DSI_ASSIGN_OR_RETURN(const auto reader, OpenBase(base));
  auto binding = BindOverlay(*reader, rows);
  if (!binding.ok()) return binding.status().At(base);
  OverlayTarget target{.base = base, .path = {}, .binding = *std::move(binding)};
  for (const StripeInfo& stripe : reader->stripes()) {
    for (const OverlayRows& range : target.binding.rows) {
      if (stripe.first_row < range.begin || stripe.first_row >= range.end) continue;
      target.num_rows += stripe.num_rows;
      target.num_deleted += stripe.num_deleted_rows;
    }
  }
  return target;
}

Result<std::unique_ptr<Reader>> OpenBaseOf(const OverlayTarget& target) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<Reader> base, OpenBase(target.base));
  if (base->info().rows_fingerprint == target.binding.base_fingerprint) return base;
  return Error(StatusCode::kBadInput, "{}: the file changed while its overlay was written",
               target.base);
}

Result<std::vector<uint64_t>> PlacesInOrder(const OverlayTarget& target) {
  DSI_ASSIGN_OR_RETURN(const auto base, OpenBaseOf(target));
  const OpenFile& file = ReaderAccess::File(*base);
  std::vector<uint64_t> places;
  uint64_t place = target.first;
  size_t range = 0;
  for (size_t i = 0; i < file.core().stripes.size() && range < target.binding.rows.size(); ++i) {
    const StripeRef& stripe = file.core().stripes[i];
    if (stripe.first_row < target.binding.rows[range].begin) continue;
    DSI_ASSIGN_OR_RETURN(const auto deleted, file.LoadDeleted(i, nullptr));
    for (uint32_t row = 0; row < stripe.num_rows; ++row, ++place) {
      if (deleted.empty() || deleted[row] == 0) places.push_back(place);
    }
    if (stripe.first_row + stripe.num_rows == target.binding.rows[range].end) ++range;
  }
  return places;
}

std::vector<uint64_t> KeyedPlaces::All() const {
  std::vector<uint64_t> all;
  for (const uint64_t row : of_row) {
    for (uint64_t place = row; place != kNoRow; place = After(place)) all.push_back(place);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace dsi::internal
