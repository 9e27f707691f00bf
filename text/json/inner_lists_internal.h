// Lists of lists in JSON: the entries of the inner ones, and how many each has.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/null_entries.h"

namespace dsi::internal {

// Whether the entries of a list are lists, which the first that is not null tells; nulls alone may
// be.
inline bool HoldsLists(simdjson::dom::array list) {
  for (const simdjson::dom::element item : list) {
    if (!item.is_null()) return item.is_array();
  }
  return list.size() != 0;
}

// Memory is used again from row to row. Thread safety: one thread at a time.
class InnerLists {
 public:
  void Clear() {
    entries_.clear();
    lengths_.clear();
  }

  // False: no list, nor a null that is filled, with a list of no entries.
  bool Add(simdjson::dom::element list, NullEntries null_entries) {
    const size_t before = entries_.size();
    simdjson::dom::array array;
    if (list.get(array) == simdjson::SUCCESS) {
      for (const simdjson::dom::element item : array) {
        if (!item.is_null() || null_entries != NullEntries::kDrop) entries_.push_back(item);
      }
    } else if (!list.is_null() || null_entries != NullEntries::kFill) {
      return false;
    }
    lengths_.push_back(static_cast<int64_t>(entries_.size() - before));
    return true;
  }

  std::span<const simdjson::dom::element> entries() const { return entries_; }
  std::span<const int64_t> lengths() const { return lengths_; }

 private:
  std::vector<simdjson::dom::element> entries_;
  std::vector<int64_t> lengths_;
};

}  // namespace dsi::internal
