// Order-0 entropy: what a choice expects of an entropy coder before it runs one.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// Bits per symbol of symbols below 2^symbol_bits.
inline double EntropyBits(std::span<const uint16_t> symbols, int symbol_bits) {
  std::vector<uint32_t> counts(size_t{1} << symbol_bits);
  for (const uint16_t symbol : symbols) ++counts[symbol];
  double sum = 0;
  for (const uint32_t count : counts) {
    if (count != 0) sum += count * std::log2(static_cast<double>(count));
  }
  const auto total = static_cast<double>(symbols.size());
  return std::log2(total) - sum / total;
}

}  // namespace dsi::internal
