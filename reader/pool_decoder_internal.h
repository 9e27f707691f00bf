// The values of one column in one stripe: one stream that advances with the batches, or a pool that
// is put together from its tiers (spec D-014) when it is first needed.
//
// A pool of tiers is kept whole for the stripe; entries of tiers that the plan left out are not
// there, and no window that is read reaches them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsi/reader/column_decoder_internal.h"
#include "dsi/reader/page_plan_internal.h"
#include "dsi/reader/scan_window_internal.h"

namespace dsi::internal {

class PoolDecoder {
 public:
  explicit PoolDecoder(MemoryBudget* budget) : budget_(budget), pool_(budget) {}

  // `shape` knows the chains; it is asked when values are required. Other arguments as those of
  // StreamWindow::Start.
  Status Start(const StripeContext* context, const ColumnPlan& column, const Conversion* convert,
               StreamWindow* dictionary, const ShapeDecoder* shape, bool keep_all);

  // As those of StreamWindow.
  Status Require(uint64_t first, uint64_t end);
  const std::byte* At(uint64_t i) const {
    return tiered_ ? pool_.data() + i * width_ : windows_[0]->At(i);
  }
  uint64_t num_readable(uint64_t i) const {
    return tiered_ ? num_values_ - i : windows_[0]->num_readable(i);
  }
  uint64_t num_values() const { return num_values_; }
  uint64_t FirstUnfit(uint64_t first, uint64_t end) const;
  bool any_unfit() const { return tiered_ ? !unfit_.empty() : windows_[0]->any_unfit(); }
  std::string Describe() const { return windows_[0]->Describe(); }

 private:
  Status Assemble();

  MemoryBudget* budget_;
  std::vector<std::unique_ptr<StreamWindow>> windows_;  // Per tier; grows to the most ever needed.
  ScanBuffer pool_;
  const ShapeDecoder* shape_ = nullptr;
  bool tiered_ = false;
  bool assembled_ = false;
  uint32_t num_tiers_ = 0;       // In the file …
  uint32_t read_tiers_ = 0;      // … and in the plan.
  size_t width_ = 8;             // Of a value in the pool.
  uint64_t num_values_ = 0;      // Of the pool.
  std::vector<uint64_t> unfit_;  // Positions in the pool, ascending.
};

}  // namespace dsi::internal
