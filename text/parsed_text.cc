#include "dsi/text/parsed_text_internal.h"

#include <cstring>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

// Who asks for fewer rows wants them one by one, and gets them so.
constexpr size_t kManyRows = 8192;

}  // namespace

ParsedText::ParsedText(std::unique_ptr<TextBlocks> blocks, std::shared_ptr<const Schema> schema,
                       const TextInputOptions& options, const BlockQueue::MakeParser& make_parser)
    : schema_(schema),
      parser_(make_parser()),
      queue_(std::move(blocks), schema, options, make_parser),
      coverage_(std::move(schema)) {
  if (!options.on_bad_row) return;
  on_bad_row_ = [this, on_bad_row = options.on_bad_row](const BadRow& row) {
    return end_ = on_bad_row(row);
  };
}

Result<bool> ParsedText::Next(size_t max_rows, RowBatch* batch) {
  if (batch == nullptr || batch->shared_schema() != schema_) {
    return NoThrow([]() -> Result<bool> {
      return InvalidArgument("no batch, or one of another schema object than the text input");
    });
  }
  Result<bool> more = NoThrow([&] { return ReadOn(max_rows, batch); });
  if (more.ok()) return more;
  batch->DropRow();
  // What is about one row lets the reading go on behind it.
  static_cast<void>(NoThrow([&]() -> Status {
    if (end_.ok() && more.status().code() != StatusCode::kBadInput) end_ = more.status();
    return {};
  }));
  return more;
}

Result<bool> ParsedText::ReadOn(size_t max_rows, RowBatch* batch) {
  const size_t before = batch->num_rows();
  while (max_rows != 0 && batch->num_rows() == before) {
    DSI_RETURN_IF_ERROR(end_);
    if (piece_ == nullptr) {
      DSI_ASSIGN_OR_RETURN(const bool has_piece, TakePiece(max_rows));
      if (!has_piece) return false;
    }
    if (!is_begun_ && piece_->is_whole && piece_->rows.num_rows() <= max_rows) {
      DSI_RETURN_IF_ERROR(HandOver(batch));
    } else {
      DSI_RETURN_IF_ERROR(ParseOn(max_rows, batch, on_bad_row_));
    }
  }
  return true;
}

Result<bool> ParsedText::TakePiece(size_t max_rows) {
  DSI_ASSIGN_OR_RETURN(piece_, queue_.Take(max_rows >= kManyRows, parser_.get()));
  if (piece_ == nullptr) return false;
  is_begun_ = false;
  const TextBlock& block = piece_->block;
  bytes_done_ = block.bytes_done;
  if (block.file < files_begun_) return true;
  files_begun_ = block.file + 1;
  if (block.start != nullptr)
    coverage_.AddIgnored(block.start->ignored, queue_.blocks().Name(block.file));
  return true;
}

void ParsedText::EndPiece() {
  end_ = piece_->block.end;
  queue_.GiveBack(std::move(piece_));
}

uint64_t ParsedText::lines_done() const {
  return is_begun_ && piece_ != nullptr ? piece_->block.files_lines + parser_->lines_done()
                                        : lines_done_;
}

Status ParsedText::HandOver(RowBatch* batch) {
  const TextBlock& block = piece_->block;
  const std::string file = queue_.blocks().Name(block.file);
  for (size_t i = 0; i < piece_->left_out.size(); ++i) {
    const ParsedBlock::LeftOut& row = piece_->left_out[i];
    const Status status =
        on_bad_row_({.file = file, .line = row.line, .text = row.text, .reason = row.reason});
    if (status.ok()) continue;
    // The rows before it are wanted all the same.
    size_t told = 0;
    return ParseOn(SIZE_MAX, batch,
                   [&](const BadRow&) { return told++ < i ? Status::Ok() : status; });
  }
  piece_->left_out.clear();
  coverage_.AddRows(piece_->rows);
  DSI_RETURN_IF_ERROR(batch->Append(std::move(piece_->rows)));
  coverage_.AddIgnored(piece_->ignored, file);
  coverage_.AddMoreIgnored(piece_->more_ignored);
  lines_done_ = block.files_lines + piece_->lines_done;
  EndPiece();
  return {};
}

Status ParsedText::ParseOn(size_t max_rows, RowBatch* batch,
                           const RowParser::OnBadRow& on_bad_row) {
  const TextBlock& block = piece_->block;
  if (!is_begun_) parser_->Start(block, queue_.blocks().Name(block.file));
  is_begun_ = true;
  const std::vector<size_t> mark = coverage_.Mark(*batch);
  const Result<bool> more = parser_->Next(max_rows, batch, on_bad_row);
  coverage_.AddRowsSince(mark, *batch);
  uint64_t more_ignored = 0;
  coverage_.AddIgnored(parser_->TakeIgnored(&more_ignored), queue_.blocks().Name(block.file));
  coverage_.AddMoreIgnored(more_ignored);
  if (!more.ok()) {
    if (parser_->failed()) end_ = more.status();
    return more.status();
  }
  if (*more) return {};
  if (parser_->ran_out()) return JoinNext();
  lines_done_ = lines_done();
  EndPiece();
  return {};
}

Status ParsedText::JoinNext() {
  const size_t from = parser_->row_place();
  // So that a long row is not looked at again and again.
  blocks_to_join_ = from == 0 ? 2 * blocks_to_join_ : 1;
  is_begun_ = false;
  TextBlock& joined = piece_->block;
  joined.lines_before = parser_->lines_before();
  joined.offset += from;
  joined.size -= from;
  std::memmove(joined.bytes.data(), joined.bytes.data() + from, joined.size);
  for (size_t i = 0; i < blocks_to_join_ && !joined.ends_file; ++i) {
    if (!joined.end.ok()) return end_ = joined.end;
    // The row may be whole by now, and nobody writes more before it is read.
    if (i > 0 && !queue_.CanTakeNow()) break;
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<ParsedBlock> next, queue_.Take(true, parser_.get()));
    if (next == nullptr) break;  // Cannot be: a file ends in a block that says so.
    const TextBlock& block = next->block;
    if (joined.bytes.size() < joined.size + block.size + kTextPadding)
      joined.bytes.resize(2 * (joined.size + block.size) + kTextPadding);
    std::memcpy(joined.bytes.data() + joined.size, block.bytes.data(), block.size);
    joined.size += block.size;
    joined.ends_file = block.ends_file;
    joined.end = block.end;
    bytes_done_ = joined.bytes_done = block.bytes_done;
    queue_.GiveBack(std::move(next));
    if (!joined.end.ok()) return end_ = joined.end;
  }
  return {};
}

}  // namespace dsi::internal
