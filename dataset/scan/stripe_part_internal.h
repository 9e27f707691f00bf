// Rows of one stripe in a window: decoded once, and taken all together or in parts.
//
// Thread safety: one thread at a time, which has the team of the scan help it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/dataset/scan/deriver_internal.h"
#include "dsi/dataset/scan/scan_file_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"
#include "dsi/reader/scan/row_picker_internal.h"
#include "dsi/reader/scan/stripes_ahead_internal.h"

namespace dsi::internal {

// Rows [first, first + count) of a stripe.
struct StripeBlock {
  uint32_t first = 0;
  uint32_t count = 0;
};

class StripePart {
 public:
  // These outlive it. `ahead` puts its decoders on stripes.
  StripePart(ScanFile* file, StripesAhead* ahead);
  // Begins with a stripe; the memory of the one before is used again.
  void Restart(const VisitKey& visit);

  ScanFile* file() const { return file_; }
  size_t stripe() const { return stripe_; }
  // Rows from here on can be decoded without beginning anew.
  uint32_t next_row() const { return next_row_; }

  // Decodes the rows of blocks, which are ascending and apart and lie behind those of the call
  // before; they must outlive the rows. `at_once`: they will be taken all together.
  Status Decode(std::span<const StripeBlock> blocks, bool at_once);
  uint32_t num_rows() const { return num_rows_; }
  // False: no row passes the filter, and nothing was decoded.
  bool is_read() const { return !file_->filters() || !passing_.empty(); }
  // Adds `base` + the rows at which a session begins. `continues`: the first row goes on with what
  // lies before the blocks. Rows that were not read are of one session.
  void AddSessions(uint32_t base, bool continues, std::vector<uint32_t>* starts);
  // The piece of a batch that has those of `rows` (counted over the blocks, ascending) that pass
  // the filter; empty: of all rows. Adds the numbers in the stripe of those that it has. It may
  // have none.
  // Errors: those of the pipeline.
  Result<BatchPiece> Take(std::span<const uint32_t> rows, CountedVector<uint32_t>* taken);

  // What reading took, and rows that were dropped.
  ScanStats Work() const;

 private:
  // Rows of one of the files that have them: the file itself, or an overlay.
  struct Member {
    explicit Member(ScanMember* from);
    ScanMember* of;
    std::unique_ptr<StripeDecoder> decoder;  // Null: none was needed so far.
    GatheredRows gathered;
    PickedRows picked;
    BatchPiece piece;  // Of an overlay.
  };

  Status FindPassing();
  Status MakePicker();
  void MarkChanges(const ScanOutput& key);
  Status DecodeBlocks(bool at_once);
  Status DecodeMember(Member* member, bool at_once);
  Status CheckFit(Member* member, uint32_t before, uint32_t count);
  BatchPiece PieceOf(size_t member);
  Status Derive(BatchPiece* piece);
  void AddStripe(ScanStats* work) const;

  ScanFile* file_;
  StripesAhead* ahead_;
  size_t stripe_ = 0;
  VisitKey visit_;  // Of the file, or of the member that is being decoded.
  std::vector<std::unique_ptr<Member>> members_;  // As those of the file.
  bool is_started_ = false;
  bool is_gathered_ = false;
  AbsentRows absent_;
  std::unique_ptr<Deriver> deriver_;   // Null: no pipeline.
  std::unique_ptr<RowPicker> picker_;  // Null: every row passes.
  std::span<const StripeBlock> blocks_;
  CountedVector<uint32_t> passing_;  // Counted over the blocks; where the file filters.
  CountedVector<uint32_t> chosen_;
  CountedVector<uint8_t> begins_;  // By row: a session does.
  uint32_t num_rows_ = 0;
  uint32_t next_row_ = 0;
  ScanStats past_;  // Of stripes before.
};

}  // namespace dsi::internal
