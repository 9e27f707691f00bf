// Finds the distinct values of an array and numbers them (spec E-050).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// Numbers distinct values in order of first appearance. An open-addressing table that doubles when
// half full.
template <typename T>
class ValueTable {
 public:
  ValueTable() { Resize(256); }

  const std::vector<T>& entries() const { return entries_; }

  // Returns the number of the value, new or known.
  uint32_t Insert(T value) {
    size_t at = Slot(value);
    while (slots_[at] != kEmpty) {
      if (entries_[slots_[at]] == value) return slots_[at];
      at = (at + 1) & mask_;
    }
    const auto number = static_cast<uint32_t>(entries_.size());
    slots_[at] = number;
    entries_.push_back(value);
    if (entries_.size() * 2 > slots_.size()) Resize(slots_.size() * 4);
    return number;
  }

  // Inserts all values; false as soon as there are more than `cap` distinct ones.
  bool InsertAll(std::span<const T> values, size_t cap) {
    for (const T value : values) {
      Insert(value);
      if (entries_.size() > cap) return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kEmpty = ~uint32_t{0};

  size_t Slot(T value) const {
    const uint64_t key = static_cast<uint64_t>(value);
    return static_cast<size_t>(((key ^ (key >> 32)) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  void Resize(size_t size) {
    slots_.assign(size, kEmpty);
    mask_ = size - 1;
    shift_ = 64 - std::countr_zero(size);
    for (size_t i = 0; i < entries_.size(); ++i) {
      size_t at = Slot(entries_[i]);
      while (slots_[at] != kEmpty) at = (at + 1) & mask_;
      slots_[at] = static_cast<uint32_t>(i);
    }
  }

  std::vector<uint32_t> slots_;
  std::vector<T> entries_;
  size_t mask_ = 0;
  int shift_ = 0;
};

// Entries in ascending order, and for each old number the new one. A radix sort: large dictionaries
// are the rule.
template <typename T>
void SortEntries(const std::vector<T>& entries, std::vector<T>* sorted,
                 std::vector<uint32_t>* ranks) {
  struct Item {
    T value;
    uint32_t number;
  };
  std::vector<Item> items(entries.size());
  std::array<std::array<uint32_t, 256>, sizeof(T)> counts = {};
  for (size_t i = 0; i < entries.size(); ++i) {
    items[i] = {entries[i], static_cast<uint32_t>(i)};
    for (size_t digit = 0; digit < sizeof(T); ++digit)
      ++counts[digit][(entries[i] >> (8 * digit)) & 0xFF];
  }
  constexpr size_t kFewEntries = 512;
  if (items.size() <= kFewEntries) {
    std::sort(items.begin(), items.end(),
              [](const Item& a, const Item& b) { return a.value < b.value; });
  } else {
    std::vector<Item> other(items.size());
    for (size_t digit = 0; digit < sizeof(T); ++digit) {
      auto& count = counts[digit];
      // A digit that is the same in all entries orders nothing.
      if (count[(entries[0] >> (8 * digit)) & 0xFF] == items.size()) continue;
      uint32_t at = 0;
      for (uint32_t& start : count) {
        const uint32_t size = start;
        start = at;
        at += size;
      }
      for (const Item& item : items) other[count[(item.value >> (8 * digit)) & 0xFF]++] = item;
      items.swap(other);
    }
  }
  sorted->resize(items.size());
  ranks->resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    (*sorted)[i] = items[i].value;
    (*ranks)[items[i].number] = static_cast<uint32_t>(i);
  }
}

}  // namespace dsi::internal
