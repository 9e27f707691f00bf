#include "dsi/writer/spill/spilled_rows_internal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Of rows in a block: what is read for one row of them.
constexpr uint64_t kBlockBytes = 128 << 10;
constexpr uint32_t kMostBlockRows = 8'192;

}  // namespace

SpilledRows::SpilledRows(const Schema& schema, std::string folder)
    : codings_(CodingsOf(schema)), rows_(folder), records_(std::move(folder)) {}

Status SpilledRows::Append(const RowBatch& rows, std::span<const uint64_t> row_bytes,
                           std::span<const std::byte> records) {
  const uint64_t before = num_rows_;
  const uint64_t rows_size = rows_.size();
  const uint64_t records_size = records_.size();
  const auto undo = [&] {
    CutBack(before);
    rows_.Truncate(rows_size);
    records_.Truncate(records_size);
  };
  try {
    Status status = TryAppend(rows, row_bytes, records);
    if (!status.ok()) undo();
    return status;
  } catch (...) {
    undo();
    throw;
  }
}

Status SpilledRows::TryAppend(const RowBatch& rows, std::span<const uint64_t> row_bytes,
                              std::span<const std::byte> records) {
  RowsEncoder encoder(codings_, rows);
  std::vector<std::byte> bytes;
  for (size_t row = 0; row < row_bytes.size();) {
    uint64_t size = 0;
    uint32_t count = 0;
    while (row + count < row_bytes.size() && count < kMostBlockRows &&
           (count == 0 || size + row_bytes[row + count] <= kBlockBytes))
      size += row_bytes[row + count++];
    bytes.clear();
    AppendLE(&bytes, count);
    encoder.Encode(count, &bytes);
    DSI_ASSIGN_OR_RETURN(const uint64_t offset, rows_.Append(bytes));
    blocks_.push_back({offset, static_cast<uint32_t>(num_rows_ + row)});
    row += count;
  }
  const size_t width = row_bytes.empty() ? 0 : records.size() / row_bytes.size();
  for (size_t row = 0; row < row_bytes.size(); row += kMostBlockRows) {
    const size_t count = std::min<size_t>(row_bytes.size() - row, kMostBlockRows);
    DSI_ASSIGN_OR_RETURN(const uint64_t offset,
                         records_.Append(records.subspan(row * width, count * width)));
    record_blocks_.push_back({offset, static_cast<uint32_t>(num_rows_ + row)});
  }
  num_rows_ += row_bytes.size();
  return Status::Ok();
}

void SpilledRows::CutBack(uint64_t num_rows) {
  const auto cut = [num_rows](std::vector<Block>* blocks, SpillFile* file) {
    while (!blocks->empty() && blocks->back().first_row >= num_rows) {
      file->Truncate(blocks->back().offset);
      blocks->pop_back();
    }
  };
  cut(&blocks_, &rows_);
  cut(&record_blocks_, &records_);
  num_rows_ = num_rows;
  loaded_ = SIZE_MAX;
}

Status SpilledRows::ForEachRecords(
    const std::function<Status(std::span<const std::byte>)>& visit) const {
  std::vector<std::byte> bytes;
  for (const Block& block : record_blocks_) {
    DSI_RETURN_IF_ERROR(records_.Read(block.offset, &bytes));
    DSI_RETURN_IF_ERROR(visit(bytes));
  }
  return Status::Ok();
}

Status SpilledRows::LoadBlock(size_t block) const {
  if (loaded_ == block) return Status::Ok();
  loaded_ = SIZE_MAX;
  DSI_RETURN_IF_ERROR(rows_.Read(blocks_[block].offset, &bytes_));
  const uint64_t end = block + 1 < blocks_.size() ? blocks_[block + 1].first_row : num_rows_;
  num_loaded_ = static_cast<uint32_t>(end - blocks_[block].first_row);
  const uint64_t head = sizeof(uint32_t) * (1 + uint64_t{num_loaded_});
  if (bytes_.size() < head || LoadLE<uint32_t>(bytes_.data()) != num_loaded_)
    return Corrupt("a block of spilled rows is not what was written");
  uint32_t before = 0;
  for (uint32_t row = 0; row < num_loaded_; ++row) {
    const auto at = LoadLE<uint32_t>(bytes_.data() + sizeof(uint32_t) * (1 + row));
    if (at < before || at > bytes_.size() - head)
      return Corrupt("a block of spilled rows is not what was written");
    before = at;
  }
  loaded_ = block;
  return Status::Ok();
}

std::span<const std::byte> SpilledRows::RowOfBlock(size_t row) const {
  const auto end_of = [this](size_t i) {
    return LoadLE<uint32_t>(bytes_.data() + sizeof(uint32_t) * (1 + i));
  };
  const size_t begin = row == 0 ? 0 : end_of(row - 1);
  return std::span(bytes_).subspan(sizeof(uint32_t) * (1 + size_t{num_loaded_}) + begin,
                                   end_of(row) - begin);
}

Status SpilledRows::ForEachRow(
    std::span<const uint32_t> rows,
    const std::function<Status(size_t, std::span<const std::byte>)>& visit) const {
  size_t block = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (block + 1 < blocks_.size() && blocks_[block + 1].first_row <= rows[i]) {
      const auto after =
          std::upper_bound(blocks_.begin() + static_cast<std::ptrdiff_t>(block), blocks_.end(),
                           rows[i], [](uint32_t row, const Block& b) { return row < b.first_row; });
      block = static_cast<size_t>(after - blocks_.begin()) - 1;
    }
    DSI_RETURN_IF_ERROR(LoadBlock(block));
    DSI_RETURN_IF_ERROR(visit(i, RowOfBlock(rows[i] - blocks_[block].first_row)));
  }
  return Status::Ok();
}

Status SpilledRows::Collect(std::span<const uint32_t> rows, RowCollector* collector) const {
  DSI_RETURN_IF_ERROR(ForEachRow(
      rows, [&](size_t, std::span<const std::byte> row) { return collector->Add(row); }));
  collector->Finish();
  return Status::Ok();
}

Status SpilledRows::ForEachPiece(
    const std::function<Status(uint64_t, RowCollector*)>& visit) const {
  for (size_t block = 0; block < blocks_.size(); ++block) {
    DSI_RETURN_IF_ERROR(LoadBlock(block));
    RowCollector collector(codings_);
    for (uint32_t row = 0; row < num_loaded_; ++row)
      DSI_RETURN_IF_ERROR(collector.Add(RowOfBlock(row)));
    collector.Finish();
    DSI_RETURN_IF_ERROR(visit(blocks_[block].first_row, &collector));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
