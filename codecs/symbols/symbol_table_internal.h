// Symbols: byte strings of 1 to 8 bytes that one code byte stands for (E-130).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

inline constexpr size_t kMaxSymbols = 255;
inline constexpr size_t kMaxSymbolSize = 8;
inline constexpr size_t kEscapeCode = 255;  // The next code byte stands for itself.

struct Symbol {
  uint64_t bytes = 0;  // The first byte is the lowest; zeros above the size.
  uint32_t size = 0;
  bool operator==(const Symbol&) const = default;
};

// What decoding looks up by code. Codes that are no symbols have size 0, as the escape has.
struct DecodeTable {
  std::array<uint64_t, 256> bytes = {};
  std::array<uint8_t, 256> sizes = {};
};

// Decodes all codes into exactly `count` bytes. False where a code is no symbol, an escape has
// nothing after it, or another number of bytes comes out; nothing beyond dst[count - 1] is written.
bool ExpandSymbols(const DecodeTable& table, std::span<const std::byte> codes, size_t count,
                   std::byte* dst);

// At most 255 symbols that make these bytes short, in order of their codes; none where nothing
// would be saved. Depends on the bytes only.
std::vector<Symbol> LearnSymbols(std::span<const std::byte> bytes);

// Finds the longest symbol at a place.
class SymbolMatcher {
 public:
  explicit SymbolMatcher(std::span<const Symbol> symbols);

  // The code of the longest symbol that `next` starts with, of which `left` bytes are there, or
  // kEscapeCode.
  size_t Match(uint64_t next, size_t left) const;

 private:
  static size_t Slot(uint64_t bytes);

  std::span<const Symbol> symbols_;
  std::vector<uint16_t> short_;  // By two bytes: the code of a symbol of one or two bytes.
  std::vector<uint16_t> long_;   // By a hash of three bytes: the code of a longer symbol.
};

// Codes for all bytes, escapes where no symbol matches.
std::vector<uint8_t> ShortenWithSymbols(const SymbolMatcher& matcher,
                                        std::span<const Symbol> symbols,
                                        std::span<const std::byte> bytes);

}  // namespace dsi::internal
