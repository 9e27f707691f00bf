// Which column of a dataset a predicate of a filter looks at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/base/status.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

// Position in the view, which was made with the predicate's column as its pattern number `pattern`.
// kInvalidArgument: it stands for several, or CheckPredicate.
Result<uint32_t> FilterColumnOf(const SchemaView& view, size_t pattern, const Predicate& predicate);

}  // namespace dsi::internal
