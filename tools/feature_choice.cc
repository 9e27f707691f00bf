#include "dsi/tools/feature_choice_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/reader/describe/unknown_feature_internal.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {
namespace {

bool IsGlob(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

}  // namespace

Result<std::vector<ColumnInfo>> ChooseColumns(const Reader& reader,
                                              const std::vector<std::string>& names) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader.Columns());
  return ChooseColumns(columns, names);
}

Result<std::vector<ColumnInfo>> ChooseColumns(std::span<const ColumnInfo> columns,
                                              const std::vector<std::string>& names) {
  std::vector<ColumnInfo> chosen;
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    bool found = false;
    // A name that is there is no pattern.
    const bool is_pattern =
        IsGlob(name) && std::none_of(columns.begin(), columns.end(), [&](const ColumnInfo& c) {
          return name == c.feature || name == c.name;
        });
    for (const ColumnInfo& column : columns) {
      const bool matches = is_pattern ? (internal::GlobMatches(name, column.feature) ||
                                         internal::GlobMatches(name, column.name)) &&
                                            column.name != internal::kPositionName
                                      : name == column.feature || name == column.name;
      if (!matches) continue;
      found = true;
      const bool may_be_left_out = is_pattern && column.support.code() == StatusCode::kUnsupported;
      if (!column.support.ok() && !may_be_left_out) return column.support;
      if (!seen.insert(column.name).second) continue;
      if (column.support.ok()) {
        chosen.push_back(column);
      } else {
        WarnOfUnsupported(column);
      }
    }
    if (!found) return internal::UnknownFeature(name, columns);
  }
  return chosen;
}

Status LeaveOutUnsupported(std::vector<ColumnInfo>* columns) {
  for (const ColumnInfo& column : *columns) {
    if (column.support.ok()) continue;
    if (column.support.code() != StatusCode::kUnsupported) return column.support;
    WarnOfUnsupported(column);
  }
  std::erase_if(*columns, [](const ColumnInfo& column) { return !column.support.ok(); });
  return Status::Ok();
}

void WarnOfUnsupported(const ColumnInfo& column) {
  PrintWarning(
      fmt::format("feature \"{}\" is left out: {}", column.feature, column.support.message()));
}

Projection PlainProjection(const ColumnInfo& column) {
  Projection projection;
  projection.name = column.name;
  if (HasLengths(column.kind, column.type)) {
    projection.layout = Layout::kJagged;
  } else {
    projection.layout = Layout::kPadded;
    projection.width = column.kind == Kind::kEmbedding ? column.fixed_length : 1;
  }
  return projection;
}

}  // namespace dsi::tools
