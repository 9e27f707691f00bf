// Which ranges of a plan some rows of the stripe need, so that they are read in one step.
#include <algorithm>
#include <vector>

#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {
namespace {

// Of a budget, for pages that were not asked for yet.
constexpr uint64_t kShareOfBudget = 4;

class PageNotes {
 public:
  PageNotes(const StripePlan& plan, const StripeRows& rows) : plan_(plan), rows_(rows) {
    is_needed_.resize(plan.ranges.size());
  }

  // Positions in plan.ranges, ascending.
  const std::vector<bool>& Ranges(uint64_t room) {
    // Few bytes are worth less than another step.
    if (plan_.bytes <= room) {
      is_needed_.assign(is_needed_.size(), true);
      return is_needed_;
    }
    VisitNeeds(plan_, [&](const PlannedStream& stream, bool all) { Add(stream, all); });
    return is_needed_;
  }

 private:
  void Add(const PlannedStream& stream, bool all) {
    const uint32_t n = stream.record.num_pages;
    if (n == 0) return;
    uint32_t first = 0;
    uint32_t end = n;
    if (!all) {
      // Rows have more values or fewer than others have: a page more at both ends.
      first = static_cast<uint32_t>(uint64_t{rows_.begin} * n / rows_.num_rows);
      first -= std::min(first, 1U);
      end = static_cast<uint32_t>(uint64_t{rows_.end} * n / rows_.num_rows);
      end = std::min(n, end + 2);
    }
    for (uint32_t k = first; k < end; ++k)
      is_needed_[plan_.pages[stream.first_planned_page + k].range] = true;
  }

  const StripePlan& plan_;
  const StripeRows& rows_;
  std::vector<bool> is_needed_;
};

}  // namespace

void NotePages(const StripePlan& plan, const StripeRows& rows, const MemoryBudget* budget,
               LookAhead* ahead) {
  if (!ahead->pays()) return;
  uint64_t room = budget->left() / kShareOfBudget;
  const std::vector<bool> is_needed =
      PageNotes(plan, rows).Ranges(std::min(room, ahead->few_bytes()));
  for (size_t i = 0; i < plan.ranges.size(); ++i) {
    const PlannedRange& range = plan.ranges[i];
    if (!is_needed[i] || range.size > room) continue;
    ahead->Note(range.offset, range.size);
    room -= range.size;
  }
}

}  // namespace dsi::internal
