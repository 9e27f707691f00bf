// Small reads one behind the other, as of a directory that is looked through block by block, in
// fewer and longer ones: what follows is read along, twice as much each time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsi::internal {

// Thread safety: all functions may be called at once. Nobody waits for another: whoever finds it
// busy reads for himself.
class ReadAhead {
 public:
  // Reads below this may be part of a row of them.
  static constexpr size_t kSmall = 64 << 10;

  // Fills dst if it is in memory.
  bool Take(uint64_t offset, std::span<std::byte> dst);
  // How many bytes to read at `offset` where `size` of them are wanted: `size`, or more where the
  // bytes before were read by now.
  uint64_t SizeFor(uint64_t offset, uint64_t size);
  // Bytes that were read there, kept until others take their place.
  void Keep(uint64_t offset, std::vector<std::byte> bytes);

 private:
  // One row of reads. Several take turns: names and what they stand for, say.
  struct Row {
    uint64_t next = 0;  // Where its last read ended.
    uint64_t length = 0;
    uint64_t begin = 0;
    std::vector<std::byte> bytes;
    uint64_t used_at = 0;
  };
  class Lock;

  std::array<Row, 4> rows_;
  uint64_t clock_ = 0;
  std::atomic_flag busy_;
};

}  // namespace dsi::internal
