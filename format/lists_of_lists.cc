#include "dsi/format/lists_of_lists.h"

#include <unordered_map>

namespace dsi {
namespace {

bool CanHoldLengths(const ColumnSpec& column) {
  return (column.type == Type::kInt32 || column.type == Type::kInt64) && !column.hashed &&
         column.time_unit == TimeUnit::kNone;
}

}  // namespace

std::string LengthsName(std::string_view name) { return std::string(name) + "_lengths"; }

FeatureSpec LengthsFeature(const FeatureSpec& list) {
  FeatureSpec lengths;
  lengths.name = LengthsName(list.name);
  lengths.kind = Kind::kList;
  lengths.nested = list.nested;
  lengths.columns = {{"", Type::kInt32, ""}};
  return lengths;
}

std::vector<std::optional<LengthsColumn>> FindLengths(const Schema& schema) {
  std::vector<std::optional<LengthsColumn>> found(schema.features.size());
  std::unordered_map<std::string, LengthsColumn> lengths;
  for (uint32_t f = 0; f < schema.features.size(); ++f) {
    const FeatureSpec& feature = schema.features[f];
    if (feature.kind != Kind::kList && feature.kind != Kind::kSequence) continue;
    for (uint32_t c = 0; c < feature.columns.size(); ++c) {
      std::string name = ColumnName(feature, c);
      if (name.ends_with(LengthsName("")) && CanHoldLengths(feature.columns[c]))
        lengths.emplace(std::move(name), LengthsColumn{f, c});
    }
  }
  if (lengths.empty()) return found;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    if (schema.features[f].kind != Kind::kList) continue;
    const auto at = lengths.find(LengthsName(schema.features[f].name));
    if (at != lengths.end()) found[f] = at->second;
  }
  return found;
}

}  // namespace dsi
