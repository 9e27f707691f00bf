// Which features of different schemas are one: those of one id, then those of one name (DS-020).
#include "dsi/dataset/files/match_features_internal.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace dsi::internal {
namespace {

// Features of one id, and those that were found to be the same.
struct Class {
  std::vector<uint32_t> schemas;  // That have it, ascending.
  uint32_t joined = 0;            // The class that it became a part of; itself: none.
};

bool OverlapAscending(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i] == b[k]) return true;
    a[i] < b[k] ? ++i : ++k;
  }
  return false;
}

uint32_t Find(const std::vector<Class>& classes, uint32_t i) {
  while (classes[i].joined != i) i = classes[i].joined;
  return i;
}

}  // namespace

MatchedFeatures MatchFeatures(std::span<const FileSchema> schemas) {
  std::vector<Class> classes;
  std::unordered_map<uint64_t, uint32_t> by_id;
  std::unordered_map<std::string_view, std::vector<uint32_t>> by_name;
  std::vector<std::vector<uint32_t>> of_column(schemas.size());
  for (uint32_t s = 0; s < schemas.size(); ++s) {
    for (const ColumnInfo& column : schemas[s].columns) {
      const auto [found, is_new] =
          by_id.emplace(column.feature_id, static_cast<uint32_t>(classes.size()));
      if (is_new) classes.push_back({.schemas = {}, .joined = found->second});
      Class& of_id = classes[found->second];
      if (of_id.schemas.empty() || of_id.schemas.back() != s) of_id.schemas.push_back(s);
      of_column[s].push_back(found->second);
      if (schemas.size() == 1) continue;  // Names tell features of several schemas apart.
      std::vector<uint32_t>& named = by_name[column.feature];
      if (std::find(named.begin(), named.end(), found->second) == named.end())
        named.push_back(found->second);
    }
  }
  // In the order in which features appear, so that it does not hang on a table's.
  for (uint32_t s = 0; s < schemas.size() && schemas.size() > 1; ++s) {
    for (const ColumnInfo& column : schemas[s].columns) {
      std::vector<uint32_t>& named = by_name[column.feature];
      for (size_t i = 1; i < named.size(); ++i) {
        const uint32_t first = Find(classes, named[0]);
        const uint32_t other = Find(classes, named[i]);
        // Two features of one file are two.
        if (first == other || OverlapAscending(classes[first].schemas, classes[other].schemas))
          continue;
        std::vector<uint32_t> both;
        std::merge(classes[first].schemas.begin(), classes[first].schemas.end(),
                   classes[other].schemas.begin(), classes[other].schemas.end(),
                   std::back_inserter(both));
        classes[first].schemas = std::move(both);
        classes[other].joined = first;
      }
      named.resize(1);
    }
  }
  MatchedFeatures matched;
  std::vector<uint32_t> numbers(classes.size(), UINT32_MAX);
  for (std::vector<uint32_t>& columns : of_column) {
    for (uint32_t& feature : columns) {
      uint32_t& number = numbers[Find(classes, feature)];
      if (number == UINT32_MAX) number = matched.count++;
      feature = number;
    }
  }
  matched.of_column = std::move(of_column);
  return matched;
}

}  // namespace dsi::internal
