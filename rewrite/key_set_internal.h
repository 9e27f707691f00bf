// Which rows of a batch have one of some values in a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/file_info.h"

namespace dsi::internal {

class KeySet {
 public:
  // As RowsToDelete::values, which must stay. kInvalidArgument.
  static Result<KeySet> Make(const ColumnInfo& column, const std::vector<std::string>& values);

  // Rows of the batch that have one, ascending; the column is its first, jagged where it is text
  // and else padded to one.
  Status Find(const Batch& batch, std::vector<size_t>* rows) const;

 private:
  template <typename T>
  void FindNumbers(const PaddedView& view, std::vector<size_t>* rows) const;

  bool is_text_ = false;
  std::unordered_set<std::string_view> texts_;  // In the caller's values.
  std::unordered_set<uint64_t> numbers_;        // Signed ones: their bits.
};

}  // namespace dsi::internal
