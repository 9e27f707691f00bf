// The distinct ids of an id space, and a number for each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsi/base/probe_internal.h"

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
    T& slot = slots_[Probe(slots_, Slot(value, slots_.size()),
                           [&](T known) { return known == value || known == 0; })];
    if (slot == value) return true;
    slot = value;
    if (++size_ > kMaxIds) return false;
    if (size_ * 4 > slots_.size() * 3) Grow();
    return true;
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

  // Prepares Code: call once, with the sorted ids, which must outlive this. Nothing can be inserted
  // or sorted any more: the ids are kept there alone.
  void Number(const std::vector<T>& sorted) {
    slots_ = std::vector<T>();  // Gives the memory back.
    ids_ = sorted.data();
    codes_.assign(std::bit_ceil(std::max<size_t>(sorted.size() + sorted.size() / 2, 512)), kFree);
    for (uint32_t code = 0; code < sorted.size(); ++code) {
      codes_[Probe(codes_, Slot(sorted[code], codes_.size()),
                   [](uint32_t known) { return known == kFree; })] = code;
    }
  }
  // Of an id that was inserted.
  uint32_t Code(T id) const {
    return codes_[Probe(codes_, Slot(id, codes_.size()),
                        [&](uint32_t code) { return ids_[code] == id; })];
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;

  static size_t Slot(T value, size_t num_slots) {
    return static_cast<size_t>((static_cast<uint64_t>(value) * 0x9E3779B97F4A7C15ULL) >>
                               (64 - std::countr_zero(num_slots)));
  }
  void Grow() {
    std::vector<T> old(slots_.size() * 2, 0);
    old.swap(slots_);
    for (const T value : old) {
      if (value == 0) continue;
      slots_[Probe(slots_, Slot(value, slots_.size()), [](T known) { return known == 0; })] = value;
    }
  }

  std::vector<T> slots_;  // 0: free.
  const T* ids_ = nullptr;
  std::vector<uint32_t> codes_;
  size_t size_ = 0;
  bool has_zero_ = false;
};

}  // namespace dsi::internal
