// Sealed tables (spec F-040): one seal over the block seals, one seal per block, one block at a
// time.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

// Whole tables are read in pieces of this many blocks, so that checking one needs little memory.
constexpr uint64_t kBlocksPerRead = 64;

uint64_t NumBlocks(const TableRef& ref) {
  const uint64_t per_block = RecordsPerBlock(ref.record_size);
  return (uint64_t{ref.count} + per_block - 1) / per_block;
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

uint64_t TableBytes(const TableRef& ref) {
  // Both factors have 32 bits, and a record is at most a block once F-041 holds.
  const uint64_t records = uint64_t{ref.count} * ref.record_size;
  return AlignUp(records, 8) + 8 * NumBlocks(ref);
}

struct SealedTable::Cache {
  std::mutex mutex;
  bool seals_loaded = false;
  std::vector<uint64_t> seals;
  std::vector<std::unique_ptr<std::byte[]>> blocks;  // Null: not read yet.
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

uint64_t SealedTable::num_blocks() const { return NumBlocks(ref_); }

uint64_t SealedTable::block_offset(uint64_t block) const {
  return ref_.offset + block * RecordsPerBlock(ref_.record_size) * ref_.record_size;
}

size_t SealedTable::block_bytes(uint64_t block) const {
  const uint64_t per_block = RecordsPerBlock(ref_.record_size);
  const uint64_t records = std::min<uint64_t>(per_block, ref_.count - block * per_block);
  return static_cast<size_t>(AlignUp(records * ref_.record_size, 8));
}

Status SealedTable::LoadSeals(std::vector<uint64_t>* seals) const {
  const uint64_t at = ref_.offset + AlignUp(uint64_t{ref_.count} * ref_.record_size, 8);
  seals->resize(num_blocks());
  const auto bytes = std::as_writable_bytes(std::span(*seals));
  DSI_RETURN_IF_ERROR(file_->ReadAt(at, bytes));
  const uint64_t found = Seal(bytes, SealKind::kTableSeals, at, salt_);
  if (found != ref_.seal) {
    return Corrupt("table of {}: block seals at {}..{}: seal {:016x}, expected {:016x} (F-040)",
                   what_, at, at + bytes.size(), found, ref_.seal);
  }
  return Status::Ok();
}

Status SealedTable::CheckBlock(uint64_t block, std::span<const std::byte> bytes,
                               uint64_t seal) const {
  const uint64_t at = block_offset(block);
  const uint64_t found = Seal(bytes, SealKind::kTableBlock, at, salt_);
  if (found != seal) {
    return Corrupt("table of {}: block {} at {}..{}: seal {:016x}, expected {:016x} (F-040)", what_,
                   block, at, at + bytes.size(), found, seal);
  }
  const uint64_t per_block = RecordsPerBlock(ref_.record_size);
  const uint64_t records = std::min<uint64_t>(per_block, ref_.count - block * per_block);
  if (!AllZero(bytes.subspan(records * ref_.record_size))) {
    return Corrupt("table of {}: padding at the end is not zero (F-002)", what_);
  }
  return Status::Ok();
}

Status SealedTable::Read(uint32_t first, uint32_t n, std::byte* out) const {
  if (!FitsIn(first, n, ref_.count)) {
    return Corrupt("table of {}: records {}..{} wanted, it has {} (F-041)", what_, first,
                   uint64_t{first} + n, ref_.count);
  }
  if (n == 0) return Status::Ok();
  const uint32_t per_block = RecordsPerBlock(ref_.record_size);
  const std::lock_guard lock(cache_->mutex);
  if (!cache_->seals_loaded) {
    DSI_RETURN_IF_ERROR(LoadSeals(&cache_->seals));
    cache_->seals_loaded = true;
  }
  cache_->blocks.resize(cache_->seals.size());
  while (n != 0) {
    const uint32_t block = first / per_block;
    const uint32_t in_block = first % per_block;
    const uint32_t take = std::min(n, per_block - in_block);
    std::unique_ptr<std::byte[]>& kept = cache_->blocks[block];
    if (kept == nullptr) {
      const size_t size = block_bytes(block);
      std::unique_ptr<std::byte[]> fresh(new std::byte[size]);
      DSI_RETURN_IF_ERROR(file_->ReadAt(block_offset(block), {fresh.get(), size}));
      DSI_RETURN_IF_ERROR(CheckBlock(block, {fresh.get(), size}, cache_->seals[block]));
      kept = std::move(fresh);
    }
    CopyRecords(kept.get() + size_t{in_block} * ref_.record_size, take, ref_.record_size,
                known_size_, out);
    out += take * known_size_;
    first += take;
    n -= take;
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
  std::vector<uint64_t> seals;
  DSI_RETURN_IF_ERROR(LoadSeals(&seals));
  const uint64_t records_bytes = uint64_t{ref_.count} * ref_.record_size;
  // The table lies inside the file, so this is bounded by bytes present.
  if (out != nullptr) out->resize(AlignUp(records_bytes, 8));
  std::vector<std::byte> piece;
  for (uint64_t block = 0; block < seals.size(); block += kBlocksPerRead) {
    const uint64_t end = std::min<uint64_t>(seals.size(), block + kBlocksPerRead);
    const uint64_t at = block_offset(block);
    const auto size = static_cast<size_t>(block_offset(end - 1) + block_bytes(end - 1) - at);
    if (out == nullptr) piece.resize(size);
    const std::span<std::byte> bytes =
        out != nullptr ? std::span(*out).subspan(at - ref_.offset, size) : std::span(piece);
    DSI_RETURN_IF_ERROR(file_->ReadAt(at, bytes));
    for (uint64_t b = block; b < end; ++b) {
      const auto part = bytes.subspan(block_offset(b) - at, block_bytes(b));
      Status status = CheckBlock(b, part, seals[b]);
      if (status.ok()) continue;
      std::memset(part.data(), 0, part.size());
      damage(std::move(status));
    }
  }
  if (out == nullptr) return Status::Ok();
  CopyRecords(out->data(), ref_.count, ref_.record_size, known_size_, out->data());
  out->resize(ref_.count * known_size_);
  return Status::Ok();
}

void SealedTable::Forget() const {
  const std::lock_guard lock(cache_->mutex);
  cache_->blocks.clear();
}

}  // namespace dsi::internal
