// Bit maps (bit i of byte i / 8, least significant first) that begin at any bit, word by word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dsi::internal {

// Up to 64 bits of a bit map from any bit on; bits from `count` on are 0. Reads no byte that has
// none of them.
inline uint64_t BitWord(const uint8_t* bits, size_t at, size_t count) {
  const uint8_t* from = bits + at / 8;
  const size_t shift = at % 8;
  const size_t num_bytes = std::min<size_t>((shift + count + 7) / 8, 9);
  uint64_t low = 0;
  std::memcpy(&low, from, std::min<size_t>(num_bytes, 8));
  uint64_t word = low >> shift;
  if (num_bytes == 9) word |= uint64_t{from[8]} << (64 - shift);
  return count >= 64 ? word : word & ((uint64_t{1} << count) - 1);
}

// Calls run(begin, end) for each run of set bits among `count` from bit `at` on. No bit map: all
// are set.
template <typename Run>
void ForEachRunOfBits(const uint8_t* bits, size_t at, size_t count, const Run& run) {
  if (bits == nullptr) {
    if (count > 0) run(size_t{0}, count);
    return;
  }
  size_t begin = 0;
  bool open = false;
  for (size_t i = 0; i < count; i += 64) {
    const size_t num_bits = std::min<size_t>(64, count - i);
    const uint64_t word = BitWord(bits, at + i, num_bits);
    const uint64_t full = num_bits == 64 ? ~uint64_t{0} : (uint64_t{1} << num_bits) - 1;
    if (word == (open ? full : 0)) continue;
    size_t done = 0;
    while (done < num_bits) {
      const uint64_t rest = (open ? ~word : word) >> done;
      const size_t step = rest == 0 ? 64 : static_cast<size_t>(std::countr_zero(rest));
      if (step >= num_bits - done) break;
      done += step;
      if (open) {
        run(begin, i + done);
      } else {
        begin = i + done;
      }
      open = !open;
    }
  }
  if (open) run(begin, count);
}

}  // namespace dsi::internal
