// Skewed numbers: frequent ones in few bits (E-110).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dsi::internal {

inline constexpr size_t kMaxClasses = 8;

// Number v of class c is base[c] plus an offset of bits[c] bits.
struct SkewedClasses {
  size_t count = 0;
  std::array<uint64_t, kMaxClasses> base = {};  // Ascending when chosen; any when read.
  std::array<uint8_t, kMaxClasses> bits = {};
};

// Bits that offsets may have, so that one load of 32 or 64 bits holds any, wherever it starts.
constexpr int MostOffsetBits(size_t width) {
  return width == 8 ? 56 : width == 4 ? 24 : static_cast<int>(8 * width);
}

// Kernels. Selectors are below kMaxClasses.
uint64_t SumOfBits(const SkewedClasses& classes, const uint8_t* selectors, size_t count);

// Writes count values of `width` bytes. `words` holds at least as many bits as SumOfBits says, in
// `num_words` 64-bit words.
void JoinSkewed(const SkewedClasses& classes, const uint8_t* selectors, size_t count,
                const uint64_t* words, size_t num_words, size_t width, std::byte* dst);

// The classes with which numbers like those of an ascending sample take the fewest bits, their
// selectors included; at most kMaxClasses. Offsets may have at most `most_bits`. count 0: none fit.
// Classes start at one of about `most_starts` places: each number that is frequent, and every so
// many rare ones. The search takes time in proportion to them, and gains little from more.
SkewedClasses ChooseClasses(std::span<const uint64_t> ascending, int most_bits, size_t most_starts);

}  // namespace dsi::internal
