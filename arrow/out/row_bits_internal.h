// Flags, one byte each as batches have them, to bits as Arrow has them, and the room for those.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Whether none of the flags is 0.
bool AllSet(const uint8_t* flags, size_t count);

// Bit i is set where flags[i] is not 0; bits of the last word beyond `count` are 0. Returns how
// many are set.
size_t PackBits(const uint8_t* flags, size_t count, uint64_t* words);
// The same of flags[places[i]].
size_t PackBitsAt(const uint8_t* flags, const int32_t* places, size_t count, uint64_t* words);

// One block that bitmaps are cut from, each at a multiple of 64 bytes.
class BitRoom {
 public:
  BitRoom() = default;
  ~BitRoom();
  BitRoom(const BitRoom&) = delete;
  BitRoom& operator=(const BitRoom&) = delete;

  static size_t BytesOf(size_t bits) { return (bits + 511) / 512 * 64; }
  // Bitmaps cut before are void. Throws std::bad_alloc.
  void Reserve(size_t bytes);
  // Within what was reserved. Memory that stays unused is not touched.
  uint64_t* Cut(size_t bits);

 private:
  std::byte* block_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
};

}  // namespace dsi::internal
