#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/reader/open/look_ahead_internal.h"
#include "dsi/reader/open/range_memory_internal.h"
#include "dsi/reader/verify/verify_internal.h"
#include "dsi/reader/verify/verify_statistics_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxFindings = 4096;

// F-070: what the columns say about all stripes.
void CheckTotals(const VerifiedDirectory& directory, const CountedVector<VerifiedTotals>& totals,
                 DamageLog* log) {
  for (const OpenColumn& c : directory.columns) {
    if (c.name.empty() || !totals[c.ordinal].complete) continue;
    const VerifiedTotals& found = totals[c.ordinal];
    if (found.num_values != c.record.num_values) {
      log->Add(Corrupt("{} values in all stripes, the column states {} (F-070)", found.num_values,
                       c.record.num_values),
               fmt::format("column {}", c.name));
    }
    // Without all columns it is not known whose a dictionary is.
    if (directory.complete && found.all_placed && found.stored_bytes != c.record.stored_bytes) {
      log->Add(Corrupt("{} bytes in all stripes, the column states {} (F-070)", found.stored_bytes,
                       c.record.stored_bytes),
               fmt::format("column {}", c.name));
    }
  }
}

}  // namespace

void DamageLog::Add(Status status, std::string where) {
  if (findings_.size() > kMaxFindings) return;
  if (findings_.size() == kMaxFindings) {
    status = Corrupt("more than {} findings; the rest is not listed", kMaxFindings);
    where = "file";
  }
  findings_.push_back({std::move(status), std::move(where)});
}

namespace {

// F-081, S-014.
void VerifyPrecisions(const OpenFile& file, const VerifiedDirectory& directory, DamageLog* log) {
  const auto precisions = LoadPrecisions(file);
  if (!precisions.ok()) return log->Add(precisions.status(), "section of precisions");
  for (const PrecisionRecord& record : *precisions) {
    // A column that could not be read has been reported already.
    const OpenColumn& column = directory.columns[record.column];
    if (column.name.empty()) continue;
    if (auto found = PrecisionOf(*precisions, column); !found.ok())
      log->Add(found.status(), "section of precisions");
  }
}

// Pages are read once to walk through them, and again for what only several streams tell: where a
// read takes long all of a stripe stays in memory, if there is room.
Status HoldStripe(const OpenFile& file, size_t stripe, MemoryBudget* budget) {
  const StripeRef& ref = file.core().stripes[stripe];
  if (!TakesLong(file.file().costs())) return Status::Ok();
  // Memory is taken in blocks of powers of two.
  if (std::bit_ceil(ref.data_size) > budget->left() / 2) return Status::Ok();
  const auto memory = std::make_shared<RangeMemory>(budget);
  DSI_RETURN_IF_ERROR(memory->Reserve(ref.data_size));
  DSI_RETURN_IF_ERROR(file.file().ReadAt(ref.data_offset, {memory->bytes(), ref.data_size}));
  HeldBytes held;
  held.Add(ref.data_offset, ref.data_size, {memory, memory->bytes()});
  file.ahead()->Hold(std::move(held));
  return Status::Ok();
}

}  // namespace

Result<std::vector<Damage>> VerifyFile(const OpenFile& file, const VerifyOptions& options) {
  const Status cancelled(StatusCode::kCancelled, "verification was cancelled by its callback");
  DamageLog log;
  VerifyMeter meter(options.progress, file.file().size());
  MemoryBudget budget{.limit = options.memory_bytes};
  // Header, trailer, core footer and the extents of everything but pages were proven when opening.
  file.VerifyMetadata(&budget, [&log](Status status, std::string where) {
    log.Add(std::move(status), std::move(where));
  });
  if (auto metadata = LoadUserMetadata(file, &budget); !metadata.ok()) {
    if (metadata.status().code() == StatusCode::kResourceExhausted) return metadata.status();
    log.Add(metadata.status(), "section of user metadata");
  }
  uint64_t page_bytes = 0;
  for (const StripeRef& s : file.core().stripes) page_bytes += s.data_size;
  if (!meter.Advance(file.file().size() - page_bytes)) return cancelled;

  DSI_RETURN_IF_ERROR(VerifyGrowth(file, &budget, &log));
  const VerifiedDirectory directory = VerifyDirectory(file, &budget, &log);
  VerifyPrecisions(file, directory, &log);
  CountedVector<VerifiedTotals> totals(directory.columns.size(), &budget);
  LookAhead ahead(&file.file(), {}, &budget);
  const OpenFile held = file.Through(&ahead);
  StatisticsVerifier statistics(held, directory, &budget, &log);
  for (size_t i = 0; i < file.core().stripes.size(); ++i) {
    DSI_RETURN_IF_ERROR(HoldStripe(held, i, &budget));
    DSI_ASSIGN_OR_RETURN(const bool go_on, VerifyStripe(held, directory, i, &budget, &totals,
                                                        &statistics, &meter, &log));
    if (!go_on) return cancelled;
    ahead.Forget();
  }
  statistics.Finish();
  CheckTotals(directory, totals, &log);
  return log.Take();
}

}  // namespace dsi::internal
