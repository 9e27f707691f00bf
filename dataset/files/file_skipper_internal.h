// Which files no row of can pass a filter, as far as a manifest tells: they need not be opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/filter/predicate_internal.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class FileSkipper {
 public:
  // `files` outlives it. Names are those of the dataset. kNotFound; kInvalidArgument (as of
  // FilterColumnOf). No file is looked at before it is asked for.
  static Result<FileSkipper> Make(const DatasetFiles& files, const RowFilter& filter);

  // False: no row passes. A file that lacks a column of the filter has nothing there (DS-025), so
  // that no comparison holds but kMissing; a file that no manifest tells about may have anything. A
  // feature that an overlay has is judged by the overlay, in the stripes that it covers (DS-042).
  // As in one file, only `where` is looked at, and values compare as the file has them
  // (predicate_internal.h).
  bool MayPass(size_t file) const;

 private:
  struct Term {
    Predicate predicate;
    bool is_last = false;                       // Of those of which one must hold.
    uint32_t column = 0;                        // Of the view.
    std::map<Type, ReadyPredicate> ready = {};  // By the types that the column has.
    // By each name that the column has in some schema: its position in each stored schema.
    std::map<std::string, std::vector<uint32_t>> ordinals = {};
  };

  Status FindColumns();
  // The same of stripes that the same overlays cover.
  bool MayPass(size_t file, const FileVariant& variant) const;
  bool MayPass(size_t file, const FileVariant& variant, const Term& term) const;

  const DatasetFiles* files_ = nullptr;
  std::shared_ptr<const SchemaView> view_;
  const SchemasOfFiles* stored_ = nullptr;
  std::vector<Term> terms_;
};

}  // namespace dsi::internal
