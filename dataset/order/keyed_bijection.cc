#include "dsi/dataset/order/keyed_bijection_internal.h"

#include <initializer_list>

namespace dsi::internal {
namespace {

// A number below `limit`, which is at most 2^24.
uint32_t Round(uint64_t key, uint32_t half, uint32_t limit) {
  return static_cast<uint32_t>(((Mix64(key + half) >> 24) * limit) >> 40);
}

uint32_t Add(uint32_t a, uint32_t b, uint32_t limit) {
  const uint32_t sum = a + b;
  return sum < limit ? sum : sum - limit;
}

uint32_t Subtract(uint32_t a, uint32_t b, uint32_t limit) { return a >= b ? a - b : a + limit - b; }

uint32_t RootRoundedUp(uint64_t n) {
  uint64_t root = 0;
  for (uint64_t bit = 1ULL << 24; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= n) root += bit;
  }
  return static_cast<uint32_t>(root * root < n ? root + 1 : root);
}

}  // namespace

uint64_t OrderKey(OrderPurpose purpose, const OrderOptions& options, uint64_t snapshot,
                  uint64_t index) {
  uint64_t key = SplitMix64(static_cast<uint64_t>(purpose), 1);
  for (const uint64_t word : {options.seed, options.epoch, snapshot, index}) {
    key = SplitMix64(key ^ word, 1);
  }
  return key;
}

KeyedBijection::KeyedBijection(uint64_t key, uint64_t n) : size_(n) {
  if (n == 0) return;
  low_ = RootRoundedUp(n);
  low_ += low_ % 2;  // Adding to an odd number of places never makes a permutation odd.
  high_ = static_cast<uint32_t>((n + low_ - 1) / low_);
  rounds_ = n < kFew ? kMaxRounds : kRounds;
  for (int r = 0; r < rounds_; ++r) round_keys_[r] = SplitMix64(key, static_cast<uint64_t>(r) + 1);
}

uint64_t KeyedBijection::At(uint64_t i) const {
  do {
    auto high = static_cast<uint32_t>(i / low_);
    auto low = static_cast<uint32_t>(i % low_);
    for (int r = 0; r < rounds_; r += 2) {
      high = Add(high, Round(round_keys_[r], low, high_), high_);
      low = Add(low, Round(round_keys_[r + 1], high, low_), low_);
    }
    i = uint64_t{high} * low_ + low;
  } while (i >= size_);
  return i;
}

uint64_t KeyedBijection::Inverse(uint64_t i) const {
  do {
    auto high = static_cast<uint32_t>(i / low_);
    auto low = static_cast<uint32_t>(i % low_);
    for (int r = rounds_; r > 0; r -= 2) {
      low = Subtract(low, Round(round_keys_[r - 1], high, low_), low_);
      high = Subtract(high, Round(round_keys_[r - 2], low, high_), high_);
    }
    i = uint64_t{high} * low_ + low;
  } while (i >= size_);
  return i;
}

}  // namespace dsi::internal
