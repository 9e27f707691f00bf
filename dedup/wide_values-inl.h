// Values as rows are made of them, from memory that holds them as they are or narrowed. Included
// once per Highway target.
//
// A pool that is looked up in any order costs by the lines of the cache that it takes; numbers that
// need fewer bytes than their type are held in these, and get their zeros back in a register.

#if defined(DSI_DEDUP_WIDE_VALUES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_DEDUP_WIDE_VALUES_INL_H_
#undef DSI_DEDUP_WIDE_VALUES_INL_H_
#else
#define DSI_DEDUP_WIDE_VALUES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

// As they are.
struct AsHeld {
  static constexpr int kNarrow = 0;  // log2 of bytes written to bytes held.
  static constexpr bool kHasVectors = true;

  template <class D>
  static HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> Load(D d, const uint8_t* from) {
    return hwy::HWY_NAMESPACE::LoadU(d, from);
  }
  // So many bytes are written, and none besides.
  static HWY_INLINE void Copy(const uint8_t* from, size_t size, uint8_t* out) {
    if (size != 0) std::memcpy(out, from, size);
  }
};

// Values of type To, of which Narrow ones are held.
template <typename Narrow, typename To, int kLog2>
struct Widened {
  static_assert(sizeof(Narrow) << kLog2 == sizeof(To));
  static constexpr int kNarrow = kLog2;
  static constexpr bool kHasVectors = HWY_TARGET != HWY_SCALAR;

  template <class D>
  static HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> Load(D d, const uint8_t* from) {
    namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_SCALAR
    return hn::LoadU(d, from);  // Never called: a vector is one byte.
#else
    const hn::Repartition<To, D> to;
    const hn::Rebind<Narrow, decltype(to)> narrow;
    const auto held = hn::LoadU(narrow, reinterpret_cast<const Narrow*>(from));
    if constexpr (kLog2 > 1 && sizeof(To) == 8) {
      const hn::Rebind<uint32_t, decltype(to)> half;
      return hn::BitCast(d, hn::PromoteTo(to, hn::PromoteTo(half, held)));
    } else {
      return hn::BitCast(d, hn::PromoteTo(to, held));
    }
#endif
  }
  static HWY_INLINE void Copy(const uint8_t* from, size_t size, uint8_t* out) {
    for (size_t at = 0; at < size; at += sizeof(To), from += sizeof(Narrow), out += sizeof(To)) {
      Narrow value;
      std::memcpy(&value, from, sizeof(Narrow));
      const To wide = value;
      std::memcpy(out, &wide, sizeof(To));
    }
  }
};

// Calls work(AsHeld()) or work(Widened<…>()), as values of `width` bytes are held in
// `width >> narrow`.
template <class Work>
auto WithValuesOf(int width, int narrow, const Work& work) {
  if (width == 8 && narrow == 1) return work(Widened<uint32_t, uint64_t, 1>());
  if (width == 8 && narrow == 2) return work(Widened<uint16_t, uint64_t, 2>());
  if (width == 8 && narrow == 3) return work(Widened<uint8_t, uint64_t, 3>());
  if (width == 4 && narrow == 1) return work(Widened<uint16_t, uint32_t, 1>());
  if (width == 4 && narrow == 2) return work(Widened<uint8_t, uint32_t, 2>());
  return work(AsHeld());
}

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
