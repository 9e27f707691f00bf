#include "dsi/dedup/find_places_internal.h"

#include <algorithm>
#include <bit>

#include "dsi/base/probe_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kNowhere = ~uint32_t{0};
constexpr size_t kNear = 8;        // Values of the source that a step leaves out cheaply.
constexpr size_t kMostTries = 16;  // Places of a gram that are compared.

// A slot of a table of 2^k. The upper bits of a product depend on all bits of the value.
size_t SlotOf(uint64_t value, size_t size) {
  return value * 0x9E3779B97F4A7C15ULL >> 1 >> (63 - std::countr_zero(size));
}

template <typename T>
uint64_t Hash(const T* values) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
  uint64_t hash = 0;
  for (size_t i = 0; i < kPlaceGram; ++i) hash = (std::rotl(hash, 29) ^ values[i]) * kPrime;
  return hash ^ hash >> 32;
}

}  // namespace

uint64_t HashOfGram(const uint32_t* values) { return Hash(values); }
uint64_t HashOfGram(const uint64_t* values) { return Hash(values); }

template <typename T>
PlaceFinder<T>::PlaceFinder(std::span<const T> source) : source_(source) {
  values_.assign(std::bit_ceil(2 * source.size() + 1), kNowhere);
  for (size_t place = 0; place < source.size(); ++place) {
    uint32_t& first =
        values_[Probe(values_, SlotOf(source[place], values_.size()), [&](uint32_t known) {
          return known == kNowhere || source[known] == source[place];
        })];
    first = std::min(first, static_cast<uint32_t>(place));
  }
  if (source.size() < kPlaceGram) return;
  const size_t grams = source.size() - kPlaceGram + 1;
  first_.assign(std::bit_ceil(2 * grams), kNowhere);
  mask_ = first_.size() - 1;
  next_.resize(grams);
  for (size_t place = grams; place-- > 0;) {
    uint32_t& first = first_[Hash(&source[place]) & mask_];
    next_[place] = first;
    first = static_cast<uint32_t>(place);
  }
}

template <typename T>
size_t PlaceFinder<T>::MatchAt(std::span<const T> values, size_t place) const {
  const std::span<const T> there = source_.subspan(place);
  const size_t most = std::min(values.size(), there.size());
  return static_cast<size_t>(std::mismatch(values.begin(),
                                           values.begin() + static_cast<std::ptrdiff_t>(most),
                                           there.begin())
                                 .first -
                             values.begin());
}

// Its first place in the source, or the size of that.
template <typename T>
uint32_t PlaceFinder<T>::FirstOf(T value) const {
  const uint32_t place = values_[Probe(values_, SlotOf(value, values_.size()), [&](uint32_t known) {
    return known == kNowhere || source_[known] == value;
  })];
  return place == kNowhere ? static_cast<uint32_t>(source_.size()) : place;
}

template <typename T>
std::vector<uint32_t> PlaceFinder<T>::Find(std::span<const T> values, size_t least_far) const {
  std::vector<uint32_t> places;
  places.reserve(values.size());
  size_t next = 0;  // Behind the last run.
  while (places.size() < values.size()) {
    const std::span<const T> left = values.subspan(places.size());
    size_t best = 0;
    size_t at = 0;
    const auto look_at = [&](size_t place, size_t least) {
      const size_t found = MatchAt(left, place);
      if (found <= best || found < least) return;
      best = found;
      at = place;
    };
    for (size_t place = next; place < std::min(next + kNear, source_.size()); ++place) {
      look_at(place, 1);
      if (best >= least_far) break;
    }
    if (best < least_far && left.size() >= kPlaceGram && !first_.empty()) {
      uint32_t place = first_[Hash(left.data()) & mask_];
      for (size_t tries = 0; place != kNowhere && tries < kMostTries; ++tries) {
        look_at(place, least_far);
        place = next_[place];
      }
    }
    if (best == 0) {
      places.push_back(FirstOf(left[0]));
      continue;
    }
    for (size_t i = 0; i < best; ++i) places.push_back(static_cast<uint32_t>(at + i));
    next = at + best;
  }
  return places;
}

template class PlaceFinder<uint32_t>;
template class PlaceFinder<uint64_t>;

}  // namespace dsi::internal
