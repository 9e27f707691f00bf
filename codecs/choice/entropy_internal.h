// Order-0 entropy: what a choice expects of an entropy coder before it runs one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {

// Bits for each use of a symbol, of which it is known how often each is used.
inline double EntropyOfUses(std::span<const uint32_t> uses) {
  double total = 0;
  double sum = 0;
  const auto add = [&](double n, double symbols) {
    total += symbols * n;
    sum += symbols * n * Log2(n);
  };
  // Of many symbols most are used as seldom as others: a logarithm for all of them.
  constexpr size_t kSeldom = 64;
  std::array<uint32_t, kSeldom> used = {};
  for (const uint32_t n : uses) {
    if (n < kSeldom) {
      ++used[n];
    } else {
      add(n, 1);
    }
  }
  for (size_t n = 1; n < kSeldom; ++n) {
    if (used[n] != 0) add(static_cast<double>(n), used[n]);
  }
  return Log2(total) - sum / total;
}

// Bits per symbol of symbols below 2^symbol_bits.
inline double EntropyBits(std::span<const uint16_t> symbols, int symbol_bits) {
  std::vector<uint32_t> uses(size_t{1} << symbol_bits);
  for (const uint16_t symbol : symbols) ++uses[symbol];
  return EntropyOfUses(uses);
}

}  // namespace dsi::internal
