// The stripes of one file, one after the other.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/reader/scan/passing_guess_internal.h"
#include "dsi/reader/scan/row_picker_internal.h"
#include "dsi/reader/scan/row_range_internal.h"
#include "dsi/reader/scan/stripe_visits_internal.h"

namespace dsi::internal {

class FileVisits final : public StripeVisits {
 public:
  // Those that have rows of the range, but for stripes that `picker` passes over (null: none), as
  // long as `guess` (null: always) says that the next may have some that pass. What these point to
  // outlives it.
  FileVisits(VisitedStripe of, const RowRange& range, const RowPicker* picker,
             const PassingGuess* guess)
      : of_(std::move(of)),
        range_(range),
        picker_(picker),
        guess_(guess),
        next_(range.first_stripe) {}

  std::optional<StripeVisit> Next() override {
    while (next_ < range_.end_stripe && picker_ != nullptr && picker_->PassesOver(next_)) ++next_;
    if (next_ >= range_.end_stripe) return std::nullopt;
    const StripeRef& stripe = of_.file->core().stripes[next_];
    const uint64_t begin = std::max(range_.begin, stripe.first_row) - stripe.first_row;
    const uint64_t end = std::min<uint64_t>(range_.end - stripe.first_row, stripe.num_rows);
    const StripeRows rows{static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                          stripe.num_rows};
    return StripeVisit{.key = {.stripe = next_++}, .rows = {rows}};
  }

  bool IsTime(const VisitKey&) override { return guess_ == nullptr || guess_->next_may_have(); }

  Result<std::optional<VisitedStripe>> Open(const VisitKey& key) override {
    std::optional<VisitedStripe> opened = of_;
    opened->stripe = key.stripe;
    return opened;
  }

 private:
  const VisitedStripe of_;
  const RowRange range_;
  const RowPicker* picker_;
  const PassingGuess* guess_;
  size_t next_;
};

}  // namespace dsi::internal
