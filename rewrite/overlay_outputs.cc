#include "dsi/rewrite/overlay_outputs_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

Status OverlayOutputs::Begin() {
  if (in_.begins) in_.begins(at_);
  WriterOptions writer = in_.writer;
  writer.overlay = target().binding;
  DSI_ASSIGN_OR_RETURN(writer_, Writer::Create(target().path, *in_.schema, writer));
  next_ = target().first;
  num_given_ = 0;
  return Status::Ok();
}

Status OverlayOutputs::FillTo(uint64_t place) {
  while (next_ < place) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(place - next_, 1U << 16));
    DSI_RETURN_IF_ERROR(writer_->AppendColumns(count, {}));
    next_ += count;
  }
  return Status::Ok();
}

Status OverlayOutputs::Close() {
  BaseOverlay& made = made_.emplace_back();
  made.base = target().base;
  made.path = target().path;
  made.report.num_deleted = target().num_deleted;
  if (writer_ == nullptr && in_.writes_empty) DSI_RETURN_IF_ERROR(Begin());
  made.is_written = writer_ != nullptr;
  if (made.is_written) {
    DSI_RETURN_IF_ERROR(FillTo(target().end()));
    made.report.num_given = num_given_;
    DSI_ASSIGN_OR_RETURN(made.report.write, writer_->Finish());
    writer_.reset();
  }
  ++at_;
  return Status::Ok();
}

Status OverlayOutputs::FinishBefore(uint64_t place) {
  while (at_ < in_.targets.size() && target().end() <= place) DSI_RETURN_IF_ERROR(Close());
  return Status::Ok();
}

Status OverlayOutputs::Put(BatchColumns* columns, std::span<const uint64_t> places) {
  for (size_t row = 0; row < places.size();) {
    const uint64_t place = places[row];
    if (place == kNoRow) {
      ++row;
      continue;
    }
    DSI_RETURN_IF_ERROR(FinishBefore(place));
    if (writer_ == nullptr) DSI_RETURN_IF_ERROR(Begin());
    DSI_RETURN_IF_ERROR(FillTo(place));
    size_t end = row + 1;
    while (end < places.size() && places[end] == place + (end - row) &&
           places[end] < target().end())
      ++end;
    DSI_RETURN_IF_ERROR(writer_->AppendColumns(end - row, columns->Rows(row, end)));
    next_ += end - row;
    num_given_ += end - row;
    row = end;
  }
  return Status::Ok();
}

}  // namespace dsi::internal
