// 128 bits that stand for a value, a row or many rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/base/split_mix_internal.h"

namespace dsi::internal {

struct RowHash {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const RowHash&) const = default;
  // Of many: the same in whichever order they are added.
  RowHash& operator+=(const RowHash& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  RowHash Times(uint64_t count) const { return {low * count, high * count}; }
  // A bijection that keeps no sum: of a row, where it is a sum over its columns.
  RowHash Mixed() const {
    RowHash mixed = *this;
    mixed.low ^= Mix64(mixed.high + kGolden);
    mixed.high ^= Mix64(mixed.low + 2 * kGolden);
    mixed.low ^= Mix64(mixed.high + 3 * kGolden);
    return mixed;
  }
};

struct HashOfRowHash {
  size_t operator()(const RowHash& hash) const { return hash.low; }
};

}  // namespace dsi::internal
