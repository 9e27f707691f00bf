// Where the values of an array stand in another, its source: what one list of an owner has, another
// often has, too, whole or but for some.
//
// Values that follow one another in both are found as runs: after a run the source is looked at a
// little further on, where entries were left out, then where a hash of the next few was met. A
// value that continues nothing has the first place of its like. Thread safety: const functions are
// pure; deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// A hash of the few values at `values`.
inline constexpr size_t kPlaceGram = 3;
uint64_t HashOfGram(const uint32_t* values);
uint64_t HashOfGram(const uint64_t* values);

// T: uint32_t or uint64_t. Memory: 16 to 28 bytes per value of the source, which must outlive this.
template <typename T>
class PlaceFinder {
 public:
  explicit PlaceFinder(std::span<const T> source);

  // The place of each value, or the size of the source for one that is not there. `least_far`: as
  // many values as make up for the step to a place that is not near.
  std::vector<uint32_t> Find(std::span<const T> values, size_t least_far) const;

 private:
  size_t MatchAt(std::span<const T> values, size_t place) const;
  uint32_t FirstOf(T value) const;

  std::span<const T> source_;
  std::vector<uint32_t> first_;  // By hash of a gram: its first place …
  std::vector<uint32_t> next_;   // … and by place the next one of a gram of the same hash.
  size_t mask_ = 0;
  std::vector<uint32_t> values_;  // By hash of a value: its first place.
};

}  // namespace dsi::internal
