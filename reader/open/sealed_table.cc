// Sealed tables (spec F-040, F-042): one seal over the blocks' seals, one seal per block, one block
// at a time.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/table_blocks_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

// Whole tables are read in pieces of this many blocks, so that checking one needs little memory.
constexpr uint64_t kBlocksPerRead = 64;

// Bytes `begin` … `begin` + size of one record of a block whose records are transposed.
void GatherRecord(std::span<const std::byte> block, size_t record_size, size_t i, size_t begin,
                  size_t size, std::byte* to) {
  const size_t per_block = block.size() / record_size;
  for (size_t j = begin; j < begin + size; ++j) *to++ = block[j * per_block + i];
}

// The first `known` bytes of each of n records of `size` bytes; `from` may be `to` (F-041).
void CopyRecords(const std::byte* from, size_t n, size_t size, size_t known, std::byte* to) {
  if (size == known) {
    if (to != from) std::memcpy(to, from, n * size);
    return;
  }
  for (size_t i = 0; i < n; ++i) std::memmove(to + i * known, from + i * size, known);
}

}  // namespace

struct SealedTable::Cache {
  std::mutex mutex;
  bool blocks_loaded = false;
  std::vector<Block> blocks;
  std::vector<std::unique_ptr<std::byte[]>> contents;  // By block; null: not read yet.
};

SealedTable::SealedTable(const RandomAccessFile* file, const TableRef& ref, size_t known_size,
                         uint64_t salt, std::string what)
    : file_(file),
      ref_(ref),
      known_size_(known_size),
      salt_(salt),
      what_(std::move(what)),
      cache_(std::make_unique<Cache>()) {}

SealedTable::~SealedTable() = default;

size_t SealedTable::RawBytes(uint64_t block) const {
  const uint64_t per_block = RecordsPerBlock(ref_.record_size);
  const uint64_t records = std::min<uint64_t>(per_block, ref_.count - block * per_block);
  return static_cast<size_t>(records * ref_.record_size);
}

Status SealedTable::LoadBlocks(std::vector<Block>* blocks) const {
  blocks->resize(NumBlocks(ref_.count, ref_.record_size));
  return ref_.compressed ? LoadCompressedBlocks(blocks) : LoadPlainBlocks(blocks);
}

Status SealedTable::CheckSeals(std::span<const std::byte> bytes, uint64_t at) const {
  const uint64_t found = Seal(bytes, SealKind::kTableSeals, at, salt_);
  if (found == ref_.seal) return Status::Ok();
  return Corrupt("table of {}: block seals at {}..{}: seal {:016x}, expected {:016x} (F-040)",
                 what_, at, at + bytes.size(), found, ref_.seal);
}

Status SealedTable::LoadPlainBlocks(std::vector<Block>* blocks) const {
  uint64_t at = ref_.offset;
  for (size_t b = 0; b < blocks->size(); ++b) {
    Block& block = (*blocks)[b];
    block.offset = at;
    block.stored = AlignUp(RawBytes(b), 8);
    at += b + 1 < blocks->size() ? RawBytes(b) : block.stored;
  }
  std::vector<uint64_t> seals(blocks->size());
  const auto bytes = std::as_writable_bytes(std::span(seals));
  DSI_RETURN_IF_ERROR(file_->ReadAt(at, bytes));
  DSI_RETURN_IF_ERROR(CheckSeals(bytes, at));
  for (size_t b = 0; b < seals.size(); ++b) (*blocks)[b].seal = LoadLE<uint64_t>(&bytes[8 * b]);
  return Status::Ok();
}

Status SealedTable::LoadCompressedBlocks(std::vector<Block>* blocks) const {
  std::vector<std::byte> entries(blocks->size() * kBlockEntrySize);
  DSI_RETURN_IF_ERROR(file_->ReadAt(ref_.offset, entries));
  DSI_RETURN_IF_ERROR(CheckSeals(entries, ref_.offset));
  const uint64_t table_end = ref_.offset + ref_.bytes;
  uint64_t at = ref_.offset + entries.size();
  for (size_t b = 0; b < blocks->size(); ++b) {
    const std::byte* const entry = &entries[b * kBlockEntrySize];
    const auto end = LoadLE<uint64_t>(entry + 8);
    // No node is larger than that of raw values.
    const uint64_t most = kNodeHeaderSize + AlignUp(RawBytes(b), 8);
    const bool is_last = b + 1 == blocks->size();
    if (end < at + kNodeHeaderSize || end - at > most || end % 8 != 0 ||
        (is_last && !ref_.is_bound ? end != table_end : end > table_end)) {
      return Corrupt("table of {}: block {} is {}..{}, the table ends at {} (F-042)", what_, b, at,
                     end, table_end);
    }
    (*blocks)[b] = {at, static_cast<size_t>(end - at), LoadLE<uint64_t>(entry)};
    at = end;
  }
  return Status::Ok();
}

Result<uint64_t> SealedTable::StoredBytes() const {
  if (ref_.count == 0) return uint64_t{0};
  if (!ref_.compressed) return TableBytes(ref_);
  std::vector<Block> blocks;
  DSI_RETURN_IF_ERROR(LoadBlocks(&blocks));
  return blocks.back().offset + blocks.back().stored - ref_.offset;
}

Status SealedTable::OpenBlock(uint64_t number, const Block& block, std::span<const std::byte> bytes,
                              std::byte* content) const {
  const uint64_t found = Seal(bytes, SealKind::kTableBlock, block.offset, salt_);
  if (found != block.seal) {
    return Corrupt("table of {}: block {} at {}..{}: seal {:016x}, expected {:016x} (F-040)", what_,
                   number, block.offset, block.offset + bytes.size(), found, block.seal);
  }
  const size_t size = RawBytes(number);
  if (!ref_.compressed) {
    if (!AllZero(bytes.subspan(size)))
      return Corrupt("table of {}: padding at the end is not zero (F-002)", what_);
    std::memcpy(content, bytes.data(), size);
    return Status::Ok();
  }
  DecodeScratch scratch;
  Status status = DecompressBytes(bytes, &scratch, {content, size});
  if (!status.ok()) return status.At(fmt::format("table of {}: block {}", what_, number));
  return Status::Ok();
}

Result<std::span<const std::byte>> SealedTable::KeptBlock(uint32_t number) const {
  if (!cache_->blocks_loaded) {
    DSI_RETURN_IF_ERROR(LoadBlocks(&cache_->blocks));
    cache_->blocks_loaded = true;
  }
  cache_->contents.resize(cache_->blocks.size());
  std::unique_ptr<std::byte[]>& kept = cache_->contents[number];
  const size_t size = RawBytes(number);
  if (kept == nullptr) {
    const Block& block = cache_->blocks[number];
    std::vector<std::byte> stored(block.stored);
    DSI_RETURN_IF_ERROR(file_->ReadAt(block.offset, stored));
    std::unique_ptr<std::byte[]> fresh(new std::byte[size]);
    DSI_RETURN_IF_ERROR(OpenBlock(number, block, stored, fresh.get()));
    kept = std::move(fresh);
  }
  return std::span<const std::byte>(kept.get(), size);
}

Status SealedTable::Read(uint32_t first, uint32_t n, std::byte* out) const {
  if (!FitsIn(first, n, ref_.count)) {
    return Corrupt("table of {}: records {}..{} wanted, it has {} (F-041)", what_, first,
                   uint64_t{first} + n, ref_.count);
  }
  const uint32_t per_block = RecordsPerBlock(ref_.record_size);
  const size_t size = ref_.record_size;
  const std::lock_guard lock(cache_->mutex);
  while (n != 0) {
    const uint32_t in_block = first % per_block;
    const uint32_t take = std::min(n, per_block - in_block);
    DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> block, KeptBlock(first / per_block));
    if (ref_.compressed) {
      for (uint32_t i = 0; i < take; ++i)
        GatherRecord(block, size, in_block + i, 0, known_size_, out + i * known_size_);
    } else {
      CopyRecords(block.data() + in_block * size, take, size, known_size_, out);
    }
    out += take * known_size_;
    first += take;
    n -= take;
  }
  return Status::Ok();
}

Status SealedTable::ReadPart(uint32_t record, size_t begin, std::span<std::byte> out) const {
  if (record >= ref_.count) {
    return Corrupt("table of {}: record {} wanted, it has {} (F-041)", what_, record, ref_.count);
  }
  const uint32_t per_block = RecordsPerBlock(ref_.record_size);
  const size_t in_block = record % per_block;
  const std::lock_guard lock(cache_->mutex);
  DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> block, KeptBlock(record / per_block));
  if (ref_.compressed) {
    GatherRecord(block, ref_.record_size, in_block, begin, out.size(), out.data());
  } else {
    std::memcpy(out.data(), block.data() + in_block * ref_.record_size + begin, out.size());
  }
  return Status::Ok();
}

Status SealedTable::ReadAll(CountedVector<std::byte>* out) const {
  Status first;
  DSI_RETURN_IF_ERROR(ReadSound(out, [&first](Status status) {
    if (first.ok()) first = std::move(status);
  }));
  return first;
}

Status SealedTable::ReadSound(CountedVector<std::byte>* out,
                              const std::function<void(Status)>& damage) const {
  if (out != nullptr) out->clear();
  if (ref_.count == 0) return Status::Ok();
  std::vector<Block> blocks;
  DSI_RETURN_IF_ERROR(LoadBlocks(&blocks));
  // Bounded by bytes present, of which a compressed block of 4 KiB takes 32 or more.
  if (out != nullptr) out->resize(uint64_t{ref_.count} * ref_.record_size);
  std::vector<std::byte> piece;
  std::vector<std::byte> content;
  std::byte* records = out != nullptr ? out->data() : nullptr;
  for (size_t first = 0; first < blocks.size(); first += kBlocksPerRead) {
    const size_t end = std::min<size_t>(blocks.size(), first + kBlocksPerRead);
    const uint64_t at = blocks[first].offset;
    piece.resize(blocks[end - 1].offset + blocks[end - 1].stored - at);
    DSI_RETURN_IF_ERROR(file_->ReadAt(at, piece));
    for (size_t b = first; b < end; ++b) {
      const auto stored = std::span(piece).subspan(blocks[b].offset - at, blocks[b].stored);
      const size_t size = RawBytes(b);
      content.resize(size);
      Status status = OpenBlock(b, blocks[b], stored, content.data());
      if (!status.ok()) {
        std::fill(content.begin(), content.end(), std::byte{0});
        damage(std::move(status));
      }
      if (out == nullptr) continue;
      if (ref_.compressed) {
        UntransposeRecords(content, ref_.record_size, records);
      } else {
        std::memcpy(records, content.data(), size);
      }
      records += size;
    }
  }
  if (out == nullptr) return Status::Ok();
  CopyRecords(out->data(), ref_.count, ref_.record_size, known_size_, out->data());
  out->resize(ref_.count * known_size_);
  return Status::Ok();
}

void SealedTable::Forget() const {
  const std::lock_guard lock(cache_->mutex);
  cache_->contents.clear();
}

}  // namespace dsi::internal
