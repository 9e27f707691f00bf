#include "dsi/writer/publish/file_sink_internal.h"

#include <algorithm>
#include <array>

#include "dsi/base/bytes_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/table_blocks_internal.h"
#include "dsi/io/copy_bytes_internal.h"

namespace dsi::internal {
namespace {

constexpr double kClearlySmaller = 0.9;  // Of a compressed table; else it is not worth decoding.

}  // namespace

Status FileSink::Append(std::span<const std::byte> bytes) {
  DSI_RETURN_IF_ERROR(file_->Append(bytes));
  offset_ += bytes.size();
  return Status::Ok();
}

Status FileSink::AppendHeader() {
  std::array<std::byte, kHeaderSize> bytes;
  Header{.salt = salt_}.EncodeTo(bytes);
  return Append(bytes);
}

Status FileSink::AppendCopy(const RandomAccessFile& from, uint64_t bytes) {
  DSI_RETURN_IF_ERROR(CopyBytes(from, bytes, file_));
  offset_ += bytes;
  return Status::Ok();
}

Result<PageRecord> FileSink::AppendPage(std::span<const std::byte> bytes, uint32_t num_values) {
  PageRecord page{.offset = offset_,
                  .stored_size = static_cast<uint32_t>(bytes.size()),
                  .num_values = num_values,
                  .seal = Seal(bytes, SealKind::kPage, offset_, salt_)};
  DSI_RETURN_IF_ERROR(Append(bytes));
  return page;
}

Result<TableRef> FileSink::AppendTable(std::span<const std::byte> records, uint32_t record_size) {
  TableRef table{.record_size = record_size,
                 .count = static_cast<uint32_t>(records.size() / record_size)};
  if (table.count == 0) return table;  // F-040: no bytes, offset 0.
  table.offset = offset_;
  if (NumBlocks(table.count, record_size) > 1) {
    DSI_ASSIGN_OR_RETURN(const bool done, AppendCompressed(records, &table));
    if (done) return table;
  }
  DSI_RETURN_IF_ERROR(AppendPlain(records, &table));
  return table;
}

Status FileSink::AppendPlain(std::span<const std::byte> records, TableRef* table) {
  std::vector<std::byte> padded(records.begin(), records.end());
  PadTo(&padded, 8);
  const size_t block_bytes = size_t{RecordsPerBlock(table->record_size)} * table->record_size;
  std::vector<std::byte> seals;
  for (size_t begin = 0; begin < padded.size(); begin += block_bytes) {
    const size_t size = std::min(block_bytes, padded.size() - begin);
    AppendLE<uint64_t>(&seals, Seal(std::span(padded).subspan(begin, size), SealKind::kTableBlock,
                                    offset_ + begin, salt_));
  }
  DSI_RETURN_IF_ERROR(Append(padded));
  table->seal = Seal(seals, SealKind::kTableSeals, offset_, salt_);
  return Append(seals);
}

Result<bool> FileSink::AppendCompressed(std::span<const std::byte> records, TableRef* table) {
  const size_t block_bytes = size_t{RecordsPerBlock(table->record_size)} * table->record_size;
  std::vector<std::byte> nodes;
  std::vector<size_t> ends;
  std::vector<std::byte> transposed;
  FrameEncoder frames;
  for (size_t begin = 0; begin < records.size(); begin += block_bytes) {
    const auto block = records.subspan(begin, std::min(block_bytes, records.size() - begin));
    transposed.resize(block.size());
    TransposeRecords(block, table->record_size, transposed.data());
    // Every file that is opened pays for decoding: LZ4 takes a quarter of the time of Zstandard,
    // and 6 % more bytes.
    if (!CompressBytes(transposed, kLz4Codec, 0, &frames, &nodes)) {
      EncodeNode({.values = transposed.data(), .count = transposed.size(), .width = 1},
                 EncodePlan{}, EncodeTuning{}, &nodes);
    }
    ends.push_back(nodes.size());
  }
  std::vector<std::byte> entries;
  const uint64_t first = offset_ + ends.size() * kBlockEntrySize;
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto node = std::span(nodes).subspan(begin, end - begin);
    AppendLE<uint64_t>(&entries, Seal(node, SealKind::kTableBlock, first + begin, salt_));
    AppendLE<uint64_t>(&entries, first + end);
    begin = end;
  }
  if (static_cast<double>(entries.size() + nodes.size()) >
      kClearlySmaller * static_cast<double>(records.size()))
    return false;
  table->compressed = true;
  table->seal = Seal(entries, SealKind::kTableSeals, offset_, salt_);
  DSI_RETURN_IF_ERROR(Append(entries));
  DSI_RETURN_IF_ERROR(Append(nodes));
  return true;
}

Result<TableRef> FileSink::AppendInBlocks(std::span<const std::byte> bytes) {
  TableRef table{.offset = offset_,
                 .record_size = kNameRecordSize,
                 .count = static_cast<uint32_t>(bytes.size())};
  DSI_RETURN_IF_ERROR(AppendPlain(bytes, &table));
  return table;
}

Result<WrittenSection> FileSink::AppendSection(std::span<const std::byte> bytes) {
  std::vector<std::byte> padded(bytes.begin(), bytes.end());
  PadTo(&padded, 8);
  const WrittenSection section{.offset = offset_,
                               .size = bytes.size(),
                               .seal = Seal(padded, SealKind::kSection, offset_, salt_)};
  DSI_RETURN_IF_ERROR(Append(padded));
  return section;
}

Status FileSink::AppendEnd(std::span<const std::byte> core, uint64_t compat) {
  Trailer trailer;
  trailer.compat = compat;
  trailer.core_offset = offset_;
  trailer.core_size = static_cast<uint32_t>(core.size());
  trailer.core_seal = Seal(core, SealKind::kCore, offset_, salt_);
  trailer.salt = salt_;
  trailer.file_size = offset_ + core.size() + kTrailerSize;
  DSI_RETURN_IF_ERROR(Append(core));
  std::array<std::byte, kTrailerSize> bytes;
  trailer.EncodeTo(bytes);
  return Append(bytes);
}

}  // namespace dsi::internal
