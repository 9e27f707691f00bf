#include "dsi/text/infer/path_keys_seen_internal.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "dsi/text/infer/line_place_internal.h"
#include "dsi/text/lines/path_keys_internal.h"

namespace dsi::internal {

void LookAtPaths(const TextFiles& files, uint64_t rows, std::deque<SeenFeature>* seen) {
  std::unordered_map<std::string, SeenFeature*> keys;
  std::unordered_map<const SeenFeature*, size_t> num_files;
  for (size_t file = 0; file < files.size(); ++file) {
    for (const PathKey& key : KeysOfPath(files.Path(file))) {
      const auto [known, is_new] = keys.try_emplace(key.name, nullptr);
      if (is_new) {
        const auto in_rows = std::find_if(seen->begin(), seen->end(), [&](const SeenFeature& one) {
          return one.name == key.name && one.has_values();
        });
        if (in_rows != seen->end()) continue;
        SeenFeature& feature = seen->emplace_back();
        feature.name = key.name;
        feature.is_path_key = true;
        known->second = &feature;
      }
      if (known->second == nullptr) continue;
      SeenFeature& feature = *known->second;
      if (feature.wants_example()) feature.OfferExample(key.value);
      feature.one.AddCell(key.value, PlaceOf(static_cast<uint32_t>(file), 1));
      if (++num_files[&feature] == files.size()) feature.num_ones = rows;
    }
  }
}

}  // namespace dsi::internal
