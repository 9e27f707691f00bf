// Which files no row of can pass a filter, as far as a manifest tells: they need not be opened.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/scan/predicate_internal.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class FileSkipper {
 public:
  // `files` outlives it. Names are those of the dataset. kNotFound; kInvalidArgument: a column that
  // has not one number a row.
  static Result<FileSkipper> Make(const DatasetFiles& files, const RowFilter& filter);

  // False: no row passes. A file that lacks a column of the filter has no number there (DS-025), so
  // that no comparison holds; a file that no manifest tells about may have anything. As in one
  // file, only `where` is looked at, and numbers compare as the file has them
  // (predicate_internal.h).
  bool MayPass(size_t file) const;

 private:
  // Of one predicate, by schema.
  struct Term {
    struct InSchema {
      uint32_t column = 0;
      ReadyPredicate predicate;
    };
    std::vector<std::unique_ptr<InSchema>> in_schema;  // Null: it lacks the column.
  };

  const DatasetFiles* files_ = nullptr;
  std::shared_ptr<const SchemaView> view_;
  std::vector<Term> terms_;
};

}  // namespace dsi::internal
