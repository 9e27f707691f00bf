// What a scan reads whose rows are only counted or numbered.
#pragma once

#include <algorithm>
#include <vector>

#include "dsi/reader/file_info.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// The column of the first predicate, which is read anyway, as little of it as there is.
inline Projection CheapProjection(const std::vector<Predicate>& where,
                                  const std::vector<ColumnInfo>& columns) {
  Projection asked{.name = where[0].column};
  const bool is_text = std::any_of(columns.begin(), columns.end(), [&](const ColumnInfo& column) {
    return column.name == asked.name && column.type == Type::kBytes;
  });
  asked.layout = is_text ? Layout::kJagged : Layout::kPadded;
  asked.width = is_text ? 0 : 1;
  return asked;
}

}  // namespace dsi::internal
