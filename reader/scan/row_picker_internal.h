// Finds the rows that pass a filter, ahead of the batches made of them.
//
// Reads and decodes the filter's columns by itself, in blocks of rows, so that the batches are cut
// out of rows that are known to pass: they are full, and what lies between far apart rows need not
// be decoded for the projection. Stripes whose statistics (spec F-082) rule out every row are
// passed over. Deleted rows (F-084) never pass. Where the filter only samples, no page is read.
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/scan/predicate_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

// The columns that a filter looks at, each once.
struct FilterColumns {
  std::vector<OpenColumn> columns;
  // Per predicate, those of `where` first, then each sampling's: its position in columns.
  std::vector<uint32_t> of_predicate;
};
// Errors: kNotFound, kInvalidArgument (not one column, or one that is not of one number).
Result<FilterColumns> FindFilterColumns(const OpenFile& file, const RowFilter& filter);

// An overlay whose columns a filter looks at as well.
struct PickedFile {
  const OpenFile* file = nullptr;
  ReaderOptions reader_options;
  size_t stripe = 0;  // That has the rows.
};

class RowPicker {
 public:
  // For rows [row_begin, row_end), which lie in stripes [first_stripe, end_stripe). File and budget
  // must outlive the picker. Errors: kInvalidArgument, kNotFound, and those of the directory.
  static Result<std::unique_ptr<RowPicker>> Make(const OpenFile& file,
                                                 const ReaderOptions& reader_options,
                                                 const ScanOptions& options, uint64_t row_end,
                                                 size_t first_stripe, size_t end_stripe,
                                                 MemoryBudget* budget);
  // The same for one stripe, and predicates of several files: of the predicates of `where`, then of
  // each sampling's, `of_predicate` says 0, `file`, or 1 + a position in `beside`, all of which
  // must outlive the picker, too.
  static Result<std::unique_ptr<RowPicker>> MakeBeside(
      const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
      uint64_t row_end, size_t stripe, std::span<const PickedFile> beside,
      std::span<const uint32_t> of_predicate, MemoryBudget* budget);

  // Looks further until `count` rows are ready or there are no more.
  Status Ahead(size_t count);
  // Looks further until all rows before `row` were looked at.
  Status AheadTo(uint64_t row);
  // Rows that pass and have not been taken, ascending.
  std::span<const uint64_t> ready() const { return std::span(ready_).subspan(taken_); }
  void Take(size_t count) { taken_ += count; }

  uint64_t rows_dropped() const { return rows_dropped_; }
  uint64_t bytes_needed() const { return bytes_needed_; }
  uint64_t bytes_read() const;
  uint64_t reads() const;
  uint32_t stripes_skipped() const { return stripes_skipped_; }
  uint64_t values_decoded() const { return workers_.values_decoded(); }

 private:
  // What is read of one file.
  struct Source {
    Source(MemoryBudget* budget, ScanWorkers* workers) : shared(budget, workers) {}
    ScanShared shared;
    std::optional<StripeDecoder> decoder;  // None when no predicate looks at it.
    size_t stripe = SIZE_MAX;              // Of a file beside: the only one.
    size_t decoder_stripe = SIZE_MAX;      // Of the picker's file.
    RowFilter filter;                      // Its part.
    FilterColumns found;
    size_t next = 0;  // Predicate of the part that is made ready next.
  };
  struct Term {
    ReadyPredicate predicate;
    uint32_t source = 0;
    uint32_t output = 0;  // Of the projection.
  };
  struct Sample {
    std::vector<Term> when;
    bool all = false;        // keep is 1.
    uint64_t threshold = 0;  // Else rows whose random number is below it stay.
  };

  explicit RowPicker(MemoryBudget* budget)
      : workers_(budget, 1),
        budget_(budget),
        is_ruled_out_(budget),
        is_deleted_(budget),
        ready_(budget) {}
  void DropTaken();
  Status AddSource(const OpenFile& file, const ReaderOptions& reader_options, RowFilter filter,
                   size_t first_stripe, size_t end_stripe);
  Status AddTerms(const RowFilter& filter, std::span<const uint32_t> of_predicate);
  const OpenFile& file() const { return *sources_[0]->shared.file; }
  Status NextBlock();
  Status LoadMask();
  Status Decode(uint32_t first, uint32_t num_rows);
  void AndTerms(std::span<const Term> terms, uint8_t* matches) const;

  ScanWorkers workers_;
  MemoryBudget* budget_;
  std::vector<std::unique_ptr<Source>> sources_;  // The file, then those beside.
  std::vector<Term> where_;
  std::vector<Sample> samples_;
  uint64_t seed_ = 0;  // Mixed.
  uint64_t row_ = 0;
  uint64_t row_end_ = 0;
  size_t stripe_ = 0;
  CountedVector<bool> is_ruled_out_;  // By stripe from first_stripe_ on; empty: none is.
  size_t first_stripe_ = 0;
  CountedVector<uint8_t> is_deleted_;  // By row of the stripe mask_stripe_; empty: none is.
  size_t mask_stripe_ = SIZE_MAX;
  uint32_t stripes_skipped_ = 0;
  std::vector<uint8_t> matches_, passes_, undecided_;
  CountedVector<uint64_t> ready_;
  size_t taken_ = 0;
  uint64_t rows_dropped_ = 0;
  uint64_t bytes_needed_ = 0;
};

// What each of several files is asked for of a filter, its own predicates in their order:
// `of_predicate` says which file's each is, those of `where` first.
std::vector<RowFilter> SplitFilter(const RowFilter& filter, std::span<const uint32_t> of_predicate,
                                   size_t num_files);

// Which of the stripes [first, end) have no row that passes, as far as statistics tell; empty where
// none is known of. `columns` are those of the filter.
Result<CountedVector<bool>> RuledOutStripes(const OpenFile& file, const RowFilter& filter,
                                            const FilterColumns& columns, size_t first, size_t end,
                                            MemoryBudget* budget);

}  // namespace dsi::internal
