// One stored file as a scan sees it, a file of the dataset or an overlay of one: what is read of
// it, and which of its stripes has which rows.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

// Features of one stored file, in layouts, each of which is one output of its projection.
struct MemberRequest {
  ScanOptions options;  // Features by their names there.
  // The last so many features are no outputs of the scan.
  size_t num_hidden = 0;

  // Position of a column as unique rows, of which name and dtype say what; it is added, hidden,
  // where it is not there.
  uint32_t AddUnique(Projection asked);
};

// Where a column is: one of the files that have the rows, and a position in its request.
struct MemberPlace {
  uint32_t member = 0;
  uint32_t at = kNone32;  // kNone32: nowhere.
};

class ScanMember {
 public:
  // Budget and workers outlive it. `stripes`: of an overlay, the stripe of the base that each of
  // its own has the rows of, which must outlive it; empty: of no overlay.
  static std::unique_ptr<ScanMember> Make(std::shared_ptr<const Reader> reader,
                                          std::span<const uint32_t> stripes, ScanWorkers* workers,
                                          MemoryBudget* budget);
  // Once. Errors: those of NewScan.
  Status Resolve(const MemberRequest& request);

  // What it is asked for of a filter. Errors: those of FilterSource::Make.
  Status ResolveFilter(const RowFilter& filter);

  ScanShared* shared() { return &shared_; }
  const OpenFile& file() const { return file_; }
  const std::string& name() const { return file_.file().name(); }
  const ScanProjection& projection() const { return *shared_.projection; }
  // Before it is scanned.
  ScanProjection* mutable_projection() { return resolved_.get(); }
  const FilterSource* filter() const { return filter_ ? &*filter_ : nullptr; }
  // The stripe that has the rows of a stripe of the base.
  size_t StripeOf(size_t base_stripe) const;

 private:
  ScanMember(std::shared_ptr<const Reader> reader, std::span<const uint32_t> stripes,
             ScanWorkers* workers, MemoryBudget* budget);

  std::shared_ptr<const Reader> reader_;
  LookAhead ahead_;
  OpenFile file_;  // Through ahead_.
  ScanShared shared_;
  std::shared_ptr<ScanProjection> resolved_;  // The same as shared_ has.
  std::optional<FilterSource> filter_;
  MemoryCharge records_;  // For the projection.
  std::span<const uint32_t> stripes_;
};

}  // namespace dsi::internal
