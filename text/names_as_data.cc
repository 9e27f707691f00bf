#include "dsi/text/names_as_data.h"

#include <string>
#include <unordered_map>

namespace dsi {

std::vector<bool> TakeNamesAsData(const Schema& schema) {
  std::vector<bool> takes(schema.features.size());
  std::unordered_map<std::string, size_t> maps;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    const FeatureSpec& feature = schema.features[f];
    const bool has_entries = feature.kind == Kind::kWeighted || feature.kind == Kind::kSequence;
    takes[f] = has_entries && feature.columns.size() == 2;
    if (takes[f]) maps.emplace(feature.name, f);
  }
  if (maps.empty()) return takes;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    for (size_t c = 0; c < schema.features[f].columns.size(); ++c) {
      const std::string name = ColumnName(schema.features[f], c);
      for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const auto outer = maps.find(name.substr(0, dot));
        if (outer != maps.end() && outer->second != f) takes[outer->second] = false;
      }
    }
  }
  return takes;
}

}  // namespace dsi
