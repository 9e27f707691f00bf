#include "dsi/reader/scan/picked_rows_internal.h"

#include <algorithm>
#include <cstring>

namespace dsi::internal {
namespace {

constexpr size_t kPrefetchAhead = 16;
// Of fewer rows in a run rows are picked one by one.
constexpr size_t kFewestOfRun = 3;

void CopyRun(const uint32_t* from, size_t count, uint32_t* to) {
  constexpr size_t kAtATime = 8;
  size_t i = 0;
  for (; i + kAtATime <= count; i += kAtATime)
    std::memcpy(to + i, from + i, kAtATime * sizeof(uint32_t));
  for (; i < count; ++i) to[i] = from[i];
}

}  // namespace

PickedRows::PickedRows(const ScanShared* shared)
    : projection_(*shared->projection), runs_(shared->budget) {
  for (size_t i = 0; i < projection_.groups.size(); ++i) groups_.emplace_back(shared->budget);
}

// Rows of a session mostly come together; none where most do not.
void PickedRows::FindRuns(std::span<const uint32_t> rows) {
  runs_.clear();
  size_t num_runs = rows.empty() ? 0 : 1;
  for (size_t row = 1; row < rows.size(); ++row) num_runs += rows[row] != rows[row - 1] + 1 ? 1 : 0;
  if (kFewestOfRun * num_runs > rows.size()) return;
  for (size_t row = 0; row < rows.size(); row += runs_.back().count) {
    uint32_t count = 1;
    while (row + count < rows.size() && rows[row + count] == rows[row] + count) ++count;
    runs_.push_back({rows[row], count});
  }
}

void PickedRows::PickSlots(std::span<const uint32_t> from, std::span<const uint32_t> rows,
                           uint32_t* to) const {
  if (runs_.empty()) {
    const size_t fetched = rows.size() - std::min(rows.size(), kPrefetchAhead);
    for (size_t row = 0; row < fetched; ++row) {
      __builtin_prefetch(from.data() + rows[row + kPrefetchAhead]);
      to[row] = from[rows[row]];
    }
    for (size_t row = fetched; row < rows.size(); ++row) to[row] = from[rows[row]];
    return;
  }
  // In a window each run is in a cache line of its own, that of no cache.
  for (size_t k = 0; k < runs_.size(); ++k) {
    if (k + kPrefetchAhead < runs_.size())
      __builtin_prefetch(from.data() + runs_[k + kPrefetchAhead].first);
    CopyRun(from.data() + runs_[k].first, runs_[k].count, to);
    to += runs_[k].count;
  }
}

void PickedRows::Pick(const StripeDecoder& decoder, const GatheredRows* gathered,
                      std::span<const uint32_t> groups, std::span<const uint32_t> rows) {
  FindRuns(rows);
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
