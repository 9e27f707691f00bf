// Which ranges of a plan some rows of the stripe need, so that they are read in one step.
#include <algorithm>
#include <numeric>
#include <vector>

#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {
namespace {

// Of a budget, for pages that were not asked for yet.
constexpr uint64_t kShareOfBudget = 4;
// What a range may grow by where it is read with its neighbours.
constexpr uint64_t kRangeMargin = 16;

}  // namespace

std::vector<uint32_t> NotePages(const StripePlan& plan, const StripeRows& rows,
                                const MemoryBudget* budget, LookAhead* ahead,
                                FetchedRanges* fetched) {
  std::vector<uint32_t> noted;
  if (!ahead->pays()) return noted;
  uint64_t room = std::min(budget->left() / kShareOfBudget, ahead->Room());
  std::vector<uint32_t> wanted;
  if (plan.bytes <= std::min(room, ahead->few_bytes())) {
    // Few bytes are worth less than another step.
    wanted.resize(plan.ranges.size());
    std::iota(wanted.begin(), wanted.end(), 0U);
  } else {
    wanted = RangesByNeed(plan, rows);
  }
  noted.reserve(wanted.size());
  for (const uint32_t i : wanted) {
    const PlannedRange& range = plan.ranges[i];
    if (range.size + kRangeMargin > room) continue;
    if (fetched != nullptr && !fetched->Claim(i)) continue;
    ahead->Note(range.offset, range.size);
    noted.push_back(i);
    room -= range.size + kRangeMargin;
  }
  return noted;
}

}  // namespace dsi::internal
