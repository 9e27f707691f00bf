// Which new files of a replace stand in the place of which replaced ones
// (TableCommitOptions::replaced).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsi/dataset/files/manifest_internal.h"

namespace dsi::internal {

class ReplacedFiles {
 public:
  // New files [begin, end), counted as they were given.
  struct Place {
    size_t begin = 0;
    size_t end = 0;
  };

  // As many new files as names: each in the place of one. As many as names that are no overlays:
  // each in the place of one of those. Else all where the first of them stood, one that is no
  // overlay before others.
  ReplacedFiles(std::span<const std::string> names, const ManifestContent& newest, size_t num_new) {
    for (const std::string& name : names) places_.try_emplace(name);
    std::unordered_map<std::string_view, bool> have_rows;
    std::string_view first, first_with_rows;
    for (size_t i = 0; i < newest.paths.size(); ++i) {
      const std::string& path = newest.paths[i];
      if (!places_.contains(path)) continue;
      const bool has_rows = !newest.facts[i].overlay;
      have_rows.emplace(path, has_rows);
      if (first.empty()) first = path;
      if (has_rows && first_with_rows.empty()) first_with_rows = path;
    }
    std::vector<std::string_view> of_each(names.begin(), names.end());
    if (num_new != of_each.size())
      std::erase_if(of_each, [&](std::string_view name) { return !have_rows[name]; });
    if (num_new == of_each.size()) {
      for (size_t i = 0; i < num_new; ++i) places_[of_each[i]] = {i, i + 1};
    } else if (!first.empty()) {
      places_[first_with_rows.empty() ? first : first_with_rows] = {0, num_new};
    }
  }

  // Null: the file stays.
  const Place* Find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string_view, Place> places_;
};

}  // namespace dsi::internal
