#include "dsi/reader/decode/stream_window_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/decode/narrow_values_internal.h"

namespace dsi::internal {

void StreamWindow::Start(const StripeContext* context, const PlannedStream* stream,
                         const Conversion* convert, StreamWindow* dictionary, bool keep_all,
                         MappedEntries* mapped) {
  StopAhead();
  context_ = context;
  stream_ = stream;
  convert_ = convert;
  dictionary_ = dictionary;
  mapped_ = mapped;
  keep_all_ = keep_all;
  constant_ = stream->record.form == StreamForm::kConstant;
  constant_unfit_ = false;
  width_ = convert != nullptr ? convert->to_width : stream->record.width;
  begin_ = end_ = filled_ = 0;
  unfit_.clear();
  context->pages->Expect(*stream);
}

Status StreamWindow::Convert(const void* from, size_t count, uint64_t position, std::byte* to,
                             CountedVector<uint64_t>* unfit) const {
  const size_t unfit_before = unfit->size();
  if (!convert_->run(from, count, position, to, unfit)) {
    const uint64_t at = (*unfit)[unfit_before];
    return Corrupt("{}: value {} is {}, a bool is 0 or 1", Describe(), at,
                   static_cast<unsigned>(static_cast<const uint8_t*>(from)[at - position]));
  }
  if (unfit->size() != unfit_before) context_->room().NoteUnfit();
  return Status::Ok();
}

Status StreamWindow::FillConstant(uint64_t count) {
  if (count <= filled_) return Status::Ok();
  uint64_t bits = stream_->record.constant;
  if (convert_ != nullptr) {
    std::byte converted[8] = {};
    if (convert_->map != nullptr) {
      convert_->map->Apply(&bits, 1, converted);
    } else {
      DSI_RETURN_IF_ERROR(Convert(&bits, 1, 0, converted, &unfit_));
    }
    constant_unfit_ = !unfit_.empty();
    unfit_.clear();
    bits = LoadLE<uint64_t>(converted);
  }
  // Twice what is needed now, so that batches of growing size do not each fill again.
  count = std::min(num_values(), std::max(count, filled_ * 2));
  DSI_RETURN_IF_ERROR(buffer_.Reserve(count * width_, 0));
  std::byte* const data = buffer_.data();
  switch (width_) {
    case 1:
      std::memset(data, static_cast<int>(bits & 0xFF), count);
      break;
    case 2:
      std::fill_n(reinterpret_cast<uint16_t*>(data), count, static_cast<uint16_t>(bits));
      break;
    case 4:
      std::fill_n(reinterpret_cast<uint32_t*>(data), count, static_cast<uint32_t>(bits));
      break;
    default:
      std::fill_n(reinterpret_cast<uint64_t*>(data), count, bits);
      break;
  }
  filled_ = count;
  return Status::Ok();
}

void StreamWindow::Drop(uint64_t first) {
  // A multiple of 8 values, so that the tail stays aligned to 8 bytes for the decoder.
  const uint64_t keep_from = std::min(first, end_) / 8 * 8;
  if (keep_all_ || keep_from <= begin_) return;
  std::memmove(buffer_.data(), buffer_.data() + (keep_from - begin_) * width_,
               (end_ - keep_from) * width_);
  begin_ = keep_from;
  unfit_.erase(unfit_.begin(), std::lower_bound(unfit_.begin(), unfit_.end(), begin_));
}

void StreamWindow::Narrow() {
  if (constant_ || !keep_all_ || end_ != num_values()) return;
  width_ = NarrowInPlace(buffer_.data(), end_, width_);
}

void StreamWindow::Release() {
  buffer_.Release();
  begin_ = end_;
  filled_ = 0;
}

// Values of a page; the node of a stream that has no pages of its own is one.
uint64_t StreamWindow::PageValues() const {
  return stream_->record.form == StreamForm::kPaged
             ? stream_->record.PageValues(context_->page_values)
             : std::max<uint64_t>(num_values(), 1);
}

uint64_t StreamWindow::CountOf(uint32_t page) const {
  const uint64_t page_values = PageValues();
  return std::min(page_values, num_values() - page * page_values);
}

Status StreamWindow::Require(uint64_t first, uint64_t end) {
  if (constant_) return FillConstant(end - first);
  if (end <= end_ || first == end) return Status::Ok();
  if (Status status = stream_->record.Support(); !status.ok()) return status.At(Describe());
  const uint64_t page_values = PageValues();
  if (first >= end_) {
    // Nothing in the window is needed any more, and neither are the pages up to the first value's.
    if (!keep_all_) {
      const uint64_t next = std::max(end_, first / page_values * page_values);
      for (uint64_t page = end_ / page_values; page < next / page_values; ++page)
        context_->pages->Done(*stream_, static_cast<uint32_t>(page));
      begin_ = end_ = next;
      unfit_.clear();
    }
  }
  Drop(first);
  // What is kept, to the end of the last page at once, so that nothing is moved as it grows.
  const uint64_t last =
      keep_all_ ? num_values()
                : std::min(num_values(), (end + page_values - 1) / page_values * page_values);
  DSI_RETURN_IF_ERROR(buffer_.Reserve((last - begin_) * width_, (end_ - begin_) * width_));
  for (uint64_t page = end_ / page_values; end_ < end; ++page)
    DSI_RETURN_IF_ERROR(AppendPage(static_cast<uint32_t>(page)));
  StartAhead(end - first);
  return Status::Ok();
}

Status StreamWindow::RequireAll() {
  std::unique_lock<std::recursive_mutex> lock;
  if (context_->lending != nullptr) lock = std::unique_lock(*context_->lending);
  return Require(0, num_values());
}

Status StreamWindow::AppendPage(uint32_t page) {
  const uint64_t count = CountOf(page);
  DSI_ASSIGN_OR_RETURN(const bool is_there, TakeAhead(page));
  if (!is_there)
    DSI_RETURN_IF_ERROR(DecodePage(page, buffer_.data() + (end_ - begin_) * width_, &unfit_));
  if (stream_->role == StreamRole::kValues) context_->room().CountDecoded(count);
  end_ += count;
  return Status::Ok();
}

// Into memory of the caller's; any thread of the team may do it.
Status StreamWindow::DecodePage(uint32_t page, std::byte* to,
                                CountedVector<uint64_t>* unfit) const {
  const uint64_t count = CountOf(page);
  const auto width = static_cast<int>(stream_->record.width);
  // Holds the bytes: the dictionary's pages may be done with meanwhile.
  DSI_ASSIGN_OR_RETURN(const PageBytes held, context_->pages->Node(*stream_, page));
  const std::span<const std::byte> node = held.bytes;

  SharedDictionary dictionary;
  const bool shared =
      !node.empty() && node[0] == static_cast<std::byte>(Encoding::kSharedDictionary);
  if (shared && dictionary_ != nullptr) {
    DSI_RETURN_IF_ERROR(dictionary_->RequireAll());
    dictionary = {dictionary_->At(0), dictionary_->num_values(), dictionary_->width()};
    if (mapped_ != nullptr) mapped_->AddTo(&dictionary);
  }
  DecodeRoom& room = context_->room();
  void* target = to;
  const bool converts = convert_ != nullptr && convert_->run != nullptr;
  if (converts && !convert_->in_place) {
    DSI_RETURN_IF_ERROR(room.staging.Reserve(count * stream_->record.width, 0));
    target = room.staging.data();
  }
  const ValueMap* const map = convert_ != nullptr ? convert_->map.get() : nullptr;
  if (Status status = DecodeNode(node, width, count, dictionary, &room.scratch, target, map);
      !status.ok()) {
    const bool paged = stream_->record.form == StreamForm::kPaged;
    return status.At(paged ? fmt::format("{}, page {} of it", Describe(), page) : Describe());
  }
  context_->pages->Done(*stream_, page);
  if (!converts) return Status::Ok();
  return Convert(target, count, page * PageValues(), to, unfit);
}

uint64_t StreamWindow::FirstUnfit(uint64_t first, uint64_t end) const {
  if (first >= end) return UINT64_MAX;
  if (constant_unfit_) return first;
  const auto at = std::lower_bound(unfit_.begin(), unfit_.end(), first);
  return at != unfit_.end() && *at < end ? *at : UINT64_MAX;
}

}  // namespace dsi::internal
