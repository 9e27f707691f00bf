#include "dsi/arrow/in/read_bytes_internal.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "dsi/arrow/in/read_offsets_internal.h"

namespace dsi::internal {
namespace {

using Text = std::span<const std::byte>;

// Finds the string of a slot.
class TextReader {
 public:
  TextReader(const ArrowView& view, const ColumnPlace& place) : view_(view), place_(place) {}

  Result<Text> At(size_t row, size_t slot) const {
    switch (view_.field->form) {
      case ArrowForm::kBytes32:
        return Between(row, RangeOfSlot<int32_t>(view_, slot));
      case ArrowForm::kBytes64:
        return Between(row, RangeOfSlot<int64_t>(view_, slot));
      case ArrowForm::kBytesView:
        return OfView(row, view_.buffer(1) + (view_.start + slot) * kViewBytes);
      default: {
        const auto width = static_cast<size_t>(view_.field->width);
        if (width == 0) return Text();
        return Text(view_.buffer(1) + (view_.start + slot) * width, width);
      }
    }
  }

 private:
  static constexpr size_t kViewBytes = 16;

  Result<Text> Between(size_t row, const SlotRange& range) const {
    if (range.begin < 0 || range.end < range.begin) {
      return place_.RowFault(StatusCode::kBadInput, row,
                             "offset {} after {}, expected ascending ones from 0", range.end,
                             range.begin);
    }
    const auto size = static_cast<uint64_t>(range.end - range.begin);
    if (size > kMaxListLength) {
      return place_.RowFault(StatusCode::kOutOfRange, row, "found {} bytes, expected at most {}",
                             size, kMaxListLength);
    }
    if (size == 0) return Text();
    if (view_.buffer(2) == nullptr) return place_.Fault("a null buffer of bytes");
    return Text(view_.buffer(2) + range.begin, size);
  }

  // Length, then the bytes themselves, or 4 of them, the number of a buffer and an offset.
  Result<Text> OfView(size_t row, const std::byte* at) const {
    constexpr int32_t kInlineBytes = 12;
    constexpr int64_t kOtherBuffers = 3;  // Validity, views; sizes at the end.
    const auto size = LoadLE<int32_t>(at);
    if (size >= 0 && size <= kInlineBytes) return Text(at + 4, static_cast<size_t>(size));
    const auto buffer = LoadLE<int32_t>(at + 8);
    const auto offset = LoadLE<int32_t>(at + 12);
    const int64_t num_buffers = view_.array->n_buffers - kOtherBuffers;
    if (size < 0 || offset < 0 || buffer < 0 || buffer >= num_buffers) {
      return place_.RowFault(StatusCode::kBadInput, row,
                             "a view of {} bytes at {} of buffer {}, expected one of {} buffers",
                             size, offset, buffer, num_buffers);
    }
    const std::byte* sizes = view_.buffer(view_.array->n_buffers - 1);
    const std::byte* bytes = view_.buffer(2 + buffer);
    if (sizes == nullptr || bytes == nullptr) return place_.Fault("a null buffer of bytes");
    const auto limit = LoadLE<int64_t>(sizes + static_cast<size_t>(buffer) * sizeof(int64_t));
    if (int64_t{offset} + size > limit) {
      return place_.RowFault(StatusCode::kBadInput, row,
                             "a view of {} bytes at {} of a buffer of {} bytes", size, offset,
                             limit);
    }
    return Text(bytes + offset, static_cast<size_t>(size));
  }

  const ArrowView& view_;
  const ColumnPlace& place_;
};

// Rows in place: offsets and bytes as they lie.
template <typename Offset>
Result<const std::byte*> InPlace(const ArrowView& view, const ColumnPlace& place,
                                 ArrowScratch* scratch, const Offset** offsets) {
  DSI_ASSIGN_OR_RETURN(const CheckedOffsets<Offset> checked,
                       ReadOffsets<Offset>(view, place, scratch));
  *offsets = checked.offsets;
  if (checked.offsets[view.count] == 0) return nullptr;
  if (view.buffer(2) == nullptr) return place.Fault("a null buffer of bytes");
  return view.buffer(2) + checked.first;
}

Result<RowBytes> Gather(const ArrowView& view, const Positions& at, const EntryRows& rows,
                        const ColumnPlace& place, ArrowScratch* scratch) {
  const TextReader reader(view, place);
  auto* offsets = scratch->Take<int64_t>(rows.num_rows + 1);
  auto* texts = scratch->Take<Text>(rows.num_rows);
  Status status;
  std::uninitialized_fill_n(texts, rows.num_rows, Text());
  rows.ForEachRow([&](size_t row, size_t, size_t) {
    if (!status.ok()) return;
    Result<Text> text = reader.At(row, at.At(row));
    status = text.status();
    if (status.ok()) texts[row] = *text;
  });
  DSI_RETURN_IF_ERROR(status);
  // Below 2^63: fewer than 2^32 rows of fewer than 2^31 bytes.
  offsets[0] = 0;
  for (size_t i = 0; i < rows.num_rows; ++i) {
    offsets[i + 1] = offsets[i] + static_cast<int64_t>(texts[i].size());
  }
  auto* bytes = scratch->Take<std::byte>(static_cast<size_t>(offsets[rows.num_rows]));
  for (size_t i = 0; i < rows.num_rows; ++i) {
    if (!texts[i].empty()) std::memcpy(bytes + offsets[i], texts[i].data(), texts[i].size());
  }
  return RowBytes{nullptr, offsets, bytes};
}

}  // namespace

Result<RowBytes> ReadBytes(const ArrowView& view, const Positions& at, const EntryRows& rows,
                           const ColumnPlace& place, ArrowScratch* scratch) {
  RowBytes found;
  if (at.slots == nullptr && view.field->form == ArrowForm::kBytes32) {
    DSI_ASSIGN_OR_RETURN(found.bytes, InPlace(view, place, scratch, &found.offsets32));
    return found;
  }
  if (at.slots == nullptr && view.field->form == ArrowForm::kBytes64) {
    DSI_ASSIGN_OR_RETURN(found.bytes, InPlace(view, place, scratch, &found.offsets64));
    return found;
  }
  return Gather(view, at, rows, place, scratch);
}

Result<const std::byte*> ReadIds(const ArrowView& view, const Positions& at, const EntryRows& rows,
                                 Type type, const ColumnPlace& place, ArrowScratch* scratch) {
  const TextReader reader(view, place);
  const auto width = static_cast<size_t>(TypeWidth(type));
  auto* ids = scratch->Take<std::byte>(at.count * width);
  std::fill_n(ids, at.count * width, std::byte{0});
  Status status;
  rows.ForEachRow([&](size_t row, size_t begin, size_t end) {
    for (size_t entry = begin; entry < end && status.ok(); ++entry) {
      if (at.slots != nullptr && at.slots[entry] < 0) continue;
      const Result<Text> text = reader.At(row, at.At(entry));
      status = text.status();
      if (!status.ok()) return;
      const uint64_t id =
          IdOfText({reinterpret_cast<const char*>(text->data()), text->size()}, type);
      std::memcpy(ids + entry * width, &id, width);
    }
  });
  DSI_RETURN_IF_ERROR(status);
  return ids;
}

}  // namespace dsi::internal
