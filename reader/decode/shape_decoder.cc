#include "dsi/reader/decode/shape_decoder_internal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dsi/dedup/expand_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// Unique rows passed over at a time.
constexpr uint32_t kPassRows = 4096;
constexpr uint32_t kPlaceRows = 2048;  // Windows placed at a time.
// One of so many rows is present, at most, where those that are get listed.
constexpr uint32_t kFewRows = 8;

}  // namespace

Status ShapeDecoder::Start(const StripeContext* context, const PlannedStream* stream,
                           const PlannedStream* windows, const ColumnRecord& leader,
                           uint32_t num_unique, uint64_t num_values, bool keep_all,
                           bool may_be_sparse) {
  windowed_ = windows != nullptr;
  placed_ = false;
  codes_.Start(context, stream, nullptr, nullptr, keep_all || windowed_);
  if (windowed_) {
    if (windows_ == nullptr) windows_ = std::make_unique<Windows>(codes_.budget());
    windows_->newest_first = leader.newest_first;
    windows_->stated_reach = windows->record.max;
    windows_->chains = {};
    windows_->steps.Start(context, windows, nullptr, nullptr, true);
  }
  has_lengths_ = HasLengths(leader.kind, leader.type);
  keep_all_ = keep_all;
  entries_ = leader.kind == Kind::kEmbedding ? leader.fixed_length : 1;
  num_unique_ = num_unique;
  num_values_ = num_values;
  max_code_ = stream->record.max;
  max_seen_ = 0;
  unique_ = 0;
  value_ = 0;
  rows_.clear();
  next_row_ = 0;
  listed_ = 0;
  is_sparse_ = may_be_sparse && !keep_all && !windowed_ && !codes_.constant();
  plain_ready_ = 0;
  view_ = {};
  if (stream->record.num_values != num_unique) {
    return Corrupt("{}: {} shape codes for {} unique rows (D-010)", codes_.Describe(),
                   stream->record.num_values, num_unique);
  }
  if (!has_lengths_ && max_code_ > 1)
    return Corrupt("{}: greatest shape code {} where 0 or 1 is expected (D-010)", codes_.Describe(),
                   max_code_);
  // A constant stream is settled by its record alone.
  if (codes_.constant()) {
    const uint64_t code = stream->record.constant;
    if (code != max_code_)
      return Corrupt("{}: greatest shape code {}, but all are {} (D-010)", codes_.Describe(),
                     max_code_, code);
    if (!windowed_) DSI_RETURN_IF_ERROR(CheckConstant(code, num_unique, num_values));
    max_seen_ = max_code_;
  }
  return Status::Ok();
}

Status ShapeDecoder::CheckConstant(uint64_t code, uint32_t num_unique, uint64_t num_values) const {
  const uint64_t length = code == 0 ? 0 : has_lengths_ ? code - 1 : entries_;
  uint64_t total = 0;
  if (num_values == kUnknownValues) return Status::Ok();
  if (CheckedMul(length, num_unique, &total) && total == num_values) return Status::Ok();
  return Corrupt("{}: {} unique rows of {} entries, the values stream has {} (D-011)",
                 codes_.Describe(), num_unique, length, num_values);
}

Status ShapeDecoder::Require(uint32_t first, uint32_t count) {
  if (windowed_) {
    if (!placed_) DSI_RETURN_IF_ERROR(PlaceAll());
    if (keep_all_) return Status::Ok();
    return ViewWindows(first, count);
  }
  if (keep_all_) {
    if (view_.count == num_unique_) return Status::Ok();
    first = 0;
    count = num_unique_;
  }
  view_.first = first;
  view_.count = count;
  view_.sparse = false;
  view_.entries = entries_;
  if (codes_.constant() && max_code_ != 0 && !has_lengths_) {
    view_.plain = true;
    view_.first_value = uint64_t{first} * entries_;
    view_.end_value = view_.first_value + uint64_t{count} * entries_;
    return Status::Ok();
  }
  if (is_sparse_) DSI_RETURN_IF_ERROR(ScanSparse(first, count));
  if (is_sparse_) return Status::Ok();
  if (first > unique_) DSI_RETURN_IF_ERROR(Pass(first));
  return Scan(first, count);
}

Status ShapeDecoder::Pass(uint32_t to) {
  while (unique_ < to) {
    DSI_RETURN_IF_ERROR(Scan(unique_, std::min(kPassRows, to - unique_)));
    unique_ = view_.first + view_.count;
    value_ = view_.end_value;
  }
  return Status::Ok();
}

Status ShapeDecoder::Scan(uint32_t first, uint32_t count) {
  RowArrays& of_rows = arrays();
  DSI_RETURN_IF_ERROR(codes_.Require(first, uint64_t{first} + count));
  DSI_RETURN_IF_ERROR(of_rows.starts.Reserve(uint64_t{count} * 8, 0));
  DSI_RETURN_IF_ERROR(of_rows.lengths.Reserve(uint64_t{count} * 4, 0));
  auto* const starts = reinterpret_cast<uint64_t*>(of_rows.starts.data());
  auto* const lengths = reinterpret_cast<uint32_t*>(of_rows.lengths.data());
  const uint64_t left = num_values_ - value_;
  uint32_t greatest = 0;
  const auto scan = [&]() -> Result<uint64_t> {
    const std::byte* const codes = codes_.At(first);
    if (has_lengths_) {
      DSI_RETURN_IF_ERROR(of_rows.present.Reserve(count, 0));
      auto* const present = reinterpret_cast<uint8_t*>(of_rows.present.data());
      view_.present = present;
      return ShapesToStarts(std::span(reinterpret_cast<const uint32_t*>(codes), count), left,
                            lengths, starts, present, &greatest);
    }
    view_.present = reinterpret_cast<const uint8_t*>(codes);  // They stay up to the next view.
    return ShapesToStarts(std::span(view_.present, count), entries_, left, lengths, starts,
                          &greatest);
  };
  const Result<uint64_t> total = scan();
  max_seen_ = std::max(max_seen_, greatest);
  if (!total.ok())
    return total.status().At(
        fmt::format("{}, unique rows {} to {}", codes_.Describe(), first, first + count));
  DSI_RETURN_IF_ERROR(CheckGreatest(first, first + count));
  view_.first = first;
  view_.count = count;
  view_.starts = starts;
  view_.lengths = lengths;
  view_.first_value = value_;
  view_.end_value = value_ + *total;
  if (first + count == num_unique_) DSI_RETURN_IF_ERROR(CheckEnd());
  // The next batch may begin within the last unique row of this one.
  unique_ = first + count - 1;
  value_ += starts[count - 1];
  return Status::Ok();
}

// As Scan, but lists the rows that are present. The first page tells whether they are few; where
// they are not nothing was done.
Status ShapeDecoder::ScanSparse(uint32_t first, uint32_t count) {
  DSI_RETURN_IF_ERROR(ListPresent(uint64_t{first} + count));
  if (!is_sparse_) return Status::Ok();
  for (; next_row_ < rows_.size() && rows_[next_row_].row < first; ++next_row_)
    value_ += rows_[next_row_].length;
  uint64_t total = 0;
  size_t end = next_row_;
  for (; end < rows_.size() && rows_[end].row < first + count; ++end) total += rows_[end].length;
  if (total > num_values_ || value_ > num_values_ - total) {
    return Corrupt("{}, unique rows {} to {}: shape codes ask for {} values, {} are stored (D-011)",
                   codes_.Describe(), first, first + count, value_ + total, num_values_);
  }
  view_.sparse = true;
  view_.rows = {rows_.data() + next_row_, end - next_row_};
  view_.starts = nullptr;
  view_.lengths = nullptr;
  view_.present = nullptr;
  view_.first_value = value_;
  view_.end_value = value_ + total;
  return first + count == num_unique_ ? CheckEnd() : Status::Ok();
}

// Pages up to unique row `end`. Their codes need not stay.
Status ShapeDecoder::ListPresent(uint64_t end) {
  if (listed_ >= end) return Status::Ok();
  const bool is_first = listed_ == 0;
  DSI_RETURN_IF_ERROR(codes_.Require(listed_, end));
  const uint64_t count = codes_.num_readable(listed_);
  const std::byte* const codes = codes_.At(listed_);
  const size_t most = is_first ? count / kFewRows : count;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(next_row_));
  next_row_ = 0;
  uint32_t greatest = 0;
  if (has_lengths_) {
    const std::span all(reinterpret_cast<const uint32_t*>(codes), count);
    is_sparse_ = AddPresentRows(all, listed_, most, &rows_, &greatest);
  } else {
    const std::span all(reinterpret_cast<const uint8_t*>(codes), count);
    is_sparse_ = AddPresentRows(all, listed_, entries_, most, &rows_, &greatest);
  }
  if (!is_sparse_) return Status::Ok();
  const uint32_t first = std::exchange(listed_, listed_ + static_cast<uint32_t>(count));
  max_seen_ = std::max(max_seen_, greatest);
  if (greatest > kMaxListLength + 1) {
    return Corrupt("{}, unique rows {} to {}: shape code {}, at most {} is allowed (F-090)",
                   codes_.Describe(), first, listed_, greatest, kMaxListLength + 1);
  }
  DSI_RETURN_IF_ERROR(CheckGreatest(first, listed_));
  codes_.Release();
  return Status::Ok();
}

Status ShapeDecoder::CheckGreatest(uint32_t first, uint32_t end) const {
  if (max_seen_ <= max_code_) return Status::Ok();
  return Corrupt("{}: shape code {} in unique rows {} to {}, the greatest is stated as {} (D-010)",
                 codes_.Describe(), max_seen_, first, end, max_code_);
}

Status ShapeDecoder::Unlist() {
  if (!view_.sparse) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(view_, Arrays());
  return Status::Ok();
}

// All unique rows of the stripe: lengths, presence and places.
Status ShapeDecoder::PlaceAll() {
  RowArrays& of_rows = arrays();
  DSI_RETURN_IF_ERROR(codes_.Require(0, num_unique_));
  DSI_RETURN_IF_ERROR(windows_->steps.Require(0, num_unique_));
  DSI_RETURN_IF_ERROR(of_rows.lengths.Reserve(uint64_t{num_unique_} * 4, 0));
  DSI_RETURN_IF_ERROR(of_rows.present.Reserve(num_unique_, 0));
  if (keep_all_) {
    DSI_RETURN_IF_ERROR(of_rows.starts.Reserve(uint64_t{num_unique_} * 8, 0));
  } else {
    DSI_RETURN_IF_ERROR(windows_->places.Reserve(uint64_t{num_unique_} * 4, 0));
  }
  windows_->lowest.clear();
  WindowPlacer placer;
  if (Status status = placer.Start(num_values_, windows_->stated_reach != 0); !status.ok())
    return status.At(windows_->steps.Describe());
  size_t num_chains = 0;
  for (uint32_t first = 0; first < num_unique_; first += kPlaceRows)
    DSI_RETURN_IF_ERROR(PlaceSome(first, &placer, &num_chains));
  if (max_seen_ != max_code_)
    return Corrupt("{}: the greatest shape code is {}, stated as {} (D-010)", codes_.Describe(),
                   max_seen_, max_code_);
  auto* const bounds = reinterpret_cast<uint32_t*>(windows_->chain_bounds.data());
  const auto reach = placer.Finish(bounds);
  if (!reach.ok()) return reach.status().At(windows_->steps.Describe());
  if (windows_->stated_reach != 0 &&
      reach->Of(windows_->newest_first) != windows_->stated_reach - 1) {
    return Corrupt("{}: lists end {} values before their chains, {} is stated (D-014)",
                   windows_->steps.Describe(), reach->Of(windows_->newest_first),
                   windows_->stated_reach - 1);
  }
  windows_->chains = Chains({bounds, num_chains + 1});
  codes_.Release();
  windows_->steps.Release();
  view_.windows = true;
  placed_ = true;
  if (keep_all_) {
    view_.first = 0;
    view_.count = num_unique_;
    view_.first_value = 0;
    view_.end_value = num_values_;
    view_.starts = reinterpret_cast<const uint64_t*>(of_rows.starts.data());
    view_.packed = true;
    view_.lengths = reinterpret_cast<const uint32_t*>(of_rows.lengths.data());
    view_.present = reinterpret_cast<const uint8_t*>(of_rows.present.data());
    return Status::Ok();
  }
  for (size_t i = windows_->lowest.size() - 1; i-- > 0;)
    windows_->lowest[i] = std::min(windows_->lowest[i], windows_->lowest[i + 1]);
  return Status::Ok();
}

// The same for rows from `first` on, few enough for all their arrays to stay in cache.
Status ShapeDecoder::PlaceSome(uint32_t first, WindowPlacer* placer, size_t* num_chains) {
  RowArrays& of_rows = arrays();
  const uint32_t count = std::min(kPlaceRows, num_unique_ - first);
  const std::span codes(reinterpret_cast<const uint32_t*>(codes_.At(0)) + first, count);
  const std::span steps(reinterpret_cast<const uint32_t*>(windows_->steps.At(0)) + first, count);
  const std::span lengths(reinterpret_cast<uint32_t*>(of_rows.lengths.data()) + first, count);
  const uint32_t greatest = ShapesToLengths(
      codes, lengths.data(), reinterpret_cast<uint8_t*>(of_rows.present.data()) + first);
  max_seen_ = std::max(max_seen_, greatest);
  const size_t chains_before = *num_chains;
  *num_chains += CountChains(steps, lengths);
  DSI_RETURN_IF_ERROR(windows_->chain_bounds.Reserve(
      (*num_chains + kBoundsSlack) * sizeof(uint32_t), chains_before * sizeof(uint32_t)));
  auto* const bounds = reinterpret_cast<uint32_t*>(windows_->chain_bounds.data());
  std::array<uint32_t, kPlaceRows> room;
  uint32_t* const places =
      keep_all_ ? room.data() : reinterpret_cast<uint32_t*>(windows_->places.data()) + first;
  if (Status status = placer->Place(steps, lengths, places, bounds); !status.ok())
    return status.At(windows_->steps.Describe());
  if (keep_all_) {
    PackPlaces({places, count}, lengths,
               reinterpret_cast<uint64_t*>(of_rows.starts.data()) + first);
  } else {
    windows_->lowest.push_back(
        std::min(LowestStart({places, count}, lengths), static_cast<uint32_t>(num_values_)));
  }
  return Status::Ok();
}

// Values before the lowest start of all rows to come are not needed any more.
Status ShapeDecoder::ViewWindows(uint32_t first, uint32_t count) {
  RowArrays& of_rows = arrays();
  DSI_RETURN_IF_ERROR(of_rows.starts.Reserve(uint64_t{count} * 8, 0));
  auto* const starts = reinterpret_cast<uint64_t*>(of_rows.starts.data());
  const auto* const places = reinterpret_cast<const uint32_t*>(windows_->places.data()) + first;
  const auto* const lengths = reinterpret_cast<const uint32_t*>(of_rows.lengths.data()) + first;
  const uint32_t begin = windows_->lowest[first / kPlaceRows];
  view_.first = first;
  view_.count = count;
  view_.lengths = lengths;
  view_.present = reinterpret_cast<const uint8_t*>(of_rows.present.data()) + first;
  view_.starts = starts;
  view_.first_value = begin;
  view_.end_value = StartsFrom(begin, {places, count}, {lengths, count}, starts);
  return Status::Ok();
}

Result<ShapeView> ShapeDecoder::Arrays() {
  if (!view_.plain && !view_.sparse) return view_;
  RowArrays& of_rows = arrays();
  if (view_.sparse || plain_ready_ < view_.count) {
    DSI_RETURN_IF_ERROR(of_rows.starts.Reserve(uint64_t{view_.count} * 8, 0));
    DSI_RETURN_IF_ERROR(of_rows.lengths.Reserve(uint64_t{view_.count} * 4, 0));
    DSI_RETURN_IF_ERROR(of_rows.present.Reserve(view_.count, 0));
  }
  if (view_.sparse) {
    RowsToArrays(view_.rows, view_.first, view_.count,
                 reinterpret_cast<uint64_t*>(of_rows.starts.data()),
                 reinterpret_cast<uint32_t*>(of_rows.lengths.data()),
                 reinterpret_cast<uint8_t*>(of_rows.present.data()));
  } else if (plain_ready_ < view_.count) {
    auto* const starts = reinterpret_cast<uint64_t*>(of_rows.starts.data());
    for (uint32_t i = 0; i < view_.count; ++i) starts[i] = uint64_t{i} * entries_;
    std::fill_n(reinterpret_cast<uint32_t*>(of_rows.lengths.data()), view_.count, entries_);
    std::fill_n(reinterpret_cast<uint8_t*>(of_rows.present.data()), view_.count, uint8_t{1});
    plain_ready_ = view_.count;
  }
  ShapeView view = view_;
  view.sparse = false;
  view.rows = {};
  view.starts = reinterpret_cast<const uint64_t*>(of_rows.starts.data());
  view.lengths = reinterpret_cast<const uint32_t*>(of_rows.lengths.data());
  view.present = reinterpret_cast<const uint8_t*>(of_rows.present.data());
  return view;
}

Status ShapeDecoder::CheckEnd() const {
  if (view_.end_value != num_values_ && num_values_ != kUnknownValues) {
    return Corrupt("{}: all unique rows need {} entries, the values stream has {} (D-011)",
                   codes_.Describe(), view_.end_value, num_values_);
  }
  if (max_seen_ != max_code_)
    return Corrupt("{}: the greatest shape code is {}, stated as {} (D-010)", codes_.Describe(),
                   max_seen_, max_code_);
  return Status::Ok();
}

}  // namespace dsi::internal
