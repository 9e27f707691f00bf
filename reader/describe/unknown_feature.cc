#include "dsi/reader/describe/unknown_feature_internal.h"

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"

namespace dsi::internal {

Status UnknownFeature(std::string_view name, std::span<const ColumnInfo> columns) {
  if (name.find_first_of("*?") != std::string_view::npos)
    return InvalidArgument("no feature of the file matches \"{}\"", name);
  NearNames near(name, 3);
  std::string_view last;
  for (const ColumnInfo& column : columns) {
    // The columns of a feature stand together.
    if (column.feature != last) near.Offer(column.feature);
    last = column.feature;
  }
  return InvalidArgument("the file has no feature \"{}\"{}", name, near.Advice());
}

}  // namespace dsi::internal
