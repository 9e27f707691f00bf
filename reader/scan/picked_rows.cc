#include "dsi/reader/scan/picked_rows_internal.h"

#include <algorithm>

namespace dsi::internal {
namespace {

// The index of a window lies in no cache, and its rows in many places.
void PickSlots(std::span<const uint32_t> from, std::span<const uint32_t> rows, uint32_t* to) {
  constexpr size_t kAhead = 16;
  const size_t fetched = rows.size() - std::min(rows.size(), kAhead);
  for (size_t row = 0; row < fetched; ++row) {
    __builtin_prefetch(from.data() + rows[row + kAhead]);
    to[row] = from[rows[row]];
  }
  for (size_t row = fetched; row < rows.size(); ++row) to[row] = from[rows[row]];
}

}  // namespace

PickedRows::PickedRows(const ScanShared* shared) : projection_(*shared->projection) {
  for (size_t i = 0; i < projection_.groups.size(); ++i) groups_.emplace_back(shared->budget);
}

void PickedRows::Pick(const StripeDecoder& decoder, const GatheredRows* gathered,
                      std::span<const uint32_t> groups, std::span<const uint32_t> rows) {
  for (const uint32_t i : groups) {
    const GroupRows& from = gathered != nullptr ? gathered->group(i) : decoder.group(i);
    Group& to = groups_[i];
    to.slots.resize(rows.size());
    PickSlots(from.slots, rows, to.slots.data());
    to.rows = {};
    to.rows.num_rows = static_cast<uint32_t>(rows.size());
    to.rows.num_unique = from.num_unique;
    to.rows.scattered = true;
    to.rows.slots = to.slots;
    if (!projection_.groups[i].want_touched) continue;
    to.touched.resize(rows.size());
    to.inverse.resize(rows.size());
    size_t count = 0;
    if (from.scattered) {
      to.renumber.Reset(from.num_unique);
      count = to.renumber.Renumber(to.slots, to.inverse.data(), to.touched.data());
    } else {
      count = RenumberAscending(to.slots, to.inverse.data(), to.touched.data());
    }
    to.rows.touched = std::span(to.touched).first(count);
    to.rows.inverse = to.inverse;
  }
}

}  // namespace dsi::internal
