// Writes extents one after another: knows the offset, seals what it writes (spec F-002, F-010,
// F-040, F-042).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/core_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/io/file.h"

namespace dsi::internal {

struct WrittenSection {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t seal = 0;
};

class FileSink {
 public:
  FileSink(WritableFile* file, uint64_t salt) : file_(file), salt_(salt) {}

  uint64_t offset() const { return offset_; }
  uint64_t salt() const { return salt_; }

  Status AppendHeader();
  // The first bytes of another file, whose seals hold for their place and its salt; at the start.
  Status AppendCopy(const RandomAccessFile& from, uint64_t bytes);
  // bytes: a multiple of 8.
  Result<PageRecord> AppendPage(std::span<const std::byte> bytes, uint32_t num_values);
  // Tables of one block are never compressed: there is little to win.
  Result<TableRef> AppendTable(std::span<const std::byte> records, uint32_t record_size);
  // A section in blocks (F-080): a table of bytes, never compressed.
  Result<TableRef> AppendInBlocks(std::span<const std::byte> bytes);
  Result<WrittenSection> AppendSection(std::span<const std::byte> bytes);
  // The core footer (a multiple of 8) and the trailer with its compat flags.
  Status AppendEnd(std::span<const std::byte> core, uint64_t compat = 0);

 private:
  Status Append(std::span<const std::byte> bytes);
  Status AppendPlain(std::span<const std::byte> records, TableRef* table);
  // False where that is not clearly smaller.
  Result<bool> AppendCompressed(std::span<const std::byte> records, TableRef* table);

  WritableFile* file_;
  uint64_t salt_;
  uint64_t offset_ = 0;
};

}  // namespace dsi::internal
