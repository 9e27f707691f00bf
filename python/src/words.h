// Values of the library that Python says by a word.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/format/null_entries.h"
#include "dsi/python/src/status.h"

namespace dsi::python {

template <typename T>
using Words = std::vector<std::pair<std::string_view, T>>;

// The value of a word; InvalidArgument lists the words that there are.
template <typename T>
T Value(const Words<T>& words, std::string_view what, std::string_view word) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += known.empty() ? "'" : ", '";
    known += std::string(name) + "'";
  }
  Raise({StatusCode::kInvalidArgument,
         std::string(what) + " is '" + std::string(word) + "', expected one of " + known});
}

inline NullEntries NullEntriesOf(std::string_view word) {
  return Value<NullEntries>(
      {{"fail", NullEntries::kFail}, {"drop", NullEntries::kDrop}, {"fill", NullEntries::kFill}},
      "null_entries", word);
}

template <typename T>
std::string_view Word(const Words<T>& words, T value) {
  for (const auto& [name, known] : words) {
    if (known == value) return name;
  }
  return "";
}

}  // namespace dsi::python
