// The stripes that a scan will come to, for who reads or decodes them before it does.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/scan/projection_internal.h"

namespace dsi::internal {

// Which stripe, of which file, and since when: a dataset may come to one several times. Ascending
// in the order in which they are decoded.
struct VisitKey {
  uint64_t load = 0;    // Of the dataset's scan: the batch at which rows of it are decoded first.
  size_t file = 0;      // Of the dataset.
  size_t stripe = 0;    // Of the file.
  uint32_t member = 0;  // The file, or which of its overlays.

  friend auto operator<=>(const VisitKey&, const VisitKey&) = default;
};

struct StripeVisit {
  VisitKey key;
  std::vector<StripeRows> rows;  // Of the stripe, ascending: what will be wanted.
};

struct ScanShared;

// A stripe of a file that is open, and what is wanted of it.
struct VisitedStripe {
  const OpenFile* file = nullptr;  // Not looked at through a LookAhead.
  const ReaderOptions* options = nullptr;
  std::shared_ptr<const ScanProjection> projection;
  size_t stripe = 0;
  ScanShared* shared = nullptr;            // Of those that decode it; null: nobody does.
  std::shared_ptr<const void> owner = {};  // Of all that is pointed to; null: it stays.
};

class StripeVisits {
 public:
  virtual ~StripeVisits() = default;
  // The next; none at the end. Reads nothing. One thread at a time, as IsTime.
  virtual std::optional<StripeVisit> Next() = 0;
  // False: it is not to be opened yet, if at all. Asked again when other stripes were decoded.
  virtual bool IsTime(const VisitKey& key) = 0;
  // Opens what is to be opened for it; none: it is not worth reading before. Thread-safe.
  virtual Result<std::optional<VisitedStripe>> Open(const VisitKey& key) = 0;
};

}  // namespace dsi::internal
