#include "dsi/dataset/scan/stripe_part_internal.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dsi::internal {

StripePart::Member::Member(ScanMember* from)
    : of(from), gathered(from->shared()), picked(from->shared()) {}

StripePart::StripePart(ScanFile* file, StripesAhead* ahead)
    : file_(file),
      ahead_(ahead),
      absent_(file->shared()->budget),
      passing_(file->shared()->budget),
      chosen_(file->shared()->budget),
      begins_(file->shared()->budget) {
  for (const std::unique_ptr<ScanMember>& member : file->members())
    members_.push_back(std::make_unique<Member>(member.get()));
  if (file->plan() == nullptr) return;
  deriver_ = std::make_unique<Deriver>(file->plan(), &file->transforms(), &file->projection(),
                                       file->all_rows_come(), file->shared()->budget);
}

void StripePart::Restart(const VisitKey& visit) {
  AddStripe(&past_);
  for (const std::unique_ptr<Member>& member : members_) {
    if (member->decoder != nullptr) member->decoder->Park();
  }
  visit_ = visit;
  stripe_ = visit.stripe;
  is_started_ = false;
  next_row_ = 0;
  picker_.reset();
  if (deriver_ != nullptr) deriver_->ForgetStripe();
}

Status StripePart::Decode(std::span<const StripeBlock> blocks, bool at_once) {
  blocks_ = blocks;
  num_rows_ = 0;
  for (const StripeBlock& block : blocks_) num_rows_ += block.count;
  next_row_ = blocks_.back().first + blocks_.back().count;
  absent_.Start(num_rows_);
  if (deriver_ != nullptr) deriver_->ForgetRows();
  if (file_->filters()) {
    DSI_RETURN_IF_ERROR(FindPassing());
    if (passing_.empty()) return Status::Ok();
  }
  return DecodeBlocks(at_once && !file_->filters());
}

Status StripePart::MakePicker() {
  const StripeRef& ref = file_->core().stripes[stripe_];
  std::vector<RowPicker::File> files;
  for (const std::unique_ptr<Member>& member : members_) {
    ScanMember& of = *member->of;
    files.push_back({of.filter(), &of.file(), of.shared()->stored_file, of.shared()->reader_options,
                     of.shared()->owner, of.StripeOf(stripe_)});
  }
  const RowRange range{ref.first_row + blocks_.front().first, ref.first_row + ref.num_rows, stripe_,
                       stripe_ + 1};
  DSI_ASSIGN_OR_RETURN(
      picker_, RowPicker::Make(std::move(files), file_->filter(), file_->filter_members(), range,
                               file_->shared()->budget));
  picker_->set_guess(file_->guess());
  picker_->ReadFrom(file_->filter_fetcher(), visit_);
  return Status::Ok();
}

Status StripePart::FindPassing() {
  const StripeRef& ref = file_->core().stripes[stripe_];
  passing_.clear();
  if (file_->drops_all()) {
    past_.rows_dropped += num_rows_;
    return Status::Ok();
  }
  if (picker_ == nullptr) DSI_RETURN_IF_ERROR(MakePicker());
  uint32_t before = 0;
  for (const StripeBlock& block : blocks_) {
    const uint64_t begin = ref.first_row + block.first;
    DSI_RETURN_IF_ERROR(picker_->AheadTo(begin + block.count));
    const std::span<const uint64_t> ready = picker_->ready();
    size_t seen = 0;
    for (; seen < ready.size() && ready[seen] < begin + block.count; ++seen) {
      if (ready[seen] >= begin)
        passing_.push_back(before + static_cast<uint32_t>(ready[seen] - begin));
    }
    picker_->Take(seen);
    before += block.count;
  }
  past_.rows_dropped += num_rows_ - passing_.size();
  return Status::Ok();
}

Status StripePart::DecodeBlocks(bool at_once) {
  is_gathered_ = blocks_.size() > 1;
  for (size_t i = 0; i < members_.size(); ++i) {
    visit_.member = static_cast<uint32_t>(i);
    const Status status = DecodeMember(members_[i].get(), at_once);
    if (!status.ok()) return i == 0 ? status : status.At(members_[i]->of->name());
  }
  is_started_ = true;
  return Status::Ok();
}

Status StripePart::DecodeMember(Member* member, bool at_once) {
  if (!is_started_) {
    DSI_RETURN_IF_ERROR(ahead_->Begin(visit_, member->of->shared(), member->of->StripeOf(stripe_),
                                      blocks_.front().first, blocks_.front().count,
                                      &member->decoder));
  }
  StripeDecoder& decoder = *member->decoder;
  if (is_gathered_) member->gathered.Start(&decoder);
  uint32_t before = 0;
  for (const StripeBlock& block : blocks_) {
    DSI_RETURN_IF_ERROR(
        decoder.Advance(block.first, block.count, {}, /*may_touch=*/at_once && !is_gathered_));
    DSI_RETURN_IF_ERROR(CheckFit(member, before, block.count));
    if (is_gathered_) DSI_RETURN_IF_ERROR(member->gathered.Add());
    before += block.count;
  }
  return is_gathered_ ? member->gathered.Finish() : Status::Ok();
}

// Of the decoder's current rows, the `count` ones behind `before` others, those that pass must fit.
Status StripePart::CheckFit(Member* member, uint32_t before, uint32_t count) {
  chosen_.clear();
  if (file_->filters()) {
    auto row = std::lower_bound(passing_.begin(), passing_.end(), before);
    for (; row != passing_.end() && *row < before + count; ++row) chosen_.push_back(*row - before);
    if (chosen_.empty()) return Status::Ok();
  }
  for (uint32_t i = 0; i < member->of->projection().values.size(); ++i)
    DSI_RETURN_IF_ERROR(member->decoder->CheckFit(i, chosen_));
  return Status::Ok();
}

void StripePart::AddSessions(uint32_t base, bool continues, std::vector<uint32_t>* starts) {
  const ScanProjection& own = file_->projection();
  begins_.assign(num_rows_, is_read() && file_->session_outputs().empty() ? 1 : 0);
  for (const uint32_t at : file_->session_outputs()) {
    if (is_read()) MarkChanges(own.outputs[at]);
  }
  uint32_t row = 0;
  for (const StripeBlock& block : blocks_) {
    begins_[row] = row == 0 && continues ? 0 : 1;
    row += block.count;
  }
  for (row = 0; row < num_rows_; ++row) {
    if (begins_[row] != 0) starts->push_back(base + row);
  }
}

// Marks rows whose key differs from that of the row before (DO-010). Equal unique rows need no look
// at it; a unique row may differ in another feature of its group.
void StripePart::MarkChanges(const ScanOutput& key) {
  const Member& own = *members_[0];
  const std::span<const uint32_t> slots =
      is_gathered_ ? own.gathered.group(key.group).slots : own.decoder->group(key.group).slots;
  const ShapeView& shape =
      is_gathered_ ? own.gathered.shape(key.shape) : own.decoder->shape(key.shape);
  const ValuesView values =
      is_gathered_ ? own.gathered.values(key.values) : own.decoder->values(key.values);
  const auto entries_of = [&](uint32_t slot) {
    const bool is_plain = shape.plain;
    const uint64_t start = is_plain ? uint64_t{slot} * shape.entries : shape.Start(slot);
    const uint64_t count = is_plain ? shape.entries : shape.lengths[slot];
    return std::string_view(reinterpret_cast<const char*>(values.values) + start * key.item_size,
                            count * key.item_size);
  };
  const auto is_present = [&](uint32_t slot) { return shape.plain || shape.present[slot] != 0; };
  for (uint32_t row = 1; row < num_rows_; ++row) {
    const uint32_t a = slots[row - 1];
    const uint32_t b = slots[row];
    if (a == b || begins_[row] != 0) continue;
    if (is_present(a) != is_present(b) || entries_of(a) != entries_of(b)) begins_[row] = 1;
  }
}

// All rows of a member, and of those behind it.
BatchPiece StripePart::PieceOf(size_t member) {
  Member& own = *members_[member];
  BatchPiece piece{.decoder = own.decoder.get(), .num_rows = num_rows_};
  if (is_gathered_) piece.gathered = &own.gathered;
  if (member + 1 == members_.size()) return piece;
  const ScanProjection& projection = own.of->projection();
  piece.num_groups = static_cast<uint32_t>(projection.groups.size());
  piece.num_shapes = static_cast<uint32_t>(projection.shapes.size());
  piece.num_values = static_cast<uint32_t>(projection.values.size());
  members_[member + 1]->piece = PieceOf(member + 1);
  piece.beside = &members_[member + 1]->piece;
  return piece;
}

Result<BatchPiece> StripePart::Take(std::span<const uint32_t> rows,
                                    CountedVector<uint32_t>* taken) {
  if (file_->filters()) {
    if (rows.empty()) {
      rows = passing_;
    } else {
      chosen_.clear();
      std::set_intersection(rows.begin(), rows.end(), passing_.begin(), passing_.end(),
                            std::back_inserter(chosen_));
      rows = chosen_;
    }
    if (rows.empty()) return BatchPiece{};
  }
  BatchPiece piece = PieceOf(0);
  piece.map = file_->map();
  piece.absent = &absent_;
  if (rows.empty()) {
    for (const StripeBlock& block : blocks_) {
      for (uint32_t i = 0; i < block.count; ++i) taken->push_back(block.first + i);
    }
    DSI_RETURN_IF_ERROR(Derive(&piece));
    return piece;
  }
  piece.num_rows = static_cast<uint32_t>(rows.size());
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& member = *members_[i];
    BatchPiece* const of = i == 0 ? &piece : &member.piece;
    member.picked.Pick(*member.decoder, of->gathered, file_->groups(i), rows);
    of->num_rows = piece.num_rows;
    of->picked = &member.picked;
  }
  size_t block = 0;
  uint32_t before = 0;
  for (const uint32_t row : rows) {
    for (; row - before >= blocks_[block].count; ++block) before += blocks_[block].count;
    taken->push_back(blocks_[block].first + (row - before));
  }
  absent_.Start(piece.num_rows);
  DSI_RETURN_IF_ERROR(Derive(&piece));
  return piece;
}

Status StripePart::Derive(BatchPiece* piece) {
  if (deriver_ == nullptr) return Status::Ok();
  DSI_RETURN_IF_ERROR(deriver_->Run(*piece));
  piece->derived = &deriver_->rows();
  return Status::Ok();
}

ScanStats StripePart::Work() const {
  ScanStats work = past_;
  AddStripe(&work);
  return work;
}

// What is counted by stripe.
void StripePart::AddStripe(ScanStats* work) const {
  const auto add = [work](const PageWork& pages) {
    work->bytes_read += pages.bytes;
    work->reads += pages.reads;
    work->seconds.read += pages.seconds_waited;
  };
  for (const std::unique_ptr<Member>& member : members_) {
    if (member->decoder == nullptr) continue;
    add(member->decoder->work());
    if (is_started_) work->bytes_needed += member->decoder->bytes_needed();
  }
  if (picker_ == nullptr) return;
  add(picker_->work());
  work->bytes_needed += picker_->bytes_needed();
  work->stripes_skipped += picker_->stripes_skipped();
  work->values_decoded += picker_->values_decoded();
}

}  // namespace dsi::internal
