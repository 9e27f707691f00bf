// Finds the distinct values of an array and numbers them (spec E-050).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dsi/base/probe_internal.h"
#include "dsi/base/random_seed_internal.h"

namespace dsi::internal {

// Numbers distinct values in order of first appearance: an open-addressing table, at most half
// full. No file that is rewritten can have them all collide.
template <typename T>
class ValueTable {
 public:
  ValueTable() { Resize(256); }

  const std::vector<T>& entries() const { return entries_; }
  std::vector<T> TakeEntries() && { return std::move(entries_); }

  // Writes the number of each value, new or known. False, early, once there are more than `most`
  // different ones.
  bool Insert(std::span<const T> values, uint32_t* numbers, size_t most = SIZE_MAX) {
    constexpr size_t kBlock = 512;
    std::array<uint16_t, kBlock> missed;
    for (; !values.empty(); values = values.subspan(std::min(kBlock, values.size()))) {
      const std::span<const T> block = values.first(std::min(kBlock, values.size()));
      // Most values are known and where they should be, but no branch could tell which.
      numbers[0] = Insert(block[0]);
      size_t misses = 0;
      for (size_t i = 1; i < block.size(); ++i) {
        const uint32_t number = slots_[Slot(block[i])];
        const T entry = entries_[number == kEmpty ? 0 : number];
        const bool is_known = (number != kEmpty) & (entry == block[i]);
        missed[misses] = static_cast<uint16_t>(i);
        numbers[i] = number;
        misses += is_known ? 0 : 1;
      }
      for (const uint16_t i : std::span(missed).first(misses)) numbers[i] = Insert(block[i]);
      if (entries_.size() > most) return false;
      numbers += block.size();
    }
    return true;
  }

 private:
  static constexpr uint32_t kEmpty = ~uint32_t{0};

  uint32_t Insert(T value) {
    const size_t at = Probe(slots_, Slot(value), [&](uint32_t known) {
      return known == kEmpty || entries_[known] == value;
    });
    if (slots_[at] != kEmpty) return slots_[at];
    const auto number = static_cast<uint32_t>(entries_.size());
    slots_[at] = number;
    entries_.push_back(value);
    if (entries_.size() * 2 > slots_.size()) Resize(slots_.size() * 4);
    return number;
  }

  size_t Slot(T value) const {
    const uint64_t key = static_cast<uint64_t>(value) ^ seed_;
    return static_cast<size_t>(((key ^ (key >> 32)) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  void Resize(size_t size) {
    slots_.assign(size, kEmpty);
    shift_ = 64 - std::countr_zero(size);
    for (size_t i = 0; i < entries_.size(); ++i) {
      slots_[Probe(slots_, Slot(entries_[i]), [](uint32_t known) { return known == kEmpty; })] =
          static_cast<uint32_t>(i);
    }
  }

  std::vector<uint32_t> slots_;
  std::vector<T> entries_;
  uint64_t seed_ = RandomSeed();
  int shift_ = 0;
};

// Entries (at least one, all different) in ascending order, and for each old number the new one.
// Large dictionaries are the rule, mostly of hashes: about as many buckets as entries, by their
// leading bits, leave a bucket a few entries to sort.
template <typename T>
void SortEntries(const std::vector<T>& entries, std::vector<T>* sorted,
                 std::vector<uint32_t>* ranks) {
  struct Item {
    T value;
    uint32_t number;
  };
  const auto [low, high] = std::minmax_element(entries.begin(), entries.end());
  const T least = *low;
  const auto range_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(*high - least)));
  constexpr int kMostBucketBits = 16;
  const int bucket_bits =
      std::min(static_cast<int>(std::bit_width(entries.size())), kMostBucketBits);
  const int shift = std::max(range_bits - bucket_bits, 0);
  const auto bucket = [&](T value) {
    return static_cast<size_t>(static_cast<uint64_t>(value - least) >> shift);
  };
  std::vector<uint32_t> ends((size_t{1} << bucket_bits) + 1);
  for (const T value : entries) ++ends[bucket(value) + 1];
  for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<Item> items(entries.size());
  // Filling a bucket moves its start to its end.
  for (size_t i = 0; i < entries.size(); ++i)
    items[ends[bucket(entries[i])]++] = {entries[i], static_cast<uint32_t>(i)};
  uint32_t start = 0;
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    if (ends[i] - start > 1) {
      std::sort(items.begin() + start, items.begin() + ends[i],
                [](const Item& a, const Item& b) { return a.value < b.value; });
    }
    start = ends[i];
  }
  sorted->resize(items.size());
  ranks->resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    (*sorted)[i] = items[i].value;
    (*ranks)[items[i].number] = static_cast<uint32_t>(i);
  }
}

}  // namespace dsi::internal
