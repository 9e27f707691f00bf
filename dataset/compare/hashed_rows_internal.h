// The rows of a dataset as hashes, batch by batch: of each column, of the key and of the row.
//
// Thread safety: one thread at a time; it hashes with several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/compare/row_hash_internal.h"
#include "dsi/dataset/count/batch_groups_internal.h"
#include "dsi/dataset/dataset.h"

namespace dsi::internal {

struct HashedColumn {
  std::string name;
  Type type = Type::kInt64;  // As stored.
  bool is_key = false;
};

class HashedRows {
 public:
  // There is a column. Columns at the same position, of two datasets and of one seed, have the same
  // hash where they have the same value. The dataset must outlive it.
  static Result<HashedRows> Open(const Dataset& dataset, std::vector<HashedColumn> columns,
                                 RowFilter filter, uint64_t seed, uint32_t threads);

  // Reads on where no row is left; false at the end.
  Result<bool> Fill();
  size_t left() const { return rows_.size() - at_; }
  void Skip(size_t count) { at_ += count; }
  uint64_t num_rows() const { return num_rows_; }  // Read so far.

  // Of the i-th row of those left.
  uint64_t number(size_t i) const {
    return numbers_.empty() ? first_number_ + at_ + i : numbers_[at_ + i];
  }
  const RowHash& row(size_t i) const { return rows_[at_ + i]; }
  const RowHash& key(size_t i) const { return keys_[at_ + i]; }
  const RowHash& value(size_t column, size_t i) const {
    const OfColumn& of_one = hashed_[column];
    const int32_t* const inverse = groups_.at(groups_.of_column(column)).inverse;
    return of_one.unique[static_cast<size_t>(inverse[at_ + i])];
  }

  // Of a column over all rows so far, and of whole rows.
  const RowHash& sum(size_t column) const { return hashed_[column].sum; }
  const RowHash& sum_of_rows() const { return sum_of_rows_; }

 private:
  struct OfColumn {
    std::vector<RowHash> unique;  // Of each unique row of the batch.
    RowHash sum;
  };
  // Of a group, for each unique row the sum over its columns, and over those of the key.
  struct Sums {
    std::vector<RowHash> row, key;
    std::vector<size_t> columns;
  };

  HashedRows(std::vector<HashedColumn> columns, uint64_t seed, int threads);
  Status HashColumn(size_t column);
  void SumGroup(size_t group);
  void SumRows(size_t begin, size_t end);

  std::vector<HashedColumn> columns_;
  uint64_t seed_;
  int threads_;
  std::unique_ptr<DatasetScan> scan_;
  Batch batch_;
  std::vector<OfColumn> hashed_;
  BatchGroups groups_;
  std::vector<Sums> sums_;  // Of each group.
  std::vector<RowHash> rows_, keys_;
  std::span<const uint64_t> numbers_;
  uint64_t first_number_ = 0;
  size_t at_ = 0;
  uint64_t num_rows_ = 0;
  RowHash sum_of_rows_;
};

}  // namespace dsi::internal
