#include "dsi/dataset/scan/window_internal.h"

#include <algorithm>
#include <utility>

namespace dsi::internal {

Status Window::Load(std::span<const RowSpan> spans, bool at_once) {
  for (Part& part : parts_) idle_.push_back(std::move(part.rows));
  parts_.clear();
  files_->BeginWindow();
  DSI_RETURN_IF_ERROR(FindParts(spans));
  // What goes on first, then what begins: memory is used again.
  for (Part& part : parts_) part.rows = TakeIdle(part, /*goes_on=*/true);
  for (Part& part : parts_) {
    if (part.rows != nullptr) continue;
    part.rows = TakeIdle(part, /*goes_on=*/false);
    if (part.rows == nullptr) part.rows = std::make_unique<StripePart>(part.file);
    part.rows->Restart(part.stripe);
  }
  for (const std::unique_ptr<StripePart>& rows : idle_) AddWork(rows->Work(), &past_);
  idle_.clear();
  files_->CloseUnused();
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Status status = parts_[i].rows->Decode(BlocksOf(i), at_once);
    if (!status.ok()) return status.At(parts_[i].file->name());
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
  const std::span<const uint64_t> file_ends = files_->dataset().file_ends();
  num_rows_ = 0;
  blocks_.clear();
  skipped_.clear();
  uint64_t skipped_end = UINT64_MAX;
  const ScanFile* last_file = nullptr;
  size_t last_number = SIZE_MAX;
  size_t last_stripe = 0;
  for (const RowSpan& span : spans) {
    for (uint64_t row = span.begin; row < span.end;) {
      const auto f = static_cast<size_t>(std::upper_bound(file_ends.begin(), file_ends.end(), row) -
                                         file_ends.begin());
      const uint64_t file_row = f == 0 ? 0 : file_ends[f - 1];
      if (!files_->MayPass(f)) {
        const uint64_t end = std::min(span.end, file_ends[f]);
        if (row != skipped_end || row == file_row) skipped_.push_back(num_rows_);
        skipped_end = end;
        num_rows_ += static_cast<uint32_t>(end - row);
        past_.rows_dropped += end - row;
        last_file = nullptr;
        last_number = SIZE_MAX;
        row = end;
        continue;
      }
      DSI_ASSIGN_OR_RETURN(ScanFile* const file, files_->Open(f, row - file_row));
      const std::vector<StripeRef>& stripes = file->core().stripes;
      const auto after = std::upper_bound(
          stripes.begin(), stripes.end(), row - file_row,
          [](uint64_t at, const StripeRef& stripe) { return at < stripe.first_row; });
      const auto s = static_cast<size_t>(after - stripes.begin()) - 1;
      const uint64_t stripe_row = file_row + stripes[s].first_row;
      const uint64_t end = std::min(span.end, stripe_row + stripes[s].num_rows);
      const auto first = static_cast<uint32_t>(row - stripe_row);
      const auto count = static_cast<uint32_t>(end - row);
      if (file != last_file || s != last_stripe || parts_.empty()) {
        Part part{.file = file,
                  .stripe = s,
                  .stripe_row = stripe_row,
                  .first = num_rows_,
                  .first_block = blocks_.size()};
        // The file is another where other overlays cover the stripe.
        if (f == last_number && s == last_stripe + 1 && first == 0) {
          const StripeBlock& last = blocks_.back();
          part.follows = last.first + last.count == stripes[last_stripe].num_rows;
        }
        parts_.push_back(std::move(part));
        last_file = file;
        last_number = f;
        last_stripe = s;
      }
      // Spans that touch are one block, so that a session is not cut where they meet.
      if (blocks_.size() > parts_.back().first_block &&
          blocks_.back().first + blocks_.back().count == first) {
        blocks_.back().count += count;
      } else {
        blocks_.push_back({first, count});
      }
      num_rows_ += count;
      row = end;
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
        is_unread || (part.follows && part.file->core().stripes[part.stripe].continues_session);
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
