#include "dsi/dataset/scan/window_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/idle_memory_internal.h"
#include "dsi/dataset/scan/stripe_walk_internal.h"

namespace dsi::internal {

Status Window::Load(std::span<const RowSpan> spans, uint64_t number, bool at_once) {
  for (Part& part : parts_) idle_.push_back(std::move(part.rows));
  parts_.clear();
  files_->BeginWindow();
  DSI_RETURN_IF_ERROR(FindParts(spans));
  // What goes on first, then what begins: memory is used again.
  for (Part& part : parts_) part.rows = TakeIdle(part, /*goes_on=*/true);
  for (Part& part : parts_) {
    if (part.rows != nullptr) continue;
    part.rows = TakeIdle(part, /*goes_on=*/false);
    if (part.rows == nullptr) part.rows = std::make_unique<StripePart>(part.file, &ahead_);
    part.rows->Restart({.load = number, .file = part.number, .stripe = part.stripe});
  }
  for (const std::unique_ptr<StripePart>& rows : idle_) AddWork(rows->Work(), &past_);
  // Rows of other files take as much memory as those before, which need not be fresh.
  const uint64_t held = budget_->used;
  IdleMemory given_back(held);
  idle_.clear();
  files_->CloseUnused();
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Status status = parts_[i].rows->Decode(BlocksOf(i), at_once);
    if (!status.ok()) return status.At(parts_[i].file->name());
    given_back.Set(held - std::min<uint64_t>(held, budget_->used));
  }
  return Status::Ok();
}

std::span<const StripeBlock> Window::BlocksOf(size_t part) const {
  const size_t end = part + 1 < parts_.size() ? parts_[part + 1].first_block : blocks_.size();
  return std::span(blocks_).subspan(parts_[part].first_block, end - parts_[part].first_block);
}

// Of the window before: one that stands on the part's stripe before its rows, or any of its file.
std::unique_ptr<StripePart> Window::TakeIdle(const Part& part, bool goes_on) {
  for (auto rows = idle_.begin(); rows != idle_.end(); ++rows) {
    if ((*rows)->file() != part.file) continue;
    if (goes_on &&
        ((*rows)->stripe() != part.stripe || (*rows)->next_row() > blocks_[part.first_block].first))
      continue;
    std::unique_ptr<StripePart> taken = std::move(*rows);
    idle_.erase(rows);
    return taken;
  }
  return nullptr;
}

Status Window::FindParts(std::span<const RowSpan> spans) {
  num_rows_ = 0;
  blocks_.clear();
  skipped_.clear();
  uint64_t skipped_end = UINT64_MAX;
  const ScanFile* last_file = nullptr;
  RowsOfStripe last{.file = SIZE_MAX};
  for (RowSpan span : spans) {
    while (span.begin < span.end) {
      const uint64_t row = span.begin;
      const RowsOfStripe rows = TakeStripe(files_->dataset(), &span);
      if (!files_->MayPass(rows.file)) {
        if (row != skipped_end || row == rows.file_row) skipped_.push_back(num_rows_);
        skipped_end = row + rows.count;
        num_rows_ += rows.count;
        past_.rows_dropped += rows.count;
        last_file = nullptr;
        last = {.file = SIZE_MAX};
        continue;
      }
      DSI_ASSIGN_OR_RETURN(ScanFile* const file, files_->Open(rows.file, row - rows.file_row));
      if (file != last_file || rows.stripe != last.stripe || parts_.empty()) {
        Part part{.file = file,
                  .number = rows.file,
                  .stripe = rows.stripe,
                  .stripe_row = rows.stripe_row,
                  .first = num_rows_,
                  .first_block = blocks_.size()};
        // The file is another where other overlays cover the stripe.
        if (rows.file == last.file && rows.stripe == last.stripe + 1 && rows.first == 0) {
          const StripeBlock& block = blocks_.back();
          part.follows = last.stripe_row + block.first + block.count == rows.stripe_row;
        }
        parts_.push_back(std::move(part));
        last_file = file;
        last = rows;
      }
      // Spans that touch are one block, so that a session is not cut where they meet.
      if (blocks_.size() > parts_.back().first_block &&
          blocks_.back().first + blocks_.back().count == rows.first) {
        blocks_.back().count += rows.count;
      } else {
        blocks_.push_back({rows.first, rows.count});
      }
      num_rows_ += rows.count;
    }
  }
  return Status::Ok();
}

void Window::FindSessions(std::vector<uint32_t>* starts) {
  starts->assign(skipped_.begin(), skipped_.end());
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    // What no row passes of is of one session, whether the file was opened or not.
    const bool is_unread = part.follows && !part.rows->is_read() && !parts_[i - 1].rows->is_read();
    const bool continues =
        is_unread || (part.follows && part.file->core().stripes[part.stripe].continues_session());
    part.rows->AddSessions(part.first, continues, starts);
  }
  if (!skipped_.empty()) std::sort(starts->begin(), starts->end());
}

Status Window::Take(std::span<const uint32_t> rows, std::vector<BatchPiece>* pieces,
                    std::vector<uint64_t>* numbers) {
  pieces->clear();
  numbers->clear();
  uint32_t first = 0;
  size_t next = 0;
  for (Part& part : parts_) {
    in_part_.clear();
    while (next < rows.size() && rows[next] < part.first) ++next;
    const uint32_t end = part.first + part.rows->num_rows();
    for (; next < rows.size() && rows[next] < end; ++next)
      in_part_.push_back(rows[next] - part.first);
    if (!rows.empty() && in_part_.empty()) continue;
    taken_.clear();
    Result<BatchPiece> taken = part.rows->Take(in_part_, &taken_);
    if (!taken.ok()) return taken.status().At(part.file->name());
    if (taken_.empty()) continue;
    BatchPiece piece = *taken;
    piece.first = first;
    first += piece.num_rows;
    for (const uint32_t row : taken_) numbers->push_back(part.stripe_row + row);
    pieces->push_back(piece);
  }
  return Status::Ok();
}

void Window::AddWork(const ScanStats& work, ScanStats* to) {
  to->bytes_read += work.bytes_read;
  to->bytes_needed += work.bytes_needed;
  to->reads += work.reads;
  to->rows_dropped += work.rows_dropped;
  to->stripes_skipped += work.stripes_skipped;
  to->values_decoded += work.values_decoded;
  to->seconds.read += work.seconds.read;
}

void Window::AddTo(ScanStats* stats) const {
  AddWork(past_, stats);
  for (const Part& part : parts_) {
    if (part.rows != nullptr) AddWork(part.rows->Work(), stats);
  }
  for (const std::unique_ptr<StripePart>& rows : idle_) AddWork(rows->Work(), stats);
}

}  // namespace dsi::internal
