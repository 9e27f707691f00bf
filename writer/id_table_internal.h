// The distinct ids of an id space, and a number for each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsi::internal {

// Bounds the memory that looking for ids takes; three in four may occur once.
inline constexpr size_t kMaxIds = 1U << 24;

// Distinct ids, ascending.
template <typename T>
class IdTable {
 public:
  explicit IdTable(size_t expected)
      : slots_(std::bit_ceil(std::max<size_t>(expected, 512) * 2), 0) {}

  // Collects a value; false once there are more than kMaxIds.
  bool Insert(T value) {
    if (value == 0) {
      has_zero_ = true;
      return true;
    }
    for (size_t i = Slot(value);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == value) return true;
      if (slots_[i] != 0) continue;
      slots_[i] = value;
      if (++size_ > kMaxIds) return false;
      if (size_ * 2 > slots_.size()) Grow();
      return true;
    }
  }

  std::vector<T> Sorted() const {
    std::vector<T> ids;
    ids.reserve(size_ + 1);
    if (has_zero_) ids.push_back(0);
    for (const T id : slots_) {
      if (id != 0) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  // Prepares Code: call once, with the sorted ids.
  void Number(const std::vector<T>& sorted) {
    codes_.assign(slots_.size(), 0);
    for (uint32_t code = 0; code < sorted.size(); ++code) {
      if (sorted[code] != 0) codes_[Find(sorted[code])] = code;
    }
  }
  uint32_t Code(T id) const { return id == 0 ? 0 : codes_[Find(id)]; }  // Zero sorts first.

 private:
  size_t Slot(T value) const {
    return static_cast<size_t>((static_cast<uint64_t>(value) * 0x9E3779B97F4A7C15ULL) >>
                               (64 - std::countr_zero(slots_.size())));
  }
  size_t Find(T value) const {
    size_t i = Slot(value);
    while (slots_[i] != value) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void Grow() {
    std::vector<T> old(slots_.size() * 2, 0);
    old.swap(slots_);
    for (const T value : old) {
      if (value == 0) continue;
      size_t i = Slot(value);
      while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = value;
    }
  }

  std::vector<T> slots_;  // 0: free.
  std::vector<uint32_t> codes_;
  size_t size_ = 0;
  bool has_zero_ = false;
};

}  // namespace dsi::internal
