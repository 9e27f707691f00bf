#include <cstring>

#include "dsi/codecs/symbols/symbol_table_internal.h"

namespace dsi::internal {

bool ExpandSymbols(const DecodeTable& table, std::span<const std::byte> codes, size_t count,
                   std::byte* dst) {
  const auto* in = reinterpret_cast<const uint8_t*>(codes.data());
  const uint8_t* const in_end = in + codes.size();
  std::byte* const end = dst + count;
  while (in != in_end) {
    const size_t code = *in;
    const size_t size = table.sizes[code];
    const auto room = static_cast<size_t>(end - dst);
    if (size == 0) {
      if (code != kEscapeCode || in_end - in < 2 || room == 0) return false;
      *dst++ = static_cast<std::byte>(in[1]);
      in += 2;
      continue;
    }
    // Eight bytes whatever the size, as one store: what is too much the next symbol overwrites.
    if (room >= kMaxSymbolSize) {
      std::memcpy(dst, &table.bytes[code], kMaxSymbolSize);
    } else if (size <= room) {
      std::memcpy(dst, &table.bytes[code], size);
    } else {
      return false;
    }
    dst += size;
    ++in;
  }
  return dst == end;
}

}  // namespace dsi::internal
