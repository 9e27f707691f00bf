// The stripes that a scan of a dataset will come to: all that Window decodes, in the order of its
// loads.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dsi/dataset/order/batch_share_internal.h"
#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/scan/scan_files_internal.h"
#include "dsi/reader/scan/stripe_visits_internal.h"

namespace dsi::internal {

class DatasetVisits final : public StripeVisits {
 public:
  enum class What : uint8_t {
    kBatches,
    kFiltered,  // The same, where a filter looks at numbers.
    kFilter,    // What it looks at.
  };
  // All of these outlive it.
  DatasetVisits(What what, ScanFiles* files, const DatasetOrder* order, const BatchShare* share)
      : what_(what), files_(files), order_(order), share_(share) {}

  std::optional<StripeVisit> Next() override;
  bool IsTime(const VisitKey& key) override;
  Result<std::optional<VisitedStripe>> Open(const VisitKey& key) override;

 private:
  struct Pending {
    StripeVisit visit;
    uint32_t num_members = 1;
    uint64_t last_load = 0;  // That has rows of it.
    bool may_go_on = true;   // The next load may have more.
  };

  void AddLoad();
  void AddRows(uint64_t load, RowSpan span);

  const What what_;
  ScanFiles* files_;
  const DatasetOrder* order_;
  const BatchShare* share_;
  uint64_t next_batch_ = 0;      // Of the share: the first of the next load.
  uint64_t num_loads_ = 0;       // Before that.
  std::deque<Pending> pending_;  // Ascending.
  uint32_t num_taken_ = 0;       // Members of the first that were handed out.
  std::vector<RowSpan> spans_;
};

}  // namespace dsi::internal
