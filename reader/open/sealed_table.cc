// Sealed tables (spec F-040, F-042): one seal over the blocks' seals, one seal per block, one block
// at a time.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/fork_safe_mutex_internal.h"
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
  const std::byte* from = block.data() + begin * per_block + i;
  for (size_t j = 0; j < size; ++j, from += per_block) to[j] = *from;
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
  explicit Cache(const TableRef& ref) : entries(ref) {}

  ForkSafeMutex mutex;
  bool has_entries = false;
  BlockEntries entries;                                // Not changed once they are there.
  std::vector<std::unique_ptr<std::byte[]>> contents;  // By block; null: not read yet.
};

SealedTable::SealedTable(const HeldFile* file, const TableRef& ref, size_t known_size,
                         uint64_t salt, std::string what, Step step)
    : file_(file),
      ref_(ref),
      known_size_(known_size),
      salt_(salt),
      what_(std::move(what)),
      step_(step),
      cache_(std::make_unique<Cache>(ref)) {}

SealedTable::~SealedTable() = default;

Status SealedTable::Fetch(uint64_t offset, std::span<std::byte> dst, LookAhead* ahead) const {
  return ahead != nullptr ? ahead->Read(offset, dst) : file_->ReadAt(offset, dst);
}

Status SealedTable::LoadEntries(BlockEntries* entries, LookAhead* ahead) const {
  DSI_RETURN_IF_ERROR(Fetch(entries->offset(), entries->Reserve(), ahead));
  return entries->CheckSeal(salt_, what_);
}

Result<uint64_t> SealedTable::StoredBytes() const {
  if (ref_.count == 0) return uint64_t{0};
  if (!ref_.compressed) return TableBytes(ref_);
  BlockEntries entries(ref_);
  DSI_RETURN_IF_ERROR(LoadEntries(&entries, nullptr));
  TableBlock last;
  for (uint64_t b = 0; b < entries.num_blocks(); ++b) {
    DSI_ASSIGN_OR_RETURN(last, entries.At(b, what_));
  }
  return last.offset + last.stored - ref_.offset;
}

Status SealedTable::OpenBlock(uint64_t number, const TableBlock& block,
                              std::span<const std::byte> bytes, DecodeScratch* scratch,
                              std::byte* content) const {
  const uint64_t found = Seal(bytes, SealKind::kTableBlock, block.offset, salt_);
  if (found != block.seal) {
    return Corrupt("table of {}: block {} at {}..{}: seal {:016x}, expected {:016x} (F-040)", what_,
                   number, block.offset, block.offset + bytes.size(), found, block.seal);
  }
  const size_t size = RawBlockBytes(ref_, number);
  if (!ref_.compressed) {
    if (!AllZero(bytes.subspan(size)))
      return Corrupt("table of {}: padding at the end is not zero (F-002)", what_);
    std::memcpy(content, bytes.data(), size);
    return Status::Ok();
  }
  Status status = DecompressBytes(bytes, scratch, {content, size});
  if (!status.ok()) return status.At(fmt::format("table of {}: block {}", what_, number));
  return Status::Ok();
}

uint64_t SealedTable::MostBytes() const {
  if (!ref_.compressed) return TableBytes(ref_);
  // Of a file with gaps `bytes` may be far more than the table takes.
  const uint64_t raw = uint64_t{ref_.count} * ref_.record_size;
  const uint64_t num_blocks = NumBlocks(ref_.count, ref_.record_size);
  return std::min(ref_.bytes, raw + num_blocks * (kBlockEntrySize + kNodeHeaderSize + 8));
}

void SealedTable::NoteStart(LookAhead* ahead) const {
  const uint64_t whole = MostBytes();
  if (whole <= (step_ == Step::kLast ? ahead->last_whole_bytes() : ahead->whole_bytes())) {
    ahead->Note(ref_.offset, whole);
  } else {
    const BlockEntries entries(ref_);
    ahead->Note(entries.offset(), entries.size());
  }
}

void SealedTable::LookAtStart(LookAhead* ahead) const {
  if (ref_.count == 0 || !ahead->is_noting()) return;
  {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->has_entries) return;
  }
  NoteStart(ahead);
}

// Where a block is before the entries tell it: blocks of a table are of much the same size. In the
// name index, the one table that is entered by guess, a hash is within 3 √n / 2 records of its
// place but for one in 400, and that may be in the block next to those.
void SealedTable::NoteGuess(uint64_t number, LookAhead* ahead) const {
  const BlockEntries entries(ref_);  // Where they stand, not what they are.
  uint64_t begin = ref_.offset + (ref_.compressed ? entries.size() : 0);
  uint64_t end = ref_.offset + MostBytes() - (ref_.compressed ? 0 : entries.size());
  if (end <= begin) return;
  const uint64_t size = (end - begin) / entries.num_blocks();
  const uint64_t root = uint64_t{1} << (std::bit_width(ref_.count) + 1) / 2;  // At least √n.
  const uint64_t margin = size * root * 3 / 2 / RecordsPerBlock(ref_.record_size);
  const uint64_t at = begin + (end - begin) * number / entries.num_blocks();
  begin = std::max(begin, at - std::min(at, margin));
  end = std::min(end, at + margin + 2 * size);
  if (begin < end) ahead->Note(begin, end - begin);
}

// A feature's first column is mostly in the block of the others or the one before, a name ends in
// the next one.
void SealedTable::NoteNeighbours(uint64_t number, LookAhead* ahead) const {
  const BlockEntries& entries = cache_->entries;
  const auto first = entries.At(number - std::min<uint64_t>(number, 1), what_);
  const auto last = entries.At(std::min(number + 1, entries.num_blocks() - 1), what_);
  if (first.ok() && last.ok() && first->offset < last->offset + last->stored)
    ahead->Note(first->offset, last->offset + last->stored - first->offset);
}

Status SealedTable::KeepEntries(LookAhead* ahead) const {
  BlockEntries entries(ref_);
  DSI_RETURN_IF_ERROR(LoadEntries(&entries, ahead));
  const std::lock_guard lock(cache_->mutex);
  if (cache_->has_entries) return Status::Ok();  // Somebody else was faster.
  cache_->entries = std::move(entries);
  cache_->has_entries = true;
  return Status::Ok();
}

template <typename Use>
Status SealedTable::UseBlock(uint32_t number, LookAhead* ahead, const Use& use) const {
  const size_t size = RawBlockBytes(ref_, number);
  bool has_entries = false;
  {
    const std::lock_guard lock(cache_->mutex);
    has_entries = cache_->has_entries;
    if (number < cache_->contents.size() && cache_->contents[number] != nullptr) {
      use(std::span<const std::byte>(cache_->contents[number].get(), size));
      return Status::Ok();
    }
  }
  const bool is_noting = ahead != nullptr && ahead->is_noting();
  if (!has_entries) {
    if (Status status = KeepEntries(ahead); !status.ok()) {
      if (!is_noting) return status;
      NoteStart(ahead);
      NoteGuess(number, ahead);
      return status;
    }
  }
  DSI_ASSIGN_OR_RETURN(const TableBlock block, cache_->entries.At(number, what_));
  std::vector<std::byte> read;
  std::span<const std::byte> stored(ahead != nullptr ? ahead->At(block.offset, block.stored)
                                                     : file_->At(block.offset, block.stored),
                                    block.stored);
  if (stored.data() == nullptr) {
    read.resize(block.stored);
    if (Status status = Fetch(block.offset, read, ahead); !status.ok()) {
      if (is_noting) NoteNeighbours(number, ahead);
      return status;
    }
    stored = read;
  }
  std::unique_ptr<std::byte[]> fresh(new std::byte[size]);
  std::optional<DecodeScratch> own;
  DecodeScratch* const scratch = ahead != nullptr ? ahead->scratch() : &own.emplace();
  DSI_RETURN_IF_ERROR(OpenBlock(number, block, stored, scratch, fresh.get()));
  const std::lock_guard lock(cache_->mutex);
  cache_->contents.resize(cache_->entries.num_blocks());
  std::unique_ptr<std::byte[]>& kept = cache_->contents[number];
  if (kept == nullptr) kept = std::move(fresh);
  use(std::span<const std::byte>(kept.get(), size));
  return Status::Ok();
}

Status SealedTable::Read(uint32_t first, uint32_t n, std::byte* out, LookAhead* ahead) const {
  if (!FitsIn(first, n, ref_.count)) {
    return Corrupt("table of {}: records {}..{} wanted, it has {} (F-041)", what_, first,
                   uint64_t{first} + n, ref_.count);
  }
  const uint32_t per_block = RecordsPerBlock(ref_.record_size);
  const size_t size = ref_.record_size;
  Status first_error;
  while (n != 0) {
    const uint32_t in_block = first % per_block;
    const uint32_t take = std::min(n, per_block - in_block);
    const auto copy = [&](std::span<const std::byte> block) {
      if (ref_.compressed && size != 1) {
        for (uint32_t i = 0; i < take; ++i)
          GatherRecord(block, size, in_block + i, 0, known_size_, out + i * known_size_);
      } else {
        CopyRecords(block.data() + in_block * size, take, size, known_size_, out);
      }
    };
    Status status = UseBlock(first / per_block, ahead, copy);
    if (!status.ok()) {
      if (ahead == nullptr || !ahead->is_noting()) return status;
      if (first_error.ok()) first_error = std::move(status);  // The other blocks are noted, too.
    }
    out += take * known_size_;
    first += take;
    n -= take;
  }
  return first_error;
}

Status SealedTable::ReadPart(uint32_t record, size_t begin, std::span<std::byte> out,
                             LookAhead* ahead) const {
  if (record >= ref_.count) {
    return Corrupt("table of {}: record {} wanted, it has {} (F-041)", what_, record, ref_.count);
  }
  const uint32_t per_block = RecordsPerBlock(ref_.record_size);
  const size_t in_block = record % per_block;
  return UseBlock(record / per_block, ahead, [&](std::span<const std::byte> block) {
    if (ref_.compressed) {
      GatherRecord(block, ref_.record_size, in_block, begin, out.size(), out.data());
    } else {
      std::memcpy(out.data(), block.data() + in_block * ref_.record_size + begin, out.size());
    }
  });
}

Status SealedTable::ReadAll(CountedVector<std::byte>* out, LookAhead* ahead) const {
  Status first;
  const auto keep_first = [&first](Status status) {
    if (first.ok()) first = std::move(status);
  };
  DSI_RETURN_IF_ERROR(ReadSound(out, keep_first, ahead));
  return first;
}

Status SealedTable::ReadSound(CountedVector<std::byte>* out,
                              const std::function<void(Status)>& damage, LookAhead* ahead) const {
  if (out != nullptr) out->clear();
  if (ref_.count == 0) return Status::Ok();
  BlockEntries entries(ref_);
  DSI_RETURN_IF_ERROR(LoadEntries(&entries, ahead));
  std::vector<TableBlock> blocks(entries.num_blocks());
  for (uint64_t b = 0; b < blocks.size(); ++b) {
    DSI_ASSIGN_OR_RETURN(blocks[b], entries.At(b, what_));
  }
  // Bounded by bytes present, of which a compressed block of 4 KiB takes 32 or more.
  if (out != nullptr) out->resize(uint64_t{ref_.count} * ref_.record_size);
  std::vector<std::byte> piece;
  std::vector<std::byte> content;
  DecodeScratch scratch;
  std::byte* records = out != nullptr ? out->data() : nullptr;
  for (size_t first = 0; first < blocks.size(); first += kBlocksPerRead) {
    const size_t end = std::min<size_t>(blocks.size(), first + kBlocksPerRead);
    const uint64_t at = blocks[first].offset;
    piece.resize(blocks[end - 1].offset + blocks[end - 1].stored - at);
    DSI_RETURN_IF_ERROR(Fetch(at, piece, ahead));
    for (size_t b = first; b < end; ++b) {
      const auto stored = std::span(piece).subspan(blocks[b].offset - at, blocks[b].stored);
      const size_t size = RawBlockBytes(ref_, b);
      content.resize(size);
      Status status = OpenBlock(b, blocks[b], stored, &scratch, content.data());
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
