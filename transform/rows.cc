#include "dsi/transform/rows.h"

#include <algorithm>
#include <cstring>

namespace dsi {
namespace {

// Who takes rows further may read so many bytes behind them.
constexpr size_t kSlack = 64;

}  // namespace

void RowsBuilder::Reset(TransformType type) {
  type_ = type;
  num_values_ = 0;
  last_added_ = 0;
  scores_.clear();
  offsets_.assign(1, 0);
  present_.clear();
}

void* RowsBuilder::AddValues(size_t n) {
  const auto width = static_cast<size_t>(TypeWidth(type_.type));
  const size_t needed = (num_values_ + n) * width;
  if (needed > capacity_bytes_) {
    const size_t capacity = std::max(needed, capacity_bytes_ * 2);
    std::unique_ptr<std::byte[]> grown(new std::byte[capacity + kSlack]);
    if (num_values_ > 0) std::memcpy(grown.get(), values_.get(), num_values_ * width);
    values_ = std::move(grown);
    capacity_bytes_ = capacity;
  }
  void* const room = values_.get() + num_values_ * width;
  if (type_.shape == RowShape::kScored) {
    const size_t room_needed = num_values_ + n + kSlack / sizeof(float);
    if (scores_.capacity() < room_needed)
      scores_.reserve(std::max(room_needed, scores_.capacity() * 2));
    scores_.resize(num_values_ + n);
  }
  num_values_ += n;
  last_added_ = n;
  return room;
}

void RowsBuilder::EndRow() {
  present_.push_back(1);
  offsets_.push_back(static_cast<int64_t>(num_values_));
}

void RowsBuilder::EndMissing() {
  if (type_.shape == RowShape::kNumber) {
    std::memset(AddValues(1), 0, static_cast<size_t>(TypeWidth(type_.type)));
  }
  present_.push_back(0);
  offsets_.push_back(static_cast<int64_t>(num_values_));
}

RowsView RowsBuilder::View() const {
  RowsView view;
  view.type = type_;
  view.num_rows = present_.size();
  view.values = values_.get();
  if (type_.shape != RowShape::kNumber) {
    view.begins = offsets_.data();
    view.ends = offsets_.data() + 1;
  }
  view.present = present_.data();
  if (type_.shape == RowShape::kScored) view.scores = scores_.data();
  return view;
}

}  // namespace dsi
