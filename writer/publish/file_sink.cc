#include "dsi/writer/publish/file_sink_internal.h"

#include <algorithm>
#include <array>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/seal_internal.h"

namespace dsi::internal {

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

Result<PageRecord> FileSink::AppendPage(std::span<const std::byte> bytes, uint32_t num_values) {
  PageRecord page{.offset = offset_,
                  .stored_size = static_cast<uint32_t>(bytes.size()),
                  .num_values = num_values,
                  .seal = Seal(bytes, SealKind::kPage, offset_, salt_)};
  DSI_RETURN_IF_ERROR(Append(bytes));
  return page;
}

Result<WrittenTable> FileSink::AppendTable(std::span<const std::byte> records,
                                           uint32_t record_size) {
  WrittenTable table{.record_size = record_size,
                     .count = static_cast<uint32_t>(records.size() / record_size)};
  if (table.count == 0) return table;  // F-040: no bytes, offset 0.
  table.offset = offset_;
  std::vector<std::byte> padded(records.begin(), records.end());
  PadTo(&padded, 8);
  const size_t block_bytes = static_cast<size_t>(RecordsPerBlock(record_size)) * record_size;
  std::vector<std::byte> seals;
  const size_t num_blocks = (records.size() + block_bytes - 1) / block_bytes;
  for (size_t b = 0; b < num_blocks; ++b) {
    const size_t begin = b * block_bytes;
    const size_t end = b + 1 == num_blocks ? padded.size() : begin + block_bytes;
    AppendLE<uint64_t>(&seals, Seal(std::span(padded).subspan(begin, end - begin),
                                    SealKind::kTableBlock, offset_ + begin, salt_));
  }
  DSI_RETURN_IF_ERROR(Append(padded));
  table.seal = Seal(seals, SealKind::kTableSeals, offset_, salt_);
  DSI_RETURN_IF_ERROR(Append(seals));
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

Status FileSink::AppendEnd(std::span<const std::byte> core) {
  Trailer trailer;
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
