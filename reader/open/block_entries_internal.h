// What a sealed table says of its blocks (spec F-040, F-042): their seals, and in a compressed
// table where they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dsi/format/core_internal.h"
#include "dsi/reader/open/range_memory_internal.h"

namespace dsi::internal {

struct TableBlock {
  uint64_t offset = 0;
  size_t stored = 0;  // Bytes in the file, padding included.
  uint64_t seal = 0;
};

// Bytes of the records of a block.
size_t RawBlockBytes(const TableRef& table, uint64_t block);

// Loaded once; then const calls from many threads. A lookup costs the same whatever the number of
// blocks: an entry is looked at when it is asked for.
class BlockEntries {
 public:
  explicit BlockEntries(const TableRef& table);
  // Where they stand in the file.
  uint64_t offset() const { return offset_; }
  uint64_t size() const { return num_blocks_ * entry_size_; }
  uint64_t num_blocks() const { return num_blocks_; }

  // Room for them, to be filled. Throws std::bad_alloc.
  std::span<std::byte> Reserve();
  // Checks the seal over all of them; `what` is the table, for the message.
  Status CheckSeal(uint64_t salt, const std::string& what) const;
  // F-042: inside the table, and as large as such a block may be.
  Result<TableBlock> At(uint64_t block, const std::string& what) const;

 private:
  std::span<const std::byte> bytes() const { return {memory_.bytes(), size()}; }

  TableRef table_;
  uint64_t num_blocks_;
  uint64_t entry_size_;
  uint64_t offset_;
  RangeMemory memory_{nullptr};
};

}  // namespace dsi::internal
