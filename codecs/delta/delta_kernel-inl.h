// Zigzag differences to values and back (E-030). Included once per SIMD target by delta_kernel.cc.

#if defined(DSI_CODECS_DELTA_DELTA_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_DELTA_DELTA_KERNEL_INL_H_
#undef DSI_CODECS_DELTA_DELTA_KERNEL_INL_H_
#else
#define DSI_CODECS_DELTA_DELTA_KERNEL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "dsi/base/running_sum-inl.h"
#include "dsi/codecs/width_internal.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Small positive and negative differences alike become small numbers. The compiler vectorises this
// one.
template <typename T>
void DifferencesOf(const std::byte* HWY_RESTRICT bytes, size_t count, std::byte* HWY_RESTRICT out) {
  constexpr int kTop = 8 * sizeof(T) - 1;
  const auto* values = reinterpret_cast<const T*>(bytes);
  auto* HWY_RESTRICT differences = reinterpret_cast<T*>(out);
  for (size_t i = 1; i < count; ++i) {
    const T difference = static_cast<T>(values[i] - values[i - 1]);
    differences[i - 1] = static_cast<T>(static_cast<T>(difference << 1) ^
                                        static_cast<T>(-static_cast<T>(difference >> kTop)));
  }
}

template <typename T>
T SumsOf(const T* HWY_RESTRICT coded, size_t count, T sum, T* HWY_RESTRICT out) {
  size_t i = 0;
#if DSI_VECTOR_RUNNING_SUM
  const SumTag<T> d;
  const auto one = hn::Set(d, T{1});
  const auto load = [&](size_t at) HWY_ATTR {
    const auto z = hn::LoadU(d, coded + at);
    return hn::Xor(hn::ShiftRight<1>(z), hn::Sub(hn::Zero(d), hn::And(z, one)));
  };
  const auto store = [&](size_t at, auto sums) HWY_ATTR { hn::StoreU(sums, d, out + at); };
  sum = SumWholeVectors(count, sum, load, store);
  i = count - count % hn::Lanes(d);
#endif
  for (; i < count; ++i) {
    const T z = coded[i];
    sum = static_cast<T>(
        sum + static_cast<T>(static_cast<T>(z >> 1) ^ static_cast<T>(-static_cast<T>(z & 1))));
    out[i] = sum;
  }
  return sum;
}

template <typename T>
uint64_t SumBytesOf(const std::byte* coded, size_t count, uint64_t before, std::byte* out) {
  return SumsOf(reinterpret_cast<const T*>(coded), count, static_cast<T>(before),
                reinterpret_cast<T*>(out));
}

void DifferencesOfWidth(const std::byte* values, size_t count, size_t width, std::byte* out) {
  return VisitWidth(
      width, [&](auto zero) HWY_ATTR { return DifferencesOf<decltype(zero)>(values, count, out); });
}

uint64_t SumsOfWidth(const std::byte* coded, size_t count, size_t width, uint64_t before,
                     std::byte* out) {
  return VisitWidth(width, [&](auto zero) HWY_ATTR {
    return SumBytesOf<decltype(zero)>(coded, count, before, out);
  });
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
