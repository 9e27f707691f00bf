// Floored modulus by multiplication, and the hash of SigridHash (T-020, T-021).
#pragma once

#include <bit>
#include <cstdint>

namespace dsi::internal {

// x mod d in [0, d) for any x; d at least 1.
//
// For x >= 0, below 2^63, the quotient is the high half of x * m, shifted, with
// m = floor(2^(63 + l) / d) + 1 and l = ceil(log2 d): Granlund and Montgomery's theorem for 63
// bits. For x < 0, x mod d = d - 1 - (~x mod d).
class Residue {
 public:
  explicit Residue(int64_t d) : d_(static_cast<uint64_t>(d)) {
    if (d_ == 1) return;
    const auto log = static_cast<int>(std::bit_width(d_ - 1));
    shift_ = log - 1;
    multiplier_ = static_cast<uint64_t>((static_cast<unsigned __int128>(1) << (63 + log)) / d_) + 1;
  }

  int64_t divisor() const { return static_cast<int64_t>(d_); }

  int64_t Of(int64_t x) const {
    const auto sign = static_cast<uint64_t>(x >> 63);
    const uint64_t y = static_cast<uint64_t>(x) ^ sign;
    const auto high =
        static_cast<uint64_t>((static_cast<unsigned __int128>(y) * multiplier_) >> 64);
    const uint64_t rest = y - (high >> shift_) * d_;
    return static_cast<int64_t>(d_ == 1 ? 0 : (rest ^ sign) + (d_ & sign));
  }

 private:
  uint64_t d_;
  uint64_t multiplier_ = 0;
  int shift_ = 0;
};

constexpr uint64_t kHashMultiplier = 0x9ddfea08eb382d69;

constexpr uint64_t TwangMix64(uint64_t k) {
  k = ~k + (k << 21);
  k ^= k >> 24;
  k = k + (k << 3) + (k << 8);
  k ^= k >> 14;
  k = k + (k << 2) + (k << 4);
  k ^= k >> 28;
  return k + (k << 31);
}

constexpr uint64_t Hash128To64(uint64_t upper, uint64_t lower) {
  uint64_t a = (lower ^ upper) * kHashMultiplier;
  a ^= a >> 47;
  uint64_t b = (upper ^ a) * kHashMultiplier;
  b ^= b >> 47;
  return b * kHashMultiplier;
}

}  // namespace dsi::internal
