// Order-0 entropy: what a choice expects of an entropy coder before it runs one.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// Bits for each use of a symbol, of which it is known how often each is used.
inline double EntropyOfUses(std::span<const uint32_t> uses) {
  double total = 0;
  double sum = 0;
  for (const uint32_t n : uses) {
    if (n == 0) continue;
    total += n;
    sum += n * std::log2(static_cast<double>(n));
  }
  return std::log2(total) - sum / total;
}

// Bits per symbol of symbols below 2^symbol_bits.
inline double EntropyBits(std::span<const uint16_t> symbols, int symbol_bits) {
  std::vector<uint32_t> uses(size_t{1} << symbol_bits);
  for (const uint16_t symbol : symbols) ++uses[symbol];
  return EntropyOfUses(uses);
}

}  // namespace dsi::internal
