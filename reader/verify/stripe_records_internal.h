// The records of one stripe that Verify has found sound by themselves, and what each is for.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/reader/verify/verify_internal.h"
#include "dsi/reader/verify/verify_stream_internal.h"

namespace dsi::internal {

// Damage is reported and left behind; a failing disk or a lack of memory ends the verification.
inline bool IsDamage(const Status& status) {
  return status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported;
}

// A stream in the making. `record` is usable when `present`.
struct VerifiedStream {
  SlotUse use;
  StreamRecord record;
  bool present = false;
  bool failed = false;   // Reported, or hidden by damage that was.
  bool unknown = false;  // Failed by a form or an encoding that this build does not know, and not
                         // by damage.
  uint64_t bytes = 0;    // Of its nodes; those of an alias are another's.
  StreamChecker checker;
  bool lends = false;  // It is the source of another stream (F-066), whose kind and type are known.
};

class StripeRecords {
 public:
  StripeRecords(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                MemoryBudget* budget, DamageLog* log)
      : file_(file),
        directory_(directory),
        stripe_(stripe),
        log_(*log),
        groups_(budget),
        streams_(budget),
        all_placed_(directory.complete) {}

  // Reads them all and reports those that are damaged. Errors other than damage.
  Status Load();

  // The same damaged block of a table answers for each of its records: one finding is enough.
  void Report(Status status, std::string where);
  bool is_damaged() const { return is_damaged_; }
  std::string Where(const SlotUse& use) const;

  const StripeGroupRecord& group(uint32_t g) const { return groups_[g]; }
  CountedVector<VerifiedStream>& streams() { return streams_; }
  const CountedVector<VerifiedStream>& streams() const { return streams_; }
  // False: some stream's record is damaged or of an unknown form, and its node looks like bytes of
  // no stream.
  bool all_placed() const { return all_placed_; }

  // Null: its record is damaged, or there is none.
  const VerifiedStream* Find(uint32_t slot) const;
  // Null for index and dictionary streams.
  const ColumnRecord* ColumnOf(const SlotUse& use) const;
  // S-010, S-011: what its values must be is not known; its place and its seals are.
  bool IsOpaque(const SlotUse& use) const;
  bool HasWindows(const OpenColumn& column) const;
  // Values of all tiers.
  uint64_t PoolValues(const OpenColumn& column) const;
  // Of an index: unique rows of the group's parent.
  uint32_t ParentUnique(const SlotUse& use) const;
  // What records alone must say, before any page is read.
  Status CheckRecord(const VerifiedStream& stream) const;

 private:
  Status LoadGroups();
  Status LoadStreams();
  Status CheckUnused();
  Status CheckColumnRecord(const VerifiedStream& stream) const;
  Status CheckOpaqueRecord(const VerifiedStream& stream) const;
  Status CheckParents(uint32_t group) const;
  uint32_t Topmost(uint32_t group) const;
  Status CheckSourceOf(const VerifiedStream& stream) const;

  const OpenFile& file_;
  const VerifiedDirectory& directory_;
  size_t stripe_;
  DamageLog& log_;
  CountedVector<StripeGroupRecord> groups_;
  CountedVector<VerifiedStream> streams_;  // By slot.
  bool all_placed_;
  std::string last_message_;
  bool is_damaged_ = false;
};

}  // namespace dsi::internal
