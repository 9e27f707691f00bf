#include "dsi/text/infer/find_maps_internal.h"

#include <string_view>
#include <unordered_map>

namespace dsi::internal {

std::vector<NamesAsData> FindMaps(const std::deque<SeenFeature>& seen, uint64_t num_rows) {
  // Features that are missing in most rows are usual, hundreds of them beside each other that are
  // missing in nineteen of twenty are not.
  constexpr uint64_t kLeastNames = 100;
  constexpr uint64_t kRowsOfName = 20;
  std::unordered_map<std::string_view, size_t> places;
  std::vector<NamesAsData> objects;
  for (const SeenFeature& one : seen) {
    const size_t dot = one.name.rfind('.');
    if (!one.nested || dot == std::string::npos || !one.list.empty()) continue;
    const std::string_view object = std::string_view(one.name).substr(0, dot);
    const auto [place, is_new] = places.try_emplace(object, objects.size());
    if (is_new) objects.push_back({.name = std::string(object)});
    NamesAsData& names = objects[place->second];
    if (one.num_ones != 0 && one.one.num_numbers == one.num_ones && one.num_lists == 0)
      ++names.names;
    names.values += one.num_ones + one.num_lists;
  }
  std::erase_if(objects, [&](const NamesAsData& one) {
    return one.names < kLeastNames || one.values > one.names * num_rows / kRowsOfName;
  });
  return objects;
}

}  // namespace dsi::internal
