// A permutation of [0, n) that is worked out, not stored: its key chooses which.
#pragma once

#include <cstdint>

#include "dsi/base/split_mix_internal.h"
#include "dsi/dataset/order.h"

namespace dsi::internal {

// What a permutation is for, so that no two of them go together (DO-002).
enum class OrderPurpose : uint8_t { kUnits = 1, kWindow = 2 };

// The key of DO-002. `index`: of a window; 0 for units.
uint64_t OrderKey(OrderPurpose purpose, const OrderOptions& options, uint64_t snapshot,
                  uint64_t index);

// A Feistel network over pairs of numbers below `high` and `low` (Black and Rogaway, "Ciphers with
// Arbitrary Finite Domains", CT-RSA 2002, their third method), whose results of n or more are put
// through it again until one is less (DO-003). The pairs are fewer than n + √n + 2, so that once is
// nearly always enough.
//
// Thread safety: a value.
class KeyedBijection {
 public:
  static constexpr uint64_t kMaxSize = 1ULL << 48;

  KeyedBijection() = default;  // Of nothing.
  // n <= kMaxSize.
  KeyedBijection(uint64_t key, uint64_t n);

  uint64_t size() const { return size_; }
  // Where i goes; i < size().
  uint64_t At(uint64_t i) const;
  // What goes to i; i < size().
  uint64_t Inverse(uint64_t i) const;

 private:
  static constexpr uint64_t kFew = 256;  // Below it all rounds are done, from it on kRounds.
  static constexpr int kRounds = 6;
  static constexpr int kMaxRounds = 24;

  uint64_t size_ = 0;
  uint32_t high_ = 1;
  uint32_t low_ = 1;
  int rounds_ = 0;
  uint64_t round_keys_[kMaxRounds] = {};
};

}  // namespace dsi::internal
