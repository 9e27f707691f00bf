// One stripe being scanned: its pages, group indexes, shapes and values, advanced together by rows.
//
// Reused from stripe to stripe, so that a scan whose stripes are alike allocates only for the
// first. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsi/reader/column_decoder_internal.h"
#include "dsi/reader/group_index_internal.h"
#include "dsi/reader/scan_projection_internal.h"

namespace dsi::internal {

// What the stripes of a scan share.
struct ScanShared {
  const OpenFile* file = nullptr;
  ReaderOptions reader_options;
  std::shared_ptr<const ScanProjection> projection;
  MemoryBudget budget;
  DecodeScratch scratch;
  ScanBuffer staging{&budget};
  ScanStats stats;
};

// The values of one column for the unique rows of the current rows.
struct ValuesView {
  const std::byte* values = nullptr;  // Of the shape view's first_value.
  uint64_t num_values = 0;            // Readable from there on.
};

class StripeDecoder {
 public:
  explicit StripeDecoder(ScanShared* shared);

  Status Start(size_t stripe);
  // Moves to the next rows of the stripe, after passing over `skip`.
  Status Advance(uint32_t skip, uint32_t num_rows);

  const GroupRows& group(uint32_t i) const { return groups_[i]->rows(); }
  const ShapeView& shape(uint32_t i) const { return shapes_[i]->view(); }
  // The shape with arrays, also where every row is present and of one length.
  Result<ShapeView> ShapeArrays(uint32_t i) { return shapes_[i]->Arrays(); }
  ValuesView values(uint32_t i) const;
  // Error for the first row of the current ones whose entries do not fit the type asked for; ok
  // when all do.
  Status CheckFit(uint32_t values, uint64_t first_row) const;
  const PageReader& pages() const { return pages_; }
  uint64_t bytes_needed() const { return plan_->bytes_needed; }

 private:
  Status StartGroups(uint32_t num_rows);

  ScanShared* shared_;
  std::unique_ptr<StripePlan> plan_;
  PageReader pages_;
  StripeContext context_;
  std::vector<std::unique_ptr<GroupIndexDecoder>> groups_;     // Of the projection.
  std::vector<std::unique_ptr<GroupIndexDecoder>> ancestors_;  // Others that theirs refer to.
  std::vector<GroupIndexDecoder*> plan_groups_;                // By position in the plan.
  std::vector<std::unique_ptr<ShapeDecoder>> shapes_;
  std::vector<std::unique_ptr<StreamWindow>> dictionaries_;
  std::vector<std::unique_ptr<StreamWindow>> values_;
};

}  // namespace dsi::internal
