#include "dsi/arrow/out/row_bits_internal.h"

#include <algorithm>
#include <bit>
#include <new>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/bytes_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kLow7 = 0x7F7F7F7F7F7F7F7F;

uint64_t Load8(const uint8_t* flags) {
  return LoadLE<uint64_t>(reinterpret_cast<const std::byte*>(flags));
}

// The high bit of each byte: it is not 0.
uint64_t NotZero(uint64_t bytes) { return ((bytes & kLow7) + kLow7) | bytes; }

// Eight flags as eight bits. The product moves bit i of the bytes' low bits to bit 56 + i.
uint64_t Pack8(const uint8_t* flags) {
  return ((NotZero(Load8(flags)) >> 7 & kOnes) * 0x0102040810204080) >> 56;
}

uint64_t Pack64(const uint8_t* flags) {
  uint64_t word = 0;
  for (size_t k = 0; k < 8; ++k) word |= Pack8(flags + 8 * k) << (8 * k);
  return word;
}

// pack(first, count) gives a word of at most 64 flags.
template <typename Pack>
size_t PackWords(size_t count, uint64_t* words, const Pack& pack) {
  size_t num_set = 0;
  for (size_t first = 0; first < count; first += 64) {
    const uint64_t word = pack(first, std::min<size_t>(count - first, 64));
    words[first / 64] = word;
    num_set += static_cast<size_t>(std::popcount(word));
  }
  return num_set;
}

}  // namespace

bool AllSet(const uint8_t* flags, size_t count) {
  uint64_t all = ~uint64_t{0};
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    for (size_t k = 0; k < 64; k += 8) all &= NotZero(Load8(flags + i + k));
    if ((~all & ~kLow7) != 0) return false;
  }
  return std::all_of(flags + i, flags + count, [](uint8_t flag) { return flag != 0; });
}

size_t PackBits(const uint8_t* flags, size_t count, uint64_t* words) {
  return PackWords(count, words, [&](size_t first, size_t n) {
    if (n == 64) return Pack64(flags + first);
    uint8_t last[64] = {};
    std::copy_n(flags + first, n, last);
    return Pack64(last);
  });
}

size_t PackBitsAt(const uint8_t* flags, const int32_t* places, size_t count, uint64_t* words) {
  return PackWords(count, words, [&](size_t first, size_t n) {
    uint8_t some[64] = {};
    for (size_t i = 0; i < n; ++i) some[i] = flags[static_cast<size_t>(places[first + i])];
    return Pack64(some);
  });
}

BitRoom::~BitRoom() { FreeBlock(block_, capacity_); }

void BitRoom::Reserve(size_t bytes) {
  used_ = 0;
  if (bytes <= capacity_) return;
  FreeBlock(block_, capacity_);
  capacity_ = 0;
  block_ = AllocateBlock(bytes, &capacity_);
  if (block_ != nullptr) return;
  capacity_ = 0;
  throw std::bad_alloc();
}

uint64_t* BitRoom::Cut(size_t bits) {
  auto* const words = reinterpret_cast<uint64_t*>(block_ + used_);
  used_ += BytesOf(bits);
  return words;
}

}  // namespace dsi::internal
