#include "dsi/text/block_queue_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"

namespace dsi::internal {
namespace {

// Each thread has one that it makes and one that waits to be taken.
constexpr size_t kPiecesPerThread = 2;
constexpr uint64_t kDefaultBytes = 32 << 20;
// What a batch takes for each feature, values or not.
constexpr uint64_t kBytesPerFeature = 256;
// Of a block; reasons take more memory than rows.
constexpr size_t kMostLeftOut = 1000;
// Threads are not worth starting for a text of fewer blocks.
constexpr size_t kBlocksAlone = 2;

}  // namespace

BlockQueue::BlockQueue(std::unique_ptr<TextBlocks> blocks, std::shared_ptr<const Schema> schema,
                       const TextInputOptions& options, MakeParser make_parser)
    : blocks_(std::move(blocks)),
      schema_(std::move(schema)),
      make_parser_(std::move(make_parser)),
      leaves_out_(options.on_bad_row != nullptr),
      threads_(static_cast<size_t>(NumThreads(options.threads))),
      most_bytes_(options.ahead_bytes != 0 ? options.ahead_bytes : kDefaultBytes) {}

BlockQueue::~BlockQueue() {
  if (team_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    blocks_->Stop();
  }
  changed_.notify_all();
  team_->StopAll();
}

void BlockQueue::StartHelpers() {
  team_ = std::make_unique<WorkerTeam>(threads_);
  for (size_t i = 1; i < threads_; ++i) team_->Start(&helpers_.emplace_back(this));
}

void BlockQueue::Helper::Do() {
  // Without memory for its own, others do the work.
  static_cast<void>(NoThrow([&]() -> Status {
    const std::unique_ptr<RowParser> parser = queue_.make_parser_();
    std::unique_lock lock(queue_.mutex_);
    while (!queue_.stop_ && !queue_.at_end_) {
      if (queue_.MayRead(false)) {
        queue_.Work(&lock, parser.get());
      } else {
        queue_.changed_.wait(lock);
      }
    }
    return {};
  }));
}

bool BlockQueue::MayRead(bool is_caller) const {
  if (is_reading_ || at_end_) return false;
  if (pieces_.empty()) return is_caller || blocks_->CanReadNow();
  // A caller who waits for the next block must not wait in a pipe for the one after it.
  if (is_caller ? !blocks_->NeverWaits() : !blocks_->CanReadNow()) return false;
  return pieces_.size() < kPiecesPerThread * threads_ && bytes_ + piece_bytes_ <= most_bytes_;
}

uint64_t BlockQueue::BytesOf(const ParsedBlock& piece) const {
  return piece.block.bytes.size() + piece.rows.size_bytes() +
         kBytesPerFeature * schema_->features.size();
}

void BlockQueue::Work(std::unique_lock<std::mutex>* lock, RowParser* parser) {
  // Its place comes first: nothing that was read is lost for want of memory.
  pieces_.emplace_back();
  std::unique_ptr<ParsedBlock> piece;
  if (!spare_.empty()) {
    piece = std::move(spare_.back());
    spare_.pop_back();
  }
  is_reading_ = true;
  lock->unlock();
  bool more = false;
  Status made = NoThrow([&]() -> Status {
    if (piece == nullptr) piece = std::make_unique<ParsedBlock>(schema_);
    more = blocks_->Read(&piece->block);
    return {};
  });
  lock->lock();
  is_reading_ = false;
  at_end_ = !more || !piece->block.end.ok();
  if (!more) {
    pieces_.pop_back();
    failure_ = std::move(made);
    changed_.notify_all();
    return;
  }
  ParsedBlock* const kept = piece.get();
  kept->is_done = kept->is_whole = false;
  const uint64_t guess = std::max<uint64_t>(piece_bytes_, kept->block.bytes.size());
  bytes_ += guess;
  pieces_.back() = std::move(piece);
  changed_.notify_all();
  if (parser != nullptr) {
    lock->unlock();
    Parse(parser, kept);
    lock->lock();
  }
  kept->is_done = true;
  piece_bytes_ = BytesOf(*kept);
  bytes_ += piece_bytes_ - guess;
  changed_.notify_all();
}

void BlockQueue::Parse(RowParser* parser, ParsedBlock* piece) const {
  const TextBlock& block = piece->block;
  piece->rows.Clear();
  piece->left_out.clear();
  const auto leave_out = [&](const BadRow& row) -> Status {
    if (piece->left_out.size() == kMostLeftOut) return {StatusCode::kCancelled, "too many"};
    piece->left_out.push_back(
        {.line = row.line, .text = row.text, .reason = std::string(row.reason)});
    return {};
  };
  const Status parsed = NoThrow([&]() -> Status {
    parser->Start(block, blocks_->Name(block.file));
    DSI_ASSIGN_OR_RETURN(const bool more, parser->Next(SIZE_MAX, &piece->rows,
                                                       leaves_out_ ? RowParser::OnBadRow(leave_out)
                                                                   : RowParser::OnBadRow()));
    piece->ignored = parser->TakeIgnored(&piece->more_ignored);
    piece->lines_done = parser->lines_done();
    piece->is_whole = !more && !parser->ran_out();
    return {};
  });
  if (!parsed.ok()) piece->is_whole = false;
}

Result<std::unique_ptr<ParsedBlock>> BlockQueue::Take(bool ahead, RowParser* parser) {
  if (ahead && threads_ > 1 && team_ == nullptr && num_taken_ >= kBlocksAlone) StartHelpers();
  std::unique_lock lock(mutex_);
  while (true) {
    if (!pieces_.empty() && pieces_.front() != nullptr && pieces_.front()->is_done) {
      std::unique_ptr<ParsedBlock> piece = std::move(pieces_.front());
      pieces_.pop_front();
      bytes_ -= BytesOf(*piece);
      ++num_taken_;
      changed_.notify_all();
      return piece;
    }
    if (MayRead(true)) {
      // Alone there is no need for a batch of one's own.
      Work(&lock, team_ != nullptr ? parser : nullptr);
    } else if (pieces_.empty() && at_end_ && !is_reading_) {
      DSI_RETURN_IF_ERROR(failure_);
      return std::unique_ptr<ParsedBlock>();
    } else {
      changed_.wait(lock);
    }
  }
}

bool BlockQueue::CanTakeNow() {
  const std::lock_guard lock(mutex_);
  if (!pieces_.empty()) return pieces_.front() != nullptr || blocks_->NeverWaits();
  return at_end_ || blocks_->IsReady();
}

void BlockQueue::GiveBack(std::unique_ptr<ParsedBlock> piece) {
  // Of a line that is longer than most blocks are nothing is kept.
  if (piece == nullptr || BytesOf(*piece) > most_bytes_) return;
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(piece));
}

}  // namespace dsi::internal
