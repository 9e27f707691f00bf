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
#include "dsi/reader/scan/filter_source_internal.h"
#include "dsi/reader/scan/passing_guess_internal.h"
#include "dsi/reader/scan/row_range_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

class RowPicker {
 public:
  // A file whose columns a filter looks at.
  struct File {
    const FilterSource* source = nullptr;
    const OpenFile* file = nullptr;         // As the source was made of.
    const OpenFile* stored_file = nullptr;  // The same, not looked at through a LookAhead.
    const ReaderOptions* reader_options = nullptr;
    std::weak_ptr<const void> owner = {};  // Of all these; none: they outlive the fetcher.
    size_t stripe = 0;                     // Behind the first: the one that has the rows.
  };

  // For the rows of the range in the first of `files`; the others are overlays of its only stripe.
  // `of_predicate` says which of the files each of PredicatesOf is of; empty: all of the first.
  // What the files point to and the budget outlive the picker. kInvalidArgument.
  static Result<std::unique_ptr<RowPicker>> Make(std::vector<File> files, const RowFilter& filter,
                                                 std::span<const uint32_t> of_predicate,
                                                 const RowRange& range, MemoryBudget* budget);
  ~RowPicker() { NoteStripe(); }

  // Stripes are taken from a fetcher (null: none) that knows those of file i as `visit` says, with
  // their own numbers and member i. It outlives the picker.
  void ReadFrom(StripeFetcher* fetcher, const VisitKey& visit);
  // Tells of each stripe that is looked at. It outlives the picker.
  void set_guess(PassingGuess* guess) { guess_ = guess; }

  // No row of the stripe passes: nothing of it is read.
  bool PassesOver(size_t stripe) const;

  // Looks further until `count` rows are ready or there are no more.
  Status Ahead(size_t count);
  // Looks further until all rows before `row` were looked at.
  Status AheadTo(uint64_t row);
  // Rows that pass and have not been taken, ascending.
  std::span<const uint64_t> ready() const { return std::span(ready_).subspan(taken_); }
  void Take(size_t count) { taken_ += count; }

  uint64_t rows_dropped() const { return rows_dropped_; }
  uint64_t bytes_needed() const { return bytes_needed_; }
  PageWork work() const;
  uint32_t stripes_skipped() const { return stripes_skipped_; }
  uint64_t values_decoded() const { return workers_.values_decoded(); }

 private:
  // What is read of one file.
  struct Source {
    Source(File of, MemoryBudget* budget, ScanWorkers* workers);
    File file;
    ScanShared shared;
    std::optional<StripeDecoder> decoder;  // None when no predicate looks at it.
    size_t decoder_stripe = SIZE_MAX;      // Of the picker's file.
    // Predicates of it that were looked at: that all rows must pass, and others.
    size_t num_where = 0, num_others = 0;
  };
  struct Term {
    const ReadyPredicate* predicate = nullptr;  // Of its file's source.
    uint32_t source = 0;
    uint32_t output = 0;  // Of the projection.
  };
  using Clause = std::vector<Term>;  // One of them holds.
  struct Sample {
    std::vector<Clause> when;
    bool all = false;        // keep is 1.
    uint64_t threshold = 0;  // Else rows whose random number is below it stay.
  };

  explicit RowPicker(MemoryBudget* budget)
      : workers_(budget, 1), budget_(budget), is_deleted_(budget), ready_(budget) {}
  void DropTaken();
  Status AddTerms(const RowFilter& filter, std::span<const uint32_t> of_predicate);
  const OpenFile& file() const { return *sources_[0]->file.file; }
  Status NextBlock();
  void NoteStripe();
  Status LoadMask();
  Status Decode(uint32_t first, uint32_t num_rows);
  std::vector<Clause> ClausesOf(const std::vector<Predicate>& predicates, bool is_where,
                                std::span<const uint32_t> of_predicate, size_t* next);
  void AndTerm(const Term& term, uint8_t* matches) const;
  void AndClauses(std::span<const Clause> clauses, uint32_t num_rows, uint8_t* matches);

  ScanWorkers workers_;
  MemoryBudget* budget_;
  std::vector<std::unique_ptr<Source>> sources_;  // The file, then those beside.
  std::vector<Clause> where_;
  std::vector<Sample> samples_;
  uint64_t seed_ = 0;  // Mixed.
  uint64_t row_ = 0;
  uint64_t row_end_ = 0;
  size_t stripe_ = 0;
  VisitKey visit_;                     // Of its stripes, for a fetcher.
  PassingGuess* guess_ = nullptr;      // Null: nobody is told.
  bool was_looked_at_ = false;         // Of the current stripe: some row was.
  bool has_passing_ = false;           // … and some passed.
  CountedVector<uint8_t> is_deleted_;  // By row of the stripe mask_stripe_; empty: none is.
  size_t mask_stripe_ = SIZE_MAX;
  uint32_t stripes_skipped_ = 0;
  std::vector<uint8_t> matches_, passes_, undecided_;
  std::vector<uint8_t> either_, any_;  // Of a clause: a term's, and all of them so far.
  CountedVector<uint64_t> ready_;
  size_t taken_ = 0;
  uint64_t rows_dropped_ = 0;
  uint64_t bytes_needed_ = 0;
  PageWork past_;  // Of stripes before.
};

}  // namespace dsi::internal
