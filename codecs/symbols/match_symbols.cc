// Finding symbols in bytes: the encoding side of E-130, as FSST does it (Boncz, Neumann, Leis:
// "FSST: Fast Random Access String Compression", 2020).
#include <algorithm>
#include <cstring>

#include "dsi/codecs/symbols/symbol_table_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kLongSlots = 2048;
constexpr int kShortBits = 16;

uint64_t LoadUpTo8(const std::byte* at, size_t left) {
  uint64_t next = 0;
  std::memcpy(&next, at, std::min(left, kMaxSymbolSize));
  return next;
}

}  // namespace

size_t SymbolMatcher::Slot(uint64_t bytes) {
  const uint64_t mixed = (bytes & LowMask(24)) * 2971215073ULL;
  return (mixed ^ (mixed >> 15)) % kLongSlots;
}

SymbolMatcher::SymbolMatcher(std::span<const Symbol> symbols)
    : symbols_(symbols),
      short_(size_t{1} << kShortBits, kEscapeCode),
      long_(kLongSlots, kEscapeCode) {
  // Symbols of one byte first, so that those of two bytes take their places.
  for (size_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].size != 1) continue;
    for (size_t second = 0; second < 256; ++second)
      short_[symbols[code].bytes | second << 8] = static_cast<uint16_t>(code);
  }
  for (size_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].size == 2) short_[symbols[code].bytes] = static_cast<uint16_t>(code);
    if (symbols[code].size < 3) continue;
    // One per slot, the longest; of equals the first.
    uint16_t& slot = long_[Slot(symbols[code].bytes)];
    if (slot == kEscapeCode || symbols[slot].size < symbols[code].size)
      slot = static_cast<uint16_t>(code);
  }
}

size_t SymbolMatcher::Match(uint64_t next, size_t left) const {
  const size_t candidate = long_[Slot(next)];
  if (candidate != kEscapeCode) {
    const Symbol& symbol = symbols_[candidate];
    const bool matches = (next & LowMask(8 * static_cast<int>(symbol.size))) == symbol.bytes;
    if (matches && symbol.size <= left) return candidate;
  }
  const size_t code = short_[next & LowMask(kShortBits)];
  return code != kEscapeCode && symbols_[code].size <= left ? code : kEscapeCode;
}

std::vector<uint8_t> ShortenWithSymbols(const SymbolMatcher& matcher,
                                        std::span<const Symbol> symbols,
                                        std::span<const std::byte> bytes) {
  std::vector<uint8_t> codes;
  codes.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const size_t left = bytes.size() - at;
    const uint64_t next = LoadUpTo8(&bytes[at], left);
    const size_t code = matcher.Match(next, left);
    codes.push_back(static_cast<uint8_t>(code));
    if (code == kEscapeCode) codes.push_back(static_cast<uint8_t>(bytes[at]));
    at += code == kEscapeCode ? 1 : symbols[code].size;
  }
  return codes;
}

}  // namespace dsi::internal
