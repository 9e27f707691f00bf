// Linear blocks (E-022): one little-endian bit stream, read and written through aligned 64-bit
// words.
#include <algorithm>

#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/packed/unpack_tables_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
void UnpackLinearOf(const std::byte* in, uint64_t base, int bits, size_t count, std::byte* out) {
  const T add = static_cast<T>(base);
  if (bits == 0) {
    std::fill_n(reinterpret_cast<T*>(out), count, add);
    return;
  }
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const size_t last_word = (count * static_cast<size_t>(bits) - 1) / 64;
  size_t bit = 0;
  for (size_t i = 0; i < count; ++i, bit += static_cast<size_t>(bits)) {
    const size_t word = bit / 64;
    const unsigned shift = bit % 64;
    // A number that ends in its word also reads the next one, or the last word again, and masks it
    // away.
    const uint64_t low = LoadLE<uint64_t>(in + word * 8) >> shift;
    const uint64_t high = LoadLE<uint64_t>(in + std::min(word + 1, last_word) * 8)
                          << 1 << (63 - shift);
    StoreLE(out + i * sizeof(T), static_cast<T>(static_cast<T>((low | high) & mask) + add));
  }
}

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

void UnpackLinear(const std::byte* in, uint64_t base, int bits, size_t count, size_t width,
                  std::byte* out) {
  VisitWidth(width, [&](auto zero) { UnpackLinearOf<decltype(zero)>(in, base, bits, count, out); });
}

void PackLinear(const std::byte* values, uint64_t base, int bits, size_t count, size_t width,
                std::byte* out) {
  if (bits == 0) return;
  VisitWidth(width,
             [&](auto zero) { PackLinearOf<decltype(zero)>(values, base, bits, count, out); });
}

}  // namespace dsi::internal
