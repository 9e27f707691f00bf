// A temporary file of blocks that no name leads to, so that the system removes it however the
// process ends.
//
// A block is LZ4 of its bytes, or the bytes where that is no smaller, behind a head of sizes and
// XXH3 over both, which also knows the block's place. It is read back whole or not at all.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {

class SpillFile {
 public:
  // The file is made by the first block. `folder`: where; empty: $TMPDIR, else /tmp.
  explicit SpillFile(std::string folder);

  // Appends a block and returns where it stands. kIo names the folder and says what to do; the
  // file is then as before. At most 1 GiB.
  Result<uint64_t> Append(std::span<const std::byte> bytes);
  // The same of several, which up to `threads` threads compress; the caller's writes them in their
  // order. All or nothing.
  Result<std::vector<uint64_t>> AppendAll(std::span<const std::vector<std::byte>> blocks,
                                          int threads);
  // Replaces *bytes by those of the block at `offset`. kCorrupt: they are not what was written.
  Status Read(uint64_t offset, std::vector<std::byte>* bytes) const;
  // Forgets blocks from `size` on; what Append returns next.
  void Truncate(uint64_t size) { size_ = size; }
  uint64_t size() const { return size_; }
  // Of the file; for tests, which damage it.
  int descriptor() const { return fd_.get(); }

 private:
  Status Open();
  // Seals a block (Pack) and writes it.
  Result<uint64_t> Write(std::span<std::byte> block);
  Status Failed(std::string_view doing, int error) const;
  Status ReadBytes(uint64_t offset, std::span<std::byte> bytes) const;

  std::string folder_;
  Descriptor fd_;
  uint64_t size_ = 0;
  std::vector<std::byte> block_;  // Being written.
  mutable std::vector<std::byte> stored_;
};

}  // namespace dsi::internal
