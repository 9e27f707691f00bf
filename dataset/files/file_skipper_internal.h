// Which files no row of can pass a filter, as far as a manifest tells: they need not be opened.
#pragma once

#include <cstddef>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class FileSkipper {
 public:
  // Names are those of the dataset. kNotFound; kInvalidArgument: a column that has not one number a
  // row.
  static Result<FileSkipper> Make(const DatasetFiles& files, const RowFilter& filter);

  // False: no row passes. A file that lacks a column of the filter has no number there (DS-025), so
  // that no comparison holds; a file that no manifest tells about may have anything. A feature that
  // an overlay has is judged by the overlay, in the stripes that it covers (DS-042). As in one
  // file, only `where` is looked at, and numbers compare as the file has them
  // (predicate_internal.h).
  bool MayPass(size_t file) const { return may_pass_[file]; }

 private:
  std::vector<bool> may_pass_;
};

}  // namespace dsi::internal
