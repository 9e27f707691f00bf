// Which columns of a batch share an inverse, so that what is done for a unique row is done once for
// all of them.
//
// Thread safety: one thread at a time writes; const use from many threads is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/batch.h"

namespace dsi::internal {

class BatchGroups {
 public:
  struct Group {
    const int32_t* inverse = nullptr;  // Of the batch.
    std::vector<uint32_t> times;       // Of each unique row the rows that it stands for.
  };

  // All columns of the batch, so many, are read as IKJT.
  Status Find(const Batch& batch, size_t num_columns, int threads);

  size_t size() const { return size_; }
  const Group& at(size_t group) const { return groups_[group]; }
  size_t of_column(size_t column) const { return of_column_[column]; }

 private:
  std::vector<Group> groups_;  // The first so many are of the batch; others keep their memory.
  size_t size_ = 0;
  std::vector<size_t> of_column_;
};

}  // namespace dsi::internal
