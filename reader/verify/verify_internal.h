// Reader::Verify in parts: the directory, then stripe by stripe, page by page.
//
// Memory: the directory's records, one stripe's stream and page records, one read of a few MiB, one
// decoded page, and one index or the windows of one feature in one stripe, all charged to one
// budget; nothing grows with the number of stripes. What has no memory left is kResourceExhausted,
// thrown as OverBudget where no Status is returned.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/verify_options.h"

namespace dsi::internal {

// Collects findings up to a bound: a file that is damaged everywhere must not fill the memory.
class DamageLog {
 public:
  void Add(Status status, std::string where);
  size_t size() const { return findings_.size(); }
  std::vector<Damage> Take() { return std::move(findings_); }

 private:
  std::vector<Damage> findings_;
};

// Counts bytes and asks the caller whether to go on.
class VerifyMeter {
 public:
  VerifyMeter(const std::function<bool(const VerifyProgress&)>& callback, uint64_t total)
      : callback_(callback), progress_{0, total} {}
  // False: the caller cancelled.
  bool Advance(uint64_t bytes) {
    progress_.bytes_done += bytes;
    return !callback_ || callback_(progress_);
  }

 private:
  const std::function<bool(const VerifyProgress&)>& callback_;
  VerifyProgress progress_;
};

// What a slot of every stripe is for; the directory says it.
struct SlotUse {
  uint32_t slot = kNone32;
  StreamRole role = StreamRole::kValues;
  uint32_t owner = 0;  // Column ordinal (shape and windows: the leader), dedup group or id space.
};

// The directory as far as it is sound.
struct VerifiedDirectory {
  explicit VerifiedDirectory(MemoryBudget* budget)
      : columns(budget),
        slots(budget),
        id_space_widths(budget),
        first_columns(budget),
        group_parents(budget) {}

  CountedVector<OpenColumn> columns;  // By ordinal; those with `name` empty are damaged.
  CountedVector<SlotUse> slots;       // By slot; each slot once.
  CountedVector<uint32_t> id_space_widths;
  CountedVector<uint32_t> first_columns;  // Per id space: the first that uses it, kNone32 if none.
  CountedVector<uint32_t> group_parents;  // F-073.
  bool complete = true;  // False: some column's record is damaged, so slots are missing.
};

// F-033, F-034: pages, tables and sections do not overlap; the file before is one. Errors other
// than damage.
Status VerifyGrowth(const OpenFile& file, MemoryBudget* budget, DamageLog* log);

// F-070 … F-079, S-010 … S-013 over all records.
VerifiedDirectory VerifyDirectory(const OpenFile& file, MemoryBudget* budget, DamageLog* log);

// Totals of a column over the stripes, compared with its record at the end (F-070).
struct VerifiedTotals {
  uint64_t num_values = 0;
  uint64_t stored_bytes = 0;
  bool complete = true;    // False: a damaged stripe hides some.
  bool all_placed = true;  // False: of a stream of an unknown form nobody knows the bytes.
};

class StatisticsVerifier;

// F-060 … F-064, F-082, D-001 … D-005, D-010 … D-013, and every node of every page of one stripe.
// False: cancelled. kIo and the like end the verification.
Result<bool> VerifyStripe(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                          MemoryBudget* budget, CountedVector<VerifiedTotals>* totals,
                          StatisticsVerifier* statistics, VerifyMeter* meter, DamageLog* log);

// D-002, D-005, D-013, D-014 of one stripe without other damage. Errors other than damage end the
// verification.
Status VerifyPlaces(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                    MemoryBudget* budget, DamageLog* log);

Result<std::vector<Damage>> VerifyFile(const OpenFile& file, const VerifyOptions& options);

}  // namespace dsi::internal
