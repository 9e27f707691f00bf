#include "dsi/dedup/contained_internal.h"

#include <algorithm>
#include <cstddef>

#include "dsi/dedup/find_places_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kOneIn = 64;
constexpr size_t kMostSharers = 16;

}  // namespace

template <typename T>
std::vector<uint64_t> SampleGrams(std::span<const T> values, uint64_t seed) {
  std::vector<uint64_t> grams;
  for (size_t i = 0; i + kPlaceGram <= values.size(); ++i) {
    const uint64_t hash = HashOfGram(&values[i]);
    if (hash % kOneIn == 0) grams.push_back(hash + seed);
  }
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

template std::vector<uint64_t> SampleGrams(std::span<const uint32_t>, uint64_t);
template std::vector<uint64_t> SampleGrams(std::span<const uint64_t>, uint64_t);

std::map<std::pair<uint32_t, uint32_t>, double> FindContained(
    std::span<const std::vector<uint64_t>> samples) {
  std::vector<std::pair<uint64_t, uint32_t>> all;
  for (uint32_t i = 0; i < samples.size(); ++i) {
    for (const uint64_t gram : samples[i]) all.emplace_back(gram, i);
  }
  std::sort(all.begin(), all.end());
  std::map<std::pair<uint32_t, uint32_t>, size_t> shared;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    if (end - begin > kMostSharers) continue;
    for (size_t a = begin; a < end; ++a) {
      for (size_t b = begin; b < end; ++b) {
        if (a != b) ++shared[{all[a].second, all[b].second}];
      }
    }
  }
  std::map<std::pair<uint32_t, uint32_t>, double> contained;
  for (const auto& [pair, count] : shared) {
    const size_t grams = samples[pair.first].size();
    if (2 * count >= grams)
      contained[pair] = static_cast<double>(count) / static_cast<double>(grams);
  }
  return contained;
}

}  // namespace dsi::internal
