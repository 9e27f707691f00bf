// Bits and the values 0 and 1 (E-060).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Writes count values from ⌈count / 8⌉ bytes.
template <typename T>
void ExpandBits(const std::byte* bits, size_t count, T* out) {
  const size_t whole = count / 8;
  for (size_t i = 0; i < whole; ++i) {
    const auto byte = static_cast<unsigned>(bits[i]);
    for (unsigned k = 0; k < 8; ++k) out[i * 8 + k] = static_cast<T>((byte >> k) & 1U);
  }
  for (size_t i = whole * 8; i < count; ++i) {
    out[i] = static_cast<T>((static_cast<unsigned>(bits[i / 8]) >> (i % 8)) & 1U);
  }
}

// Every value is 0 or 1; `bits` has ⌈count / 8⌉ bytes of zeros.
template <typename T>
void CollectBits(const T* values, size_t count, std::byte* bits) {
  for (size_t i = 0; i < count; ++i) {
    bits[i / 8] |= static_cast<std::byte>(static_cast<unsigned>(values[i]) << (i % 8));
  }
}

}  // namespace dsi::internal
