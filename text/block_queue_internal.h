// Blocks of a text, read and parsed by several threads ahead of who takes them, in order.
//
// Whoever has nothing to do reads the next block and then parses it, so that reading, unpacking
// included, goes on beside parsing, and who takes the blocks helps where none is done. Thread
// safety: one thread at a time; helpers are the queue's own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dsi/base/worker_team_internal.h"
#include "dsi/text/lines/row_parser_internal.h"
#include "dsi/text/lines/text_blocks_internal.h"

namespace dsi::internal {

// A block, and what was made of it.
struct ParsedBlock {
  // A row that was left out.
  struct LeftOut {
    uint64_t line = 0;
    std::string_view text;  // In the block.
    std::string reason;
  };

  explicit ParsedBlock(const std::shared_ptr<const Schema>& schema) : rows(schema) {}

  TextBlock block;
  // All that follows is of the whole block. Else it is to be parsed by who takes it: it was not
  // parsed at all, or there is a row that an error or a later block has to do with.
  bool is_whole = false;
  RowBatch rows;
  std::vector<LeftOut> left_out;
  std::vector<IgnoredName> ignored;
  uint64_t more_ignored = 0;
  uint64_t lines_done = 0;  // Of the file, behind the block.

  bool is_done = false;  // Of the queue: nobody works on it.
};

class BlockQueue {
 public:
  using MakeParser = std::function<std::unique_ptr<RowParser>()>;

  BlockQueue(std::unique_ptr<TextBlocks> blocks, std::shared_ptr<const Schema> schema,
             const TextInputOptions& options, MakeParser make_parser);
  // Waits for helpers to end what they parse.
  ~BlockQueue();
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // The next block, parsed where `ahead` says that whole blocks are wanted; null at the end. The
  // parser is the caller's own. kResourceExhausted: no memory to read one.
  Result<std::unique_ptr<ParsedBlock>> Take(bool ahead, RowParser* parser);
  // False where Take might wait for who writes into a pipe.
  bool CanTakeNow();
  // For the memory to be used again.
  void GiveBack(std::unique_ptr<ParsedBlock> piece);
  const TextBlocks& blocks() const { return *blocks_; }

 private:
  class Helper : public WorkerTeam::Task {
   public:
    explicit Helper(BlockQueue* queue) : queue_(*queue) {}
    void Do() override;

   private:
    BlockQueue& queue_;
  };

  void StartHelpers();
  bool MayRead(bool is_caller) const;
  // Reads a block and parses it.
  void Work(std::unique_lock<std::mutex>* lock, RowParser* parser);
  void Parse(RowParser* parser, ParsedBlock* piece) const;
  uint64_t BytesOf(const ParsedBlock& piece) const;

  const std::unique_ptr<TextBlocks> blocks_;
  const std::shared_ptr<const Schema> schema_;
  const MakeParser make_parser_;
  const bool leaves_out_;
  const size_t threads_;
  const uint64_t most_bytes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<ParsedBlock>> pieces_;  // In order; null: being read.
  std::vector<std::unique_ptr<ParsedBlock>> spare_;
  size_t num_taken_ = 0;
  uint64_t bytes_ = 0;        // Of pieces_, and of those being made.
  uint64_t piece_bytes_ = 0;  // Of the piece parsed last.
  bool is_reading_ = false;
  bool at_end_ = false;
  Status failure_;  // Why, where not for the end of the text.
  bool stop_ = false;

  std::deque<Helper> helpers_;
  std::unique_ptr<WorkerTeam> team_;
};

}  // namespace dsi::internal
