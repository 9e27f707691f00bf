// Files that were appended to: what F-033 and F-034 leave to who looks at everything.
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/reader/open/previous_file_internal.h"
#include "dsi/reader/verify/stripe_records_internal.h"
#include "dsi/reader/verify/verify_internal.h"

namespace dsi::internal {
namespace {

// F-002: where pages have no place of their own, they may lie in one another, or in a table.
Status CheckExtents(const OpenFile& file, MemoryBudget* budget) {
  auto loaded = file.LoadExtents();
  if (!loaded.ok() && IsDamage(loaded.status())) return Status::Ok();  // Found with the table.
  DSI_RETURN_IF_ERROR(loaded.status());
  std::vector<Extent> extents = *std::move(loaded);
  MemoryCharge charge(budget);
  for (size_t stripe = 0; stripe < file.core().stripes.size(); ++stripe) {
    const uint32_t num_pages = file.core().stripes[stripe].pages.count;
    DSI_RETURN_IF_ERROR(charge.Add(uint64_t{num_pages} * (sizeof(Extent) + sizeof(PageRecord))));
    const auto pages = file.LoadPages(stripe, 0, num_pages);
    if (!pages.ok() && IsDamage(pages.status())) continue;  // Found with the stripe.
    DSI_RETURN_IF_ERROR(pages.status());
    for (const PageRecord& page : *pages) extents.push_back({page.offset, page.stored_size});
    file.ForgetStripe(stripe);
  }
  return CheckApart(&extents);
}

// F-034: header, trailer and the seal of the core footer. The rest is said of it when it is
// verified itself; it may need what this build does not know.
Status CheckPrevious(const OpenFile& file) {
  const Status status = CheckEnds(FirstPart(&file.file(), file.previous_size()));
  if (status.ok() || status.code() == StatusCode::kUnsupported) return Status::Ok();
  const bool is_damage = status.code() == StatusCode::kCorrupt ||
                         status.code() == StatusCode::kTruncated ||
                         status.code() == StatusCode::kNotDsi;
  if (!is_damage) return status;
  return Corrupt("the first {} bytes are no file: {} (F-034)", file.previous_size(),
                 status.message());
}

}  // namespace

Status VerifyGrowth(const OpenFile& file, MemoryBudget* budget, DamageLog* log) {
  if (!file.may_have_gaps()) return Status::Ok();
  Status status = CheckExtents(file, budget);
  if (!status.ok() && !IsDamage(status)) return status;
  if (!status.ok()) log->Add(std::move(status), "extents");
  if (file.previous_size() == 0) return Status::Ok();
  status = CheckPrevious(file);
  if (!status.ok() && !IsDamage(status)) return status;
  if (!status.ok()) log->Add(std::move(status), "previous file");
  return Status::Ok();
}

}  // namespace dsi::internal
