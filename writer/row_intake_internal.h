// Rows that come in: held in memory while they and their Finish fit into the budget, and from then
// on in spill files.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/session_order_internal.h"
#include "dsi/writer/encode/encode_stripes_internal.h"
#include "dsi/writer/finish_memory_internal.h"
#include "dsi/writer/rows/list_sharing_internal.h"
#include "dsi/writer/rows/round_floats_internal.h"
#include "dsi/writer/rows/session_repeats_internal.h"
#include "dsi/writer/spill/spilled_rows_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

class RowIntake {
 public:
  // All must outlive this. options.threads: as they are used.
  RowIntake(std::shared_ptr<const Schema> schema, const ClusterKeys& keys,
            const WriterOptions& options, uint64_t memory_limit, std::string spill_folder);

  // All or nothing. kIo: spilling.
  Status Append(const RowBatch& rows);
  Status Append(RowBatch&& rows);
  Status AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns);

  // Of all rows that were added, also of those that were let go of.
  uint64_t num_rows() const { return gone_.num_rows + rows_here(); }
  uint64_t size_bytes() const { return gone_.size_bytes + totals_.size_bytes + rows_.size_bytes(); }
  uint64_t spilled_bytes() const {
    return spilled_before_ + (spilled_ ? spilled_->spilled_bytes() : 0);
  }

  // Whether the place of each row in the file, and all that its stripe needs, is known as soon as
  // it comes: rows keep their order, and nothing is asked of all of them, as int8 asks for the
  // greatest value. What follows is for such rows alone.
  bool keeps_order() const { return keeps_order_; }
  // The rows that are here, or the first so many. Errors: those of SessionOrder::Add.
  Result<RowList> KeptRows(uint32_t most_rows = UINT32_MAX);
  // After KeptRows of the last. Errors: those of SessionOrder::Finish.
  Status FinishKeptRows() { return order_ ? order_->Finish() : Status::Ok(); }
  // Brings the rows that are here to one place, held or spilled, and rounds them.
  Status Gather();
  // The first so many of the rows here are written: the others are held from now on. After Gather;
  // where it fails, rows are lost.
  Status LetGo(uint32_t num_rows);
  const TableTotals& gone() const { return gone_; }

  // After the last row: all are in memory, or all are spilled. Rounds them, or notes how they are
  // to be rounded, and says in *stored how far off values are.
  Status Close(const std::function<Status()>& poll, Schema* stored);
  // Of the rows that are here.
  const TableTotals& totals() const { return totals_; }
  std::span<RowBatch::FeatureBuffer> held() { return rows_.features_; }
  SpilledRows* spilled() { return spilled_.get(); }
  bool is_spilled() const { return spilled_ != nullptr; }
  // Of rows that are read, while none are held.
  ListSharing* sharing() { return sharing_.get(); }
  // Stripes, of these limits, of the rows that are here. Before a loader puts them in order.
  StripesAtHand StripesWithin(const StripeLimits& limits) const;
  const FinishMemory& finish_memory() const { return finish_memory_; }
  Status RoundRead(std::span<RowBatch::FeatureBuffer> rows) { return rounding_.AfterRead(rows); }
  // Hands out the key records of all rows.
  Status ForEachKeyRecords(const std::function<Status(std::span<const std::byte>)>& visit) const;

 private:
  uint64_t rows_here() const { return spilled_rows() + rows_.num_rows(); }
  uint64_t spilled_rows() const { return spilled_ ? spilled_->num_rows() : 0; }
  Status CheckCount(size_t more) const;
  // Bytes that each row repeats of its session, of rows that come next and have these records; none
  // where nobody needs to know. Adds to their totals.
  std::vector<uint64_t> FindRepeats(std::span<const FeatureSource> sources,
                                    std::span<const std::byte> records, TableTotals* totals);
  // Notes what is to be known of the rows that came since the last time.
  void NoteRowBytes();
  Status NoteSessions();
  // Whether rows held and more fit into the budget.
  bool Fits(uint64_t more_bytes, size_t more_rows) const;
  // Calls add, which asks whether what it adds fits; where it does not, spills what is held first.
  // False: what is added is too much even then, and was not.
  template <typename Add>
  Result<bool> AddWithin(bool whatever_it_takes, const Add& add);
  Status AddByHalves(size_t num_rows, std::span<const FeatureColumns> columns);
  // Spills rows; those held if they are these.
  Status Spill(const RowBatch& rows);
  Status TrySpill(const RowBatch& rows);
  Status SpillHeld();
  // Where they take too much, spills rows that were added without a question.
  Status SpillExcess();
  std::vector<FeatureSource> SourcesOf(const RowBatch& rows) const;
  RowBatch Empty();

  std::shared_ptr<const Schema> schema_;
  const ClusterKeys& keys_;
  const WriterOptions& options_;
  const FinishMemory finish_memory_;
  uint64_t memory_limit_;
  std::string spill_folder_;
  std::shared_ptr<ListSharing> sharing_;  // Of rows_, or of rows that a loader reads.
  RowBatch rows_;
  bool takes_all_ = false;  // Of rows added: no question is asked.
  bool refused_ = false;    // The last question was answered with no.
  TableTotals totals_;      // Of what is spilled; after Close of all here.
  std::unique_ptr<SpilledRows> spilled_;
  StagedRounding rounding_;
  bool is_rounded_ = false;         // Some rows, of which rounding_ knows.
  SessionRepeats repeats_;          // Of spilled rows, or after Close of those held.
  std::vector<uint64_t> repeated_;  // After Close, of held rows: FindRepeats.
  bool keeps_order_;
  // Where the order is kept, of rows here.
  std::vector<uint32_t> row_bytes_;    // AppendRowBytes, of spilled rows and some held, or:
  std::optional<SessionOrder> order_;  // Where rows come clustered, …
  std::vector<ListedRow> listed_;      // … and what it said.
  TableTotals gone_;                   // Of rows that were let go of.
  uint64_t spilled_before_ = 0;        // Bytes, of rows that are no longer spilled.
};

}  // namespace dsi::internal
