#include "dsi/reader/open/block_entries_internal.h"

#include <algorithm>
#include <new>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/codecs/node_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/table_blocks_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kSealSize = 8;

}  // namespace

size_t RawBlockBytes(const TableRef& table, uint64_t block) {
  const uint64_t per_block = RecordsPerBlock(table.record_size);
  const uint64_t records = std::min<uint64_t>(per_block, table.count - block * per_block);
  return static_cast<size_t>(records * table.record_size);
}

BlockEntries::BlockEntries(const TableRef& table)
    : table_(table),
      num_blocks_(NumBlocks(table.count, table.record_size)),
      entry_size_(table.compressed ? kBlockEntrySize : kSealSize),
      offset_(table.offset) {
  // Seals follow the blocks, entries stand before them.
  if (!table.compressed) offset_ += AlignUp(uint64_t{table.count} * table.record_size, 8);
}

std::span<std::byte> BlockEntries::Reserve() {
  if (!memory_.Reserve(size()).ok()) throw std::bad_alloc();
  return {memory_.bytes(), size()};
}

Status BlockEntries::CheckSeal(uint64_t salt, const std::string& what) const {
  const uint64_t found = Seal(bytes(), SealKind::kTableSeals, offset_, salt);
  if (found == table_.seal) return Status::Ok();
  return Corrupt("table of {}: block seals at {}..{}: seal {:016x}, expected {:016x} (F-040)", what,
                 offset_, offset_ + size(), found, table_.seal);
}

Result<TableBlock> BlockEntries::At(uint64_t block, const std::string& what) const {
  const std::byte* const entry = memory_.bytes() + block * entry_size_;
  const auto seal = LoadLE<uint64_t>(entry);
  const size_t raw = RawBlockBytes(table_, block);
  if (!table_.compressed) {
    return TableBlock{table_.offset + block * RawBlockBytes(table_, 0), AlignUp(raw, 8), seal};
  }
  const uint64_t begin = block == 0 ? offset_ + size() : LoadLE<uint64_t>(entry - 8);
  const auto end = LoadLE<uint64_t>(entry + 8);
  const uint64_t table_end = table_.offset + table_.bytes;
  // No node is larger than that of raw values.
  const uint64_t most = kNodeHeaderSize + AlignUp(raw, 8);
  const bool is_last = block + 1 == num_blocks_;
  if (begin < offset_ + size() || begin % 8 != 0 || end < begin || end - begin < kNodeHeaderSize ||
      end - begin > most || end % 8 != 0 ||
      (is_last && !table_.is_bound ? end != table_end : end > table_end)) {
    return Corrupt("table of {}: block {} is {}..{}, the table ends at {} (F-042)", what, block,
                   begin, end, table_end);
  }
  return TableBlock{begin, static_cast<size_t>(end - begin), seal};
}

}  // namespace dsi::internal
