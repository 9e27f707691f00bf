#include "dsi/dataset/files/filter_column_internal.h"

#include <algorithm>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/reader/filter/predicate_internal.h"

namespace dsi::internal {

Result<uint32_t> FilterColumnOf(const SchemaView& view, size_t pattern,
                                const Predicate& predicate) {
  const std::vector<uint32_t>& found = view.of_pattern()[pattern];
  const ColumnInfo& column = view.columns()[found.front()];
  // All columns of a feature exist in the same rows and are of the same lengths.
  const bool is_one =
      found.size() == 1 ||
      (!LooksAtValues(predicate) && std::all_of(found.begin(), found.end(), [&](uint32_t other) {
        return view.columns()[other].feature == column.feature;
      }));
  if (!is_one) {
    return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them",
                           predicate.column, found.size());
  }
  DSI_RETURN_IF_ERROR(
      CheckPredicate(predicate, column.name, column.kind, column.type, column.time_unit));
  return found.front();
}

}  // namespace dsi::internal
