// Unpacks one full block (E-021). Included once per SIMD target by the four unpack_u*.cc, each of
// which instantiates one width so that the compiler's work is spread.
//
// A row of the block is 1,024 bits: L = 1024 / T lanes of T bits, whatever the vector length. A
// vector holds some lanes of a row; a column of vectors walks down its lanes' words, and every
// shift and mask is a constant of the bit width.

#if defined(DSI_CODECS_PACKED_UNPACK_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_CODECS_PACKED_UNPACK_KERNEL_INL_H_
#undef DSI_CODECS_PACKED_UNPACK_KERNEL_INL_H_
#else
#define DSI_CODECS_PACKED_UNPACK_KERNEL_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "dsi/codecs/packed/kernels_internal.h"
#include "hwy/highway.h"

// Targets with small vectors and the fallback use one loop for all bit widths: unrolling 124 of
// them buys little there and costs a library twice the size.
#undef DSI_UNROLL_UNPACK
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSSE3
#define DSI_UNROLL_UNPACK 0
#else
#define DSI_UNROLL_UNPACK 1
#endif

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kRowBytes = 128;  // 1,024 bits.

#if DSI_UNROLL_UNPACK

template <typename T, int kBits, int kStep, class D, class V>
HWY_INLINE void UnpackStep(D d, const std::byte* HWY_RESTRICT in, V base, V mask, V& word,
                           std::byte* HWY_RESTRICT out) {
  constexpr int kT = 8 * sizeof(T);
  constexpr int kWord = kStep * kBits / kT;
  constexpr int kShift = kStep * kBits % kT;
  if constexpr (kShift == 0)
    word = hn::LoadU(d, reinterpret_cast<const T*>(in + kWord * kRowBytes));
  V value = hn::ShiftRight<kShift>(word);
  if constexpr (kShift + kBits > kT) {
    word = hn::LoadU(d, reinterpret_cast<const T*>(in + (kWord + 1) * kRowBytes));
    value = hn::Or(value, hn::ShiftLeft<kT - kShift>(word));
  }
  // The topmost bits of a word need no mask: the shift brought zeros in.
  if constexpr (kShift + kBits != kT) value = hn::And(value, mask);
  hn::StoreU(hn::Add(value, base), d, reinterpret_cast<T*>(out + kStep * kRowBytes));
}

template <typename T, int kBits, class D, class V, size_t... kSteps>
HWY_INLINE void UnpackColumn(D d, const std::byte* HWY_RESTRICT in, V base, V mask,
                             std::byte* HWY_RESTRICT out, std::index_sequence<kSteps...>) {
  V word = hn::Zero(d);
  (UnpackStep<T, kBits, static_cast<int>(kSteps)>(d, in, base, mask, word, out), ...);
}

template <typename T, int kBits>
void UnpackFull(const std::byte* HWY_RESTRICT in, uint64_t base, std::byte* HWY_RESTRICT out) {
  constexpr int kT = 8 * sizeof(T);
  const hn::CappedTag<T, kRowBytes / sizeof(T)> d;
  const size_t vector_bytes = hn::Lanes(d) * sizeof(T);
  const auto bases = hn::Set(d, static_cast<T>(base));
  if constexpr (kBits == 0) {
    for (size_t at = 0; at < kT * kRowBytes; at += vector_bytes)
      hn::StoreU(bases, d, reinterpret_cast<T*>(out + at));
  } else if constexpr (kBits == kT) {
    for (size_t at = 0; at < kT * kRowBytes; at += vector_bytes) {
      const auto value = hn::LoadU(d, reinterpret_cast<const T*>(in + at));
      hn::StoreU(hn::Add(value, bases), d, reinterpret_cast<T*>(out + at));
    }
  } else {
    const auto mask = hn::Set(d, static_cast<T>((uint64_t{1} << (kBits % 64)) - 1));
    for (size_t column = 0; column < kRowBytes; column += vector_bytes) {
      UnpackColumn<T, kBits>(d, in + column, bases, mask, out + column,
                             std::make_index_sequence<kT>());
    }
  }
}

#else

// The same loop for every width. The compiler vectorises the inner one as far as the target lets
// it.
template <typename T>
HWY_NOINLINE void UnpackAnyWidth(const std::byte* HWY_RESTRICT in, uint64_t base, int bits,
                                 std::byte* HWY_RESTRICT out) {
  constexpr int kT = 8 * sizeof(T);
  constexpr size_t kLanes = kRowBytes / sizeof(T);
  const T add = static_cast<T>(base);
  const T mask = bits == 0 ? T{0} : static_cast<T>(~uint64_t{0} >> (64 - bits));
  T words[kLanes] = {};
  for (int step = 0; step < kT; ++step) {
    const int word = step * bits / kT;
    const int shift = step * bits % kT;
    if (shift == 0 && bits != 0)
      std::memcpy(words, in + static_cast<size_t>(word) * kRowBytes, kRowBytes);
    T row[kLanes];
    for (size_t lane = 0; lane < kLanes; ++lane) row[lane] = static_cast<T>(words[lane] >> shift);
    if (shift + bits > kT) {
      std::memcpy(words, in + static_cast<size_t>(word + 1) * kRowBytes, kRowBytes);
      for (size_t lane = 0; lane < kLanes; ++lane)
        row[lane] |= static_cast<T>(words[lane] << (kT - shift));
    }
    for (size_t lane = 0; lane < kLanes; ++lane)
      row[lane] = static_cast<T>((row[lane] & mask) + add);
    std::memcpy(out + static_cast<size_t>(step) * kRowBytes, row, kRowBytes);
  }
}

template <typename T, int kBits>
void UnpackFull(const std::byte* HWY_RESTRICT in, uint64_t base, std::byte* HWY_RESTRICT out) {
  UnpackAnyWidth<T>(in, base, kBits, out);
}

#endif

template <typename T, size_t... kBits>
constexpr std::array<UnpackBlockFn, sizeof...(kBits)> MakeUnpackTable(
    std::index_sequence<kBits...>) {
  return {&UnpackFull<T, static_cast<int>(kBits)>...};
}

template <typename T>
const UnpackBlockFn* UnpackTableOf() {
  static constexpr auto kTable = MakeUnpackTable<T>(std::make_index_sequence<8 * sizeof(T) + 1>());
  return kTable.data();
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
