// The rows of a text, as one thread would read them row by row, whoever parsed them.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dsi/text/block_queue_internal.h"
#include "dsi/text/coverage_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

class ParsedText : public TextInput {
 public:
  ParsedText(std::unique_ptr<TextBlocks> blocks, std::shared_ptr<const Schema> schema,
             const TextInputOptions& options, const BlockQueue::MakeParser& make_parser);

  Result<bool> Next(size_t max_rows, RowBatch* batch) override;
  uint64_t bytes_done() const override { return bytes_done_; }
  uint64_t bytes_total() const override { return queue_.blocks().bytes_total(); }
  uint64_t lines_done() const override;
  TextCoverage coverage() const override { return coverage_.Get(); }

 private:
  Result<bool> ReadOn(size_t max_rows, RowBatch* batch);
  // Goes to the next block; false at the end.
  Result<bool> TakePiece(size_t max_rows);
  void EndPiece();
  // Gives the rows of a block that was parsed whole.
  Status HandOver(RowBatch* batch);
  // Gives the rows of a block from where the last call ended.
  Status ParseOn(size_t max_rows, RowBatch* batch, const RowParser::OnBadRow& on_bad_row);
  // Puts the row that is cut off at the end of the block, and what follows it, into one block.
  Status JoinNext();

  std::shared_ptr<const Schema> schema_;
  RowParser::OnBadRow on_bad_row_;  // An error of it ends the reading.
  const std::unique_ptr<RowParser> parser_;
  BlockQueue queue_;
  CoverageOfRows coverage_;
  std::unique_ptr<ParsedBlock> piece_;  // Whose rows come next.
  bool is_begun_ = false;               // By parser_.
  size_t files_begun_ = 0;
  size_t blocks_to_join_ = 1;
  uint64_t bytes_done_ = 0;
  uint64_t lines_done_ = 0;  // With the block before.
  Status end_;               // Why there are no more rows.
};

}  // namespace dsi::internal
