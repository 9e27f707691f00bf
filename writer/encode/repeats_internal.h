// How often ids repeat, by a sample: what a dictionary of them is worth, before it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

struct Repeats {
  double total = 0;
  double distinct = 0;  // About.
  int bits = 0;         // Of the greatest id.

  // Nearly as many ids that repeat nearly as often: what was found for one is true of the other.
  bool IsLike(const Repeats& other) const;
  // The most that a dictionary can save of ids that are packed, as a share of them: each that
  // differs costs an entry, each id a code. Codes of ids that are used unequally take less.
  double MostSaved() const;
};

// Looks at one id in 64, by its value, so that one that repeats is seen with all its repetitions.
template <typename T>
class RepeatSample {
 public:
  void Add(std::span<const T> ids) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
    constexpr int kShift = 64 - 6;
    for (const T id : ids) {
      if ((uint64_t{id} * kOdd) >> kShift == 0) ids_.push_back(id);
    }
    total_ += ids.size();
  }

  // Of all that were added.
  Repeats Count();

 private:
  std::vector<T> ids_;
  size_t total_ = 0;
};

}  // namespace dsi::internal
