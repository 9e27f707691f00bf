// Little-endian loads and stores, and arithmetic that cannot wrap unseen. No struct is ever laid
// over file bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dsi::internal {

// Spec F-001.
static_assert(std::endian::native == std::endian::little,
              "loads and stores below assume a little-endian machine");

template <typename T>
T LoadLE(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <typename T>
void StoreLE(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof(T));
}

template <typename T>
void AppendLE(std::vector<std::byte>* out, T value) {
  const size_t at = out->size();
  out->resize(at + sizeof(T));
  StoreLE(out->data() + at, value);
}

constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Zero-pads to a multiple of the alignment.
inline void PadTo(std::vector<std::byte>* out, size_t alignment) {
  out->resize(AlignUp(out->size(), alignment));
}

// False when the sum or product does not fit.
inline bool CheckedAdd(uint64_t a, uint64_t b, uint64_t* sum) {
  return !__builtin_add_overflow(a, b, sum);
}
inline bool CheckedMul(uint64_t a, uint64_t b, uint64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

// True when [offset, offset + size) lies in [0, limit). Subtracts, so that nothing wraps.
constexpr bool FitsIn(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

inline bool AllZero(std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) {
    if (b != std::byte{0}) return false;
  }
  return true;
}

}  // namespace dsi::internal
