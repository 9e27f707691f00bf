// Counts the values of names that the schema lacks, block by block.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/text/text_input.h"

namespace dsi::internal {

class IgnoredNames {
 public:
  // Names of one block; values of those beyond are counted together, for ids as keys must not fill
  // the memory.
  static constexpr size_t kMost = 50'000;

  // A value of a name, which is at *place, 0 at first; the caller keeps that until Take sets it
  // back to 0.
  void Add(uint32_t* place, std::string_view name, uint64_t line) {
    if (*place == 0) {
      if (is_full()) return AddBeyond();
      names_.push_back({.name = std::string(name), .first_line = line});
      places_.push_back(place);
      *place = static_cast<uint32_t>(names_.size());
    }
    ++names_[*place - 1].values;
  }
  void AddBeyond() { ++more_; }
  bool is_full() const { return names_.size() == kMost; }

  // What was counted since the last call, in order of first appearance.
  std::vector<IgnoredName> Take(uint64_t* more) {
    *more = std::exchange(more_, 0);
    for (uint32_t* place : places_) *place = 0;
    places_.clear();
    return std::exchange(names_, {});
  }

 private:
  std::vector<IgnoredName> names_;
  std::vector<uint32_t*> places_;
  uint64_t more_ = 0;
};

}  // namespace dsi::internal
