#include "dsi/text/lines/text_blocks_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/text/lines/tf_record_source_internal.h"

namespace dsi::internal {
namespace {

// The first blocks are small, so that a short text is not waited for, and grow.
constexpr size_t kFirstBytes = 64 << 10;
// So that a block, its text and its rows, stays in the cache of a core.
constexpr size_t kBlockBytes = 256 << 10;
// What a batch costs for each feature, values or not, must not outweigh its rows.
constexpr size_t kBytesPerFeature = 256;
// Not worth a call of the system.
constexpr size_t kLeastRead = 16 << 10;

size_t BlockBytes(const TextInputOptions& options, const Schema& schema) {
  if (options.block_bytes != 0) return options.block_bytes;
  return std::max(kBlockBytes, kBytesPerFeature * schema.features.size());
}

uint64_t CountLines(std::string_view text) {
  // Sums of so few that they fit a byte, which compilers make wide loops of.
  constexpr size_t kStep = 128;
  uint64_t lines = 0;
  size_t at = 0;
  for (; text.size() - at >= kStep; at += kStep) {
    uint8_t some = 0;
    for (size_t i = 0; i < kStep; ++i)
      some = static_cast<uint8_t>(some + (text[at + i] == '\n' ? 1 : 0));
    lines += some;
  }
  return lines + static_cast<uint64_t>(
                     std::count(text.begin() + static_cast<ptrdiff_t>(at), text.end(), '\n'));
}

}  // namespace

TextBlocks::TextBlocks(TextFiles files, const TextInputOptions& options, const Schema& schema,
                       ReadStart read_start)
    : files_(std::move(files)),
      schema_(schema),
      times_(files_.times()),
      max_line_bytes_(options.max_line_bytes),
      block_bytes_(BlockBytes(options, schema)),
      read_start_(std::move(read_start)),
      bytes_total_(files_.CountBytes()),
      next_bytes_(std::min(kFirstBytes, block_bytes_)) {}

Status TextBlocks::OpenNext() {
  const std::string name = files_.Name(files_.opened());
  if (bytes_ != nullptr) files_bytes_ += bytes_->bytes_done();
  files_lines_ += lines_;
  rest_.clear();
  rest_at_ = 0;
  lines_ = offset_ = 0;
  path_values_ = ValuesOfPath(files_.Path(files_.opened()), schema_, times_);
  DSI_ASSIGN_OR_RETURN(bytes_, files_.OpenBytes(&stop_));
  at_end_ = file_ended_ = false;
  if (!read_start_) return {};
  LineSource lines(std::move(bytes_), name, max_line_bytes_);
  DSI_ASSIGN_OR_RETURN(start_, read_start_(&lines));
  at_end_ = lines.at_end();
  lines_ = lines.lines_done();
  std::string_view rest;
  bytes_ = lines.TakeBytes(&rest);
  rest_.assign(rest.begin(), rest.end());
  return {};
}

bool TextBlocks::Read(TextBlock* block) {
  if (file_ended_ && is_over()) return false;
  block->size = 0;
  block->start = nullptr;
  block->path_values = nullptr;
  block->bytes_done = files_bytes_;
  block->end = NoThrow([&]() -> Status {
    if (file_ended_) DSI_RETURN_IF_ERROR(OpenNext());
    return ReadInto(block);
  });
  if (!block->end.ok()) file_ended_ = is_lost_ = true;
  return true;
}

Result<size_t> TextBlocks::ReadMore(std::span<char> dst) {
  const size_t count = std::min(dst.size(), rest_.size() - rest_at_);
  if (count == 0) {
    Result<size_t> read = bytes_->Read(dst);
    at_end_ = read.ok() && *read == 0;
    return read;
  }
  std::memcpy(dst.data(), rest_.data() + rest_at_, count);
  rest_at_ += count;
  return count;
}

// Those that `rest_` gave are the last that it gave.
void TextBlocks::GiveBack(TextBlock* block, size_t count) {
  block->size -= count;
  if (rest_at_ < rest_.size()) {
    rest_at_ -= count;
    return;
  }
  const auto from = block->bytes.begin() + static_cast<ptrdiff_t>(block->size);
  rest_.assign(from, from + static_cast<ptrdiff_t>(count));
  rest_at_ = 0;
}

Status TextBlocks::Fill(TextBlock* block, size_t target) {
  if (block->bytes.size() < target + kTextPadding) block->bytes.resize(target + kTextPadding);
  const size_t enough = target - std::min(target / 4, kLeastRead);
  while (block->size < enough && (!at_end_ || rest_at_ < rest_.size())) {
    // Who writes into a pipe may wait for what becomes of the lines so far.
    uint64_t lines = 0;
    if (rest_at_ == rest_.size() && block->size > 0 && !bytes_->is_ready() &&
        FindWhole(*block, &lines) > 0)
      break;
    DSI_ASSIGN_OR_RETURN(
        const size_t count,
        ReadMore(std::span(block->bytes).subspan(block->size, target - block->size)));
    block->size += count;
  }
  return {};
}

size_t TextBlocks::FindWhole(const TextBlock& block, uint64_t* lines) {
  const std::string_view text(block.bytes.data(), block.size);
  if (files_.format() == TextFormat::kTfRecord)
    return CountWholeRecords(text, max_line_bytes_, lines, &is_lost_);
  const size_t whole = text.rfind('\n') + 1;  // 0 where there is none.
  is_lost_ = text.size() - whole > max_line_bytes_;
  *lines = CountLines(text.substr(0, whole));
  return whole;
}

Status TextBlocks::ReadInto(TextBlock* block) {
  block->file = files_.opened() - 1;
  block->offset = offset_;
  block->lines_before = lines_;
  block->files_lines = files_lines_;
  block->start = start_;
  block->path_values = path_values_;
  size_t target = next_bytes_;
  next_bytes_ = std::min(2 * next_bytes_, block_bytes_);
  while (true) {
    const Status filled = Fill(block, target);
    const bool is_all = at_end_ && rest_at_ == rest_.size();
    uint64_t lines = 0;
    const size_t whole = FindWhole(*block, &lines);
    if (whole == 0 && filled.ok() && !is_all && !is_lost_) {
      target *= 2;
      continue;
    }
    block->bytes_done = files_bytes_ + bytes_->bytes_done();
    block->ends_file = file_ended_ = filled.ok() && (is_all || is_lost_);
    if (file_ended_) {
      lines += whole < block->size ? 1 : 0;
    } else if (filled.ok()) {
      GiveBack(block, block->size - whole);
    } else {
      block->size = whole;  // What is not whole cannot be told from what is.
    }
    offset_ += block->size;
    lines_ += lines;
    return filled;
  }
}

}  // namespace dsi::internal
