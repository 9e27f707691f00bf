// Linear blocks (E-022), unpacked by the kernels of linear_kernel-inl.h and packed through 64-bit
// words.
#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/packed/unpack_tables_internal.h"
#include "dsi/codecs/simd_internal.h"
#include "dsi/codecs/width_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/codecs/packed/linear_kernel.cc"
#include "hwy/foreach_target.h"

#include "dsi/codecs/packed/linear_kernel-inl.h"

#if HWY_ONCE
namespace dsi::internal {
namespace {

template <typename T>
void PackLinearOf(const std::byte* values, uint64_t base, int bits, size_t count, std::byte* out) {
  uint64_t word = 0;
  unsigned used = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number =
        static_cast<T>(LoadLE<T>(values + i * sizeof(T)) - static_cast<T>(base));
    word |= number << used;
    used += static_cast<unsigned>(bits);
    if (used >= 64) {
      StoreLE(out, word);
      out += 8;
      used -= 64;
      word = used == 0 ? 0 : number >> (static_cast<unsigned>(bits) - used);
    }
  }
  if (used != 0) StoreLE(out, word);
}

}  // namespace

const UnpackBlockFn* UnpackTable(size_t width) {
  switch (width) {
    case 1:
      return BestUnpackTableU8();
    case 2:
      return BestUnpackTableU16();
    case 4:
      return BestUnpackTableU32();
    default:
      return BestUnpackTableU64();
  }
}

HWY_EXPORT(UnpackLinearOfWidth);

void UnpackLinear(const std::byte* in, uint64_t base, int bits, size_t count, size_t width,
                  std::byte* out) {
  HWY_DYNAMIC_DISPATCH(UnpackLinearOfWidth)(in, base, bits, count, width, out);
}

void PackLinear(const std::byte* values, uint64_t base, int bits, size_t count, size_t width,
                std::byte* out) {
  if (bits == 0) return;
  VisitWidth(width,
             [&](auto zero) { PackLinearOf<decltype(zero)>(values, base, bits, count, out); });
}

}  // namespace dsi::internal
#endif
