#include "dsi/text/infer/path_keys_seen_internal.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "dsi/text/infer/line_place_internal.h"
#include "dsi/text/lines/path_keys_internal.h"

namespace dsi::internal {

namespace {

struct SeenKey {
  SeenFeature* feature = nullptr;  // Null: rows have it.
  size_t num_files = 0;
};

// A name that never had a value in rows is the key's.
SeenFeature* FeatureOfKey(const std::string& name, std::deque<SeenFeature>* seen) {
  const auto known = std::find_if(seen->begin(), seen->end(),
                                  [&](const SeenFeature& one) { return one.name == name; });
  if (known != seen->end() && known->has_values()) return nullptr;
  SeenFeature& feature = known != seen->end() ? *known : seen->emplace_back();
  feature.name = name;
  feature.is_path_key = true;
  return &feature;
}

}  // namespace

void LookAtPaths(const TextFiles& files, uint64_t rows, std::deque<SeenFeature>* seen) {
  std::unordered_map<std::string, SeenKey> keys;
  for (size_t file = 0; file < files.size(); ++file) {
    for (const PathKey& key : KeysOfPath(files.Path(file))) {
      const auto [known, is_new] = keys.try_emplace(key.name);
      if (is_new) known->second.feature = FeatureOfKey(key.name, seen);
      if (known->second.feature == nullptr) continue;
      SeenFeature& feature = *known->second.feature;
      if (feature.wants_example()) feature.OfferExample(key.value);
      feature.one.AddCell(key.value, PlaceOf(static_cast<uint32_t>(file), 1), files.times());
      if (++known->second.num_files == files.size()) feature.num_ones = rows;
    }
  }
}

}  // namespace dsi::internal
