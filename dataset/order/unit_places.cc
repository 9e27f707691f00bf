#include "dsi/dataset/order/unit_places_internal.h"

#include <algorithm>

namespace dsi::internal {
namespace {

// Selected rows up to the end of each unit that has some.
std::vector<uint64_t> EndsOfSelected(std::span<const uint64_t> unit_ends,
                                     const SelectedRows& rows) {
  std::vector<uint64_t> ends;
  auto unit = unit_ends.begin();
  for (const RowSpan& span : rows.spans()) {
    // The first unit that ends behind the beginning of the span, and all up to its end.
    unit = std::upper_bound(unit, unit_ends.end(), span.begin);
    for (; unit != unit_ends.end(); ++unit) {
      const uint64_t end = rows.CountBefore(*unit);
      const uint64_t begin = ends.empty() ? 0 : ends.back();
      if (end > begin) ends.push_back(end);
      if (*unit >= span.end) break;
    }
  }
  return ends;
}

// All rows of all units, none of which is empty.
bool AreAllSelected(std::span<const uint64_t> unit_ends, const SelectedRows& rows) {
  return !unit_ends.empty() && unit_ends.front() > 0 && rows.size() == unit_ends.back() &&
         std::ranges::adjacent_find(unit_ends) == unit_ends.end();
}

}  // namespace

void UnitPlaces::List(const SelectedRows& rows) const {
  if (AreAllSelected(unit_ends_, rows)) {
    ends_ = unit_ends_;
  } else {
    own_ends_ = EndsOfSelected(unit_ends_, rows);
    ends_ = own_ends_;
  }
  order_ = KeyedBijection(OrderKey(OrderPurpose::kUnits, options_, snapshot_, 0), ends_.size());
  slot_ends_.resize(ends_.size());
  uint64_t position = 0;
  for (size_t slot = 0; slot < slot_ends_.size(); ++slot) {
    const uint64_t unit = order_.At(slot);
    position += ends_[unit] - (unit == 0 ? 0 : ends_[unit - 1]);
    slot_ends_[slot] = position;
  }
}

void UnitPlaces::Find(const SelectedRows& rows, uint64_t begin, uint64_t end,
                      std::vector<RowSpan>* out) const {
  std::call_once(listed_, [&] { List(rows); });
  auto slot = static_cast<size_t>(std::upper_bound(slot_ends_.begin(), slot_ends_.end(), begin) -
                                  slot_ends_.begin());
  for (; begin < end; ++slot) {
    const uint64_t unit = order_.At(slot);
    const uint64_t slot_begin = slot == 0 ? 0 : slot_ends_[slot - 1];
    const uint64_t unit_begin = unit == 0 ? 0 : ends_[unit - 1];
    const uint64_t stop = std::min(end, slot_ends_[slot]);
    rows.Append(unit_begin + (begin - slot_begin), unit_begin + (stop - slot_begin), out);
    begin = stop;
  }
}

}  // namespace dsi::internal
