// Rows in a spill file in the order of input, and a record of each beside them.
//
// Blocks of rows stand on shelves: all on one at first. Who asks for rows that lie far apart reads
// each block many times; a shelf is then split into several by what is asked for together.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/spill/row_codec_internal.h"
#include "dsi/writer/spill/spill_file_internal.h"

namespace dsi::internal {

class SpilledRows {
 public:
  // `threads`: that compress.
  SpilledRows(const Schema& schema, std::string folder, int threads);

  // Adds all rows of a batch, and `records`, as many bytes for each, which are handed out together.
  // row_bytes: per row. All or nothing.
  Status Append(const RowBatch& rows, std::span<const uint64_t> row_bytes,
                std::span<const std::byte> records);
  // To the state that it had with so many rows, at the end of an Append.
  void CutBack(uint64_t num_rows);

  uint64_t num_rows() const { return num_rows_; }
  uint64_t spilled_bytes() const { return rows_.size() + records_.size(); }

  // Calls visit with the records of all rows from `first` on, some at a time.
  Status ForEachRecords(const std::function<Status(std::span<const std::byte>)>& visit,
                        uint64_t first = 0) const;
  // A block of rows, which ascend.
  struct Block {
    uint64_t offset = 0;
    uint32_t first_row = 0;  // Of the input.
  };
  using Shelf = std::vector<Block>;
  const Shelf& all() const { return blocks_; }

  // Calls visit(place in `rows`, bytes of the row) for rows of a shelf, ascending.
  using VisitRows = std::function<Status(size_t, std::span<const std::byte>)>;
  Status ForEachRow(const Shelf& shelf, std::span<const uint32_t> rows,
                    const VisitRows& visit) const;
  // The rows as columns.
  Status Collect(const Shelf& shelf, std::span<const uint32_t> rows, RowCollector* collector) const;
  // Copies the rows of a shelf to shelves, of which part_of(row) is each one's. part_of is asked
  // for all rows in their order. Takes 128 KiB for each of the parts.
  Result<std::vector<Shelf>> Split(const Shelf& shelf, size_t num_parts,
                                   const std::function<Result<uint32_t>(uint32_t)>& part_of);
  // All rows, in pieces: visit(first row, rows).
  Status ForEachPiece(const std::function<Status(uint64_t, RowCollector*)>& visit) const;

  std::span<const FeatureCoding> codings() const { return codings_; }

 private:
  Status LoadBlock(const Block& block) const;
  uint32_t NumberOfRow(uint32_t place) const;
  std::span<const std::byte> RowOfBlock(uint32_t place) const;
  Status TryAppend(const RowBatch& rows, std::span<const uint64_t> row_bytes,
                   std::span<const std::byte> records);

  // Blocks of rows on their way to the file, and where each is noted then.
  class BlockQueue;

  std::vector<FeatureCoding> codings_;
  int threads_;
  SpillFile rows_;
  SpillFile records_;
  Shelf blocks_;
  std::vector<Block> record_blocks_;
  uint64_t num_rows_ = 0;
  // The block at hand.
  mutable std::vector<std::byte> bytes_;
  mutable uint64_t loaded_ = UINT64_MAX;  // Its offset.
  mutable uint32_t num_loaded_ = 0;       // Rows of it.
};

}  // namespace dsi::internal
