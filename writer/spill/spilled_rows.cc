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
constexpr uint64_t kSplitBytes = 64 << 10;  // Smaller where many are filled side by side.
constexpr uint32_t kMostBlockRows = 8'192;
constexpr size_t kMostQueued = 16;  // Blocks.

}  // namespace

// As many as keep the threads that compress them busy.
class SpilledRows::BlockQueue {
 public:
  BlockQueue(SpillFile* file, int threads)
      : file_(file),
        threads_(threads),
        most_(std::min<size_t>(4 * static_cast<size_t>(threads), kMostQueued)) {}

  // To be noted on `shelf`, which must outlive this, at the end of it.
  Status Add(std::vector<std::byte> block, uint32_t first_row, Shelf* shelf) {
    blocks_.push_back(std::move(block));
    notes_.push_back({shelf, first_row});
    return blocks_.size() < most_ ? Status::Ok() : Flush();
  }
  // After the last one.
  Status Flush() {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> offsets, file_->AppendAll(blocks_, threads_));
    for (size_t i = 0; i < offsets.size(); ++i)
      notes_[i].shelf->push_back({offsets[i], notes_[i].first_row});
    blocks_.clear();
    notes_.clear();
    return Status::Ok();
  }

 private:
  struct Note {
    Shelf* shelf;
    uint32_t first_row;
  };

  SpillFile* file_;
  int threads_;
  size_t most_;
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<Note> notes_;
};

SpilledRows::SpilledRows(const Schema& schema, std::string folder, int threads)
    : codings_(CodingsOf(schema)), threads_(threads), rows_(folder), records_(std::move(folder)) {}

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
  BlockQueue queue(&rows_, threads_);
  for (size_t row = 0; row < row_bytes.size();) {
    uint64_t size = 0;
    uint32_t count = 0;
    while (row + count < row_bytes.size() && count < kMostBlockRows &&
           (count == 0 || size + row_bytes[row + count] <= kBlockBytes))
      size += row_bytes[row + count++];
    std::vector<std::byte> bytes;
    AppendLE(&bytes, count);
    for (uint32_t i = 0; i < count; ++i)
      AppendLE(&bytes, static_cast<uint32_t>(num_rows_ + row + i));
    encoder.Encode(count, &bytes);
    DSI_RETURN_IF_ERROR(
        queue.Add(std::move(bytes), static_cast<uint32_t>(num_rows_ + row), &blocks_));
    row += count;
  }
  DSI_RETURN_IF_ERROR(queue.Flush());
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
  loaded_ = UINT64_MAX;
}

Status SpilledRows::ForEachRecords(const std::function<Status(std::span<const std::byte>)>& visit,
                                   uint64_t first) const {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < record_blocks_.size(); ++i) {
    const uint64_t begin = record_blocks_[i].first_row;
    const uint64_t end =
        i + 1 < record_blocks_.size() ? record_blocks_[i + 1].first_row : num_rows_;
    if (end <= first) continue;
    DSI_RETURN_IF_ERROR(records_.Read(record_blocks_[i].offset, &bytes));
    const uint64_t skipped = std::max(begin, first) - begin;
    DSI_RETURN_IF_ERROR(visit(std::span(bytes).subspan(skipped * (bytes.size() / (end - begin)))));
  }
  return Status::Ok();
}

// A block is the number of its rows, which rows of the input they are, where each ends, counted
// from where they begin, and the rows.
Status SpilledRows::LoadBlock(const Block& block) const {
  if (loaded_ == block.offset) return Status::Ok();
  loaded_ = UINT64_MAX;
  DSI_RETURN_IF_ERROR(rows_.Read(block.offset, &bytes_));
  const auto damaged = [] { return Corrupt("a block of spilled rows is not what was written"); };
  if (bytes_.size() < sizeof(uint32_t)) return damaged();
  num_loaded_ = LoadLE<uint32_t>(bytes_.data());
  const uint64_t head = sizeof(uint32_t) * (1 + 2 * uint64_t{num_loaded_});
  if (num_loaded_ == 0 || bytes_.size() < head || NumberOfRow(0) != block.first_row)
    return damaged();
  uint32_t before = 0;
  for (uint32_t place = 0; place < num_loaded_; ++place) {
    const auto end = LoadLE<uint32_t>(bytes_.data() + sizeof(uint32_t) * (1 + num_loaded_ + place));
    if (end < before || end > bytes_.size() - head) return damaged();
    before = end;
  }
  loaded_ = block.offset;
  return Status::Ok();
}

uint32_t SpilledRows::NumberOfRow(uint32_t place) const {
  return LoadLE<uint32_t>(bytes_.data() + sizeof(uint32_t) * (1 + size_t{place}));
}

std::span<const std::byte> SpilledRows::RowOfBlock(uint32_t place) const {
  const std::byte* const ends = bytes_.data() + sizeof(uint32_t) * (1 + size_t{num_loaded_});
  const auto end_of = [ends](uint32_t i) { return LoadLE<uint32_t>(ends + sizeof(uint32_t) * i); };
  const size_t begin = place == 0 ? 0 : end_of(place - 1);
  return std::span(bytes_).subspan(sizeof(uint32_t) * (1 + 2 * size_t{num_loaded_}) + begin,
                                   end_of(place) - begin);
}

Status SpilledRows::ForEachRow(const Shelf& shelf, std::span<const uint32_t> rows,
                               const VisitRows& visit) const {
  auto next = shelf.begin();  // The block after the one at hand.
  uint32_t place = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (next == shelf.begin() || (next != shelf.end() && next->first_row <= rows[i])) {
      next = std::upper_bound(next, shelf.end(), rows[i],
                              [](uint32_t row, const Block& b) { return row < b.first_row; });
      place = 0;
    }
    if (next == shelf.begin()) return Corrupt("row {} is not among those spilled", rows[i]);
    DSI_RETURN_IF_ERROR(LoadBlock(*(next - 1)));
    while (place + 1 < num_loaded_ && NumberOfRow(place) < rows[i]) ++place;
    if (NumberOfRow(place) != rows[i]) return Corrupt("row {} is not among those spilled", rows[i]);
    DSI_RETURN_IF_ERROR(visit(i, RowOfBlock(place)));
  }
  return Status::Ok();
}

Status SpilledRows::Collect(const Shelf& shelf, std::span<const uint32_t> rows,
                            RowCollector* collector) const {
  DSI_RETURN_IF_ERROR(ForEachRow(
      shelf, rows, [&](size_t, std::span<const std::byte> row) { return collector->Add(row); }));
  collector->Finish();
  return Status::Ok();
}

Status SpilledRows::ForEachPiece(
    const std::function<Status(uint64_t, RowCollector*)>& visit) const {
  for (const Block& block : blocks_) {
    DSI_RETURN_IF_ERROR(LoadBlock(block));
    RowCollector collector(codings_);
    for (uint32_t place = 0; place < num_loaded_; ++place)
      DSI_RETURN_IF_ERROR(collector.Add(RowOfBlock(place)));
    collector.Finish();
    DSI_RETURN_IF_ERROR(visit(block.first_row, &collector));
  }
  return Status::Ok();
}

namespace {

// Rows on their way to a shelf.
struct PendingBlock {
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> ends;
  std::vector<std::byte> rows;

  void Add(uint32_t number, std::span<const std::byte> row) {
    numbers.push_back(number);
    rows.insert(rows.end(), row.begin(), row.end());
    ends.push_back(static_cast<uint32_t>(rows.size()));
  }
  std::vector<std::byte> Take() {
    std::vector<std::byte> bytes;
    AppendLE(&bytes, static_cast<uint32_t>(numbers.size()));
    for (const uint32_t number : numbers) AppendLE(&bytes, number);
    for (const uint32_t end : ends) AppendLE(&bytes, end);
    bytes.insert(bytes.end(), rows.begin(), rows.end());
    numbers.clear();
    ends.clear();
    rows.clear();
    return bytes;
  }
};

}  // namespace

Result<std::vector<SpilledRows::Shelf>> SpilledRows::Split(
    const Shelf& shelf, size_t num_parts,
    const std::function<Result<uint32_t>(uint32_t)>& part_of) {
  std::vector<Shelf> shelves(num_parts);
  std::vector<PendingBlock> pending(num_parts);
  BlockQueue queue(&rows_, threads_);
  const auto flush = [&](size_t part) -> Status {
    if (pending[part].numbers.empty()) return Status::Ok();
    const uint32_t first_row = pending[part].numbers.front();
    return queue.Add(pending[part].Take(), first_row, &shelves[part]);
  };
  for (const Block& block : shelf) {
    DSI_RETURN_IF_ERROR(LoadBlock(block));
    for (uint32_t place = 0; place < num_loaded_; ++place) {
      const std::span<const std::byte> row = RowOfBlock(place);
      DSI_ASSIGN_OR_RETURN(const uint32_t part, part_of(NumberOfRow(place)));
      PendingBlock& to = pending[part];
      if (to.rows.size() + row.size() > kSplitBytes) DSI_RETURN_IF_ERROR(flush(part));
      to.Add(NumberOfRow(place), row);
    }
  }
  for (size_t part = 0; part < num_parts; ++part) DSI_RETURN_IF_ERROR(flush(part));
  DSI_RETURN_IF_ERROR(queue.Flush());
  return shelves;
}

}  // namespace dsi::internal
