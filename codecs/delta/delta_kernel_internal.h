// Differences between neighbours, zigzag coded (E-030). Arithmetic wraps (E-004).
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Small positive and negative differences alike become small numbers.
template <typename T>
constexpr T ZigZag(T difference) {
  constexpr int kTop = 8 * sizeof(T) - 1;
  return static_cast<T>(static_cast<T>(difference << 1) ^
                        static_cast<T>(-static_cast<T>(difference >> kTop)));
}

template <typename T>
constexpr T UnZigZag(T coded) {
  return static_cast<T>(static_cast<T>(coded >> 1) ^ static_cast<T>(-static_cast<T>(coded & 1)));
}

// values[0 … count) become differences[0 … count - 1); count >= 2.
template <typename T>
void ZigZagDifferences(const T* values, size_t count, T* differences) {
  for (size_t i = 1; i < count; ++i) {
    differences[i - 1] = ZigZag(static_cast<T>(values[i] - values[i - 1]));
  }
}

// In place: values[0] is the first value, the zigzag differences follow it.
template <typename T>
void SumZigZag(T* values, size_t count) {
  T sum = values[0];
  for (size_t i = 1; i < count; ++i) {
    sum = static_cast<T>(sum + UnZigZag(values[i]));
    values[i] = sum;
  }
}

}  // namespace dsi::internal
