// The order in which a scan comes to the ranges of a plan.
#include <algorithm>
#include <vector>

#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {
namespace {

// Shares of a stripe's rows, in so many parts.
constexpr uint64_t kParts = 1 << 20;
constexpr uint64_t kNever = UINT64_MAX;

class Needs {
 public:
  Needs(const StripePlan& plan, const StripeRows& rows)
      : plan_(plan),
        begin_(kParts * rows.begin / std::max(rows.num_rows, 1U)),
        end_(kParts * rows.end / std::max(rows.num_rows, 1U)) {
    when_.assign(plan.ranges.size(), kNever);
    VisitNeeds(plan, [&](const PlannedStream& stream, bool all) { Add(stream, all); });
    // What only others look up in is decoded whole before them.
    for (const PlannedStream& stream : plan.streams) {
      if (stream.lends) Add(stream, true);
    }
  }

  const std::vector<uint64_t>& when() const { return when_; }

 private:
  void Add(const PlannedStream& stream, bool all) {
    const uint64_t n = stream.record.num_pages;
    for (uint64_t k = 0; k < n; ++k) {
      // Rows have more values or fewer than others have: a page more.
      if (!all && kParts * (k + 2) / n < begin_) continue;
      if (!all && k > 1 && kParts * (k - 1) / n > end_) continue;
      uint64_t& when = when_[plan_.pages[stream.first_planned_page + k].range];
      when = std::min(when, all ? 0 : kParts * k / n);
    }
  }

  const StripePlan& plan_;
  uint64_t begin_;
  uint64_t end_;
  std::vector<uint64_t> when_;
};

}  // namespace

std::vector<uint32_t> RangesByNeed(const StripePlan& plan, const StripeRows& rows) {
  const Needs needs(plan, rows);
  std::vector<uint32_t> order;
  for (uint32_t range = 0; range < plan.ranges.size(); ++range) {
    if (needs.when()[range] != kNever) order.push_back(range);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return needs.when()[a] < needs.when()[b]; });
  return order;
}

}  // namespace dsi::internal
