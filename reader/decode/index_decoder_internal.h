// Which unique row each row of a stripe is: the inverse index of one dedup group (spec D-001,
// D-002, D-005, D-006).
//
// Decoded once per group and shared by all its columns. Forms 0 … 3 are decoded from the front in
// step with the batches; forms 4 … 6, and groups that those refer to, at once for the whole
// stripe (a few ns a row). Forms 0, 1 and 2 number unique rows in row order, so that a batch
// touches consecutive ones; the others may touch any. Every index is checked before it is handed
// out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dedup/expand_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"
#include "dsi/reader/decode/time_order_internal.h"

namespace dsi::internal {

// The rows of one batch that lie in one stripe, as one group sees them.
struct GroupRows {
  uint32_t num_rows = 0;
  uint32_t first_unique = 0;  // Of those decoded; 0 in forms 3 … 6.
  uint32_t num_unique = 0;  // Forms 0 … 2: [first_unique, first_unique + num_unique) are decoded.
                            // Forms 3 … 6: all of the stripe's.
  bool identity = false;    // slots[i] = i.
  bool scattered = false;  // Not all that are decoded are touched: forms 3 … 6, and any form where
                           // rows were chosen.
  std::span<const uint32_t> slots;  // Per row: its unique row, less first_unique.
  std::span<const uint32_t>
      run_ends;  // Forms 1 and 2 unless scattered: per unique row, the row behind its last.
  // Scattered, when asked for: the unique rows touched, less first_unique, in order of first use …
  std::span<const uint32_t> touched;
  std::span<const uint32_t> inverse;  // … and per row its place in `touched`.
  size_t num_touched() const { return scattered ? touched.size() : num_unique; }
};

class GroupIndexDecoder {
 public:
  explicit GroupIndexDecoder(MemoryBudget* budget)
      : window_(budget),
        slots_(budget),
        run_ends_(budget),
        chosen_slots_(budget),
        touched_(budget),
        inverse_(budget),
        version_(budget),
        other_version_(budget),
        all_(budget),
        by_owner_(budget),
        renumber_(budget) {}

  // `stream` null: form 0. `parent`: forms 4 … 6; has called KeepAll. `by_time`: form 6.
  // `want_touched`: the unique rows that a batch touches are listed where they are scattered.
  Status Start(const StripeContext* context, const StripeGroupRecord& record,
               const PlannedStream* stream, const GroupIndexDecoder* parent, RowsByTime* by_time,
               uint32_t stripe_rows, bool want_touched);
  // Decodes the whole index now, for groups that refer to it. Before the first Next.
  Status KeepAll();
  // Unique row of every row of the stripe, after KeepAll.
  std::span<const uint32_t> all() const { return all_rows_; }
  // No helper works for it any more.
  void StopAhead() { window_.StopAhead(); }
  // Passes over rows without handing them out.
  Status Skip(uint32_t num_rows);
  // The next rows. `chosen` not empty: of them only these are handed out (positions among them,
  // ascending, must outlive the views). Views are valid until the next call. Without `may_touch` no
  // unique rows are listed, whatever was wanted.
  Status Next(uint32_t num_rows, std::span<const uint32_t> chosen = {}, bool may_touch = true);
  const GroupRows& rows() const { return rows_; }
  bool general() const { return form_ >= IndexForm::kGeneral; }
  uint32_t num_unique() const { return num_unique_; }

 private:
  Status MakeAllFit() { return all_.Reserve(uint64_t{stripe_rows_} * 4, 0); }
  uint32_t* all(size_t row) const { return reinterpret_cast<uint32_t*>(all_.data()) + row; }
  void KeptAll();
  Status AllOfRuns();
  Status AllOfBits();
  Status CheckRun(uint32_t run, uint32_t length) const;
  Status TooFewRows(uint32_t num_runs) const;
  Status CheckBits(const uint8_t* bits, uint32_t num_rows) const;
  Status CheckOnes(uint32_t num_rows) const;
  bool OnlyForward(const uint32_t* steps, std::span<const uint32_t> owners);
  bool ForthAndBack(const uint32_t* steps, std::span<const uint32_t> owners);
  Status BadVersion(const uint32_t* steps, std::span<const uint32_t> owners);
  Status NextRuns(uint32_t num_rows);
  Status NextBits(uint32_t num_rows);
  Status NextGeneral(uint32_t num_rows);
  void NextIdentity(uint32_t num_rows);
  void NextRunsOfAll(uint32_t num_rows);
  Status NextRows(uint32_t num_rows);
  void SetGeneral(std::span<const uint32_t> slots);
  void Choose(std::span<const uint32_t> chosen, bool may_touch);
  void MakeListsFit(size_t num_rows);
  Status MapParent(const GroupIndexDecoder& parent);
  Status CountVersions(const GroupIndexDecoder& parent);
  Status FollowTime(const GroupIndexDecoder& parent, RowsByTime* by_time);
  // Forms 3 and 4: an error unless all are below the number of unique rows.
  Status CheckCodes(const uint32_t* codes, uint64_t first, uint64_t count) const;

  StreamWindow window_;
  IndexForm form_ = IndexForm::kIdentity;
  bool want_touched_ = false;
  uint32_t stripe_rows_ = 0;
  uint32_t num_unique_ = 0;
  uint32_t row_ = 0;           // Rows handed out or skipped.
  uint32_t uniques_seen_ = 0;  // Runs begun or ones met.
  uint32_t run_left_ = 0;      // Form 1: rows of the current run not yet handed out.
  uint32_t run_rows_ = 0;      // Form 1: sum of the lengths so far.
  uint32_t iota_ready_ = 0;
  GroupRows rows_;
  bool kept_all_ = false;
  CountedVector<uint32_t> slots_, run_ends_, chosen_slots_, touched_, inverse_;
  CountedVector<uint32_t> version_, other_version_;
  ScanBuffer all_, by_owner_;           // Numbers of 32 bits, one per row of the stripe.
  std::span<const uint32_t> all_rows_;  // Those of all_, or form 3: what the window holds.
  BatchUnique renumber_;
};

}  // namespace dsi::internal
