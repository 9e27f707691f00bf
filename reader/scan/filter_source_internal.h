// What a filter looks at in one file: columns, how they are read, and stripes that statistics rule
// out. Found once, and used for all stripes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/reader/filter/predicate_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/scan/projection_internal.h"

namespace dsi::internal {

// Those of `where`, then each sampling's, each with its alternatives behind it.
std::vector<const Predicate*> PredicatesOf(const RowFilter& filter);
// Some column decides, not the seed alone.
inline bool HasPredicates(const RowFilter& filter) { return !PredicatesOf(filter).empty(); }

// The columns that a filter looks at, each once, and per predicate of PredicatesOf which of them it
// is of, and itself, ready for it.
struct FilterColumns {
  std::vector<OpenColumn> columns;
  std::vector<uint32_t> of_predicate;
  std::vector<ReadyPredicate> predicates;
};
// Errors: kNotFound, kInvalidArgument (not one column, or CheckPredicate).
Result<FilterColumns> FindFilterColumns(const OpenFile& file, const RowFilter& filter);

// All of a predicate's alternatives, of the files that these numbers say, are of one. Else what one
// of the files knows of its own rules out no row.
bool IsOfOneFile(std::span<const uint32_t> of_alternatives);
// What each of several files is asked for of a filter, its own predicates in their order:
// `of_predicate` says which file's each of PredicatesOf is. Those of `where` that are not of one
// file stand with those that need not hold, before the samplings'.
std::vector<RowFilter> SplitFilter(const RowFilter& filter, std::span<const uint32_t> of_predicate,
                                   size_t num_files);

// Which of the stripes [first, end) have no row that passes, as far as statistics tell; empty where
// none is known of. `columns` are those of the filter.
Result<CountedVector<bool>> RuledOutStripes(const OpenFile& file, const RowFilter& filter,
                                            const FilterColumns& columns, size_t first, size_t end,
                                            MemoryBudget* budget);

// Thread safety: const calls from many threads are safe.
class FilterSource {
 public:
  // For stripes [first_stripe, end_stripe); `filter`: what the file is asked for of it. File and
  // budget outlive it. Errors: those of FindFilterColumns, and of the directory.
  static Result<FilterSource> Make(const OpenFile& file, const RowFilter& filter,
                                   size_t first_stripe, size_t end_stripe, MemoryBudget* budget);

  const FilterColumns& columns() const { return columns_; }
  // Of the predicates, so many are of `where`.
  size_t num_where() const { return num_where_; }
  // Columns in their order; null: nothing of this file is looked at.
  const std::shared_ptr<const ScanProjection>& projection() const { return projection_; }
  // No row of the stripe passes, by what statistics (spec F-082) tell.
  bool RulesOut(size_t stripe) const {
    return !is_ruled_out_.empty() && is_ruled_out_[stripe - first_stripe_];
  }

 private:
  explicit FilterSource(MemoryBudget* budget) : is_ruled_out_(budget) {}

  FilterColumns columns_;
  size_t num_where_ = 0;
  std::shared_ptr<const ScanProjection> projection_;
  CountedVector<bool> is_ruled_out_;  // Empty: none is.
  size_t first_stripe_ = 0;
};

}  // namespace dsi::internal
