#include "dsi/dedup/window_pool_internal.h"

#include <algorithm>
#include <utility>

namespace dsi::internal {

WindowPool::WindowPool(const FeatureRows& column) {
  for (const FeatureRows::Values& values : column.values)
    columns_.push_back({values.data, static_cast<size_t>(values.width), {}});
}

size_t WindowPool::Overlap(PoolPlace place, uint64_t start, size_t count) const {
  const Chain& chain = chains_[place.chain];
  const int64_t begin = std::max<int64_t>(place.at, chain.begin);
  const int64_t end = std::min<int64_t>(place.at + static_cast<int64_t>(count), chain.end);
  if (begin >= end) return 0;
  const auto shared = static_cast<size_t>(end - begin);
  if (shared != count && place.chain != open_chain()) return 0;
  const uint64_t from = start + static_cast<uint64_t>(begin - place.at);
  for (const Values& values : columns_) {
    const std::byte* const in_pool =
        values.pool.data() + static_cast<size_t>(chain.origin + begin) * values.width;
    if (std::memcmp(in_pool, values.source + from * values.width, shared * values.width) != 0)
      return 0;
  }
  return shared;
}

void WindowPool::Extend(PoolPlace place, uint64_t start, size_t count) {
  const int64_t place_end = place.at + static_cast<int64_t>(count);
  if (chains_[place.chain].begin > place.at) {
    MakeRoomInFront(chains_[place.chain].begin - place.at);
    Chain& chain = chains_[place.chain];
    Copy(start, static_cast<size_t>(chain.begin - place.at), chain.origin + place.at);
    chain.begin = place.at;
  }
  if (chains_[place.chain].end < place_end) {
    Chain& chain = chains_[place.chain];
    MakeRoom(chain.origin + place_end);
    const auto known = static_cast<size_t>(chain.end - place.at);
    Copy(start + known, count - known, chain.origin + chain.end);
    chain.end = place_end;
  }
}

PoolPlace WindowPool::Append(uint64_t start, size_t count) {
  Close();
  const auto end = static_cast<int64_t>(count);
  chains_.push_back({.origin = size_, .begin = 0, .end = end});
  MakeRoom(size_ + end);
  Copy(start, count, size_);
  return {open_chain(), 0};
}

void WindowPool::Close() {
  if (chains_.empty()) return;
  Chain& chain = chains_.back();
  // Room that was made in front and not used goes.
  const int64_t unused = chain.origin + chain.begin - size_;
  if (unused != 0) {
    for (Values& values : columns_) {
      std::byte* const at = values.pool.data() + static_cast<size_t>(size_) * values.width;
      std::memmove(at, at + static_cast<size_t>(unused) * values.width,
                   static_cast<size_t>(chain.end - chain.begin) * values.width);
    }
    chain.origin -= unused;
  }
  size_ = chain.origin + chain.end;
}

std::vector<std::vector<std::byte>> WindowPool::TakeValues() {
  std::vector<std::vector<std::byte>> values;
  for (Values& column : columns_) {
    column.pool.resize(static_cast<size_t>(size_) * column.width);
    values.push_back(std::move(column.pool));
  }
  return values;
}

void WindowPool::MakeRoom(int64_t end) {
  if (end <= capacity_) return;
  capacity_ = std::max<int64_t>(end, capacity_ * 2);
  for (Values& values : columns_) values.pool.resize(static_cast<size_t>(capacity_) * values.width);
}

// So that the open chain can start `count` entries before its begin. Half of its length at least,
// so that a chain that keeps growing in front is not moved every time.
void WindowPool::MakeRoomInFront(int64_t count) {
  const Chain& chain = chains_.back();
  if (chain.origin + chain.begin - size_ >= count) return;
  const int64_t length = chain.end - chain.begin;
  const int64_t room = std::max(count, length / 2 + 8);
  MakeRoom(size_ + room + length);
  const int64_t moved = size_ + room - (chain.origin + chain.begin);
  for (Values& values : columns_) {
    std::byte* const at =
        values.pool.data() + static_cast<size_t>(chain.origin + chain.begin) * values.width;
    std::memmove(at + static_cast<size_t>(moved) * values.width, at,
                 static_cast<size_t>(length) * values.width);
  }
  chains_.back().origin += moved;
}

void WindowPool::Copy(uint64_t start, size_t count, int64_t position) {
  for (Values& values : columns_) {
    std::memcpy(values.pool.data() + static_cast<size_t>(position) * values.width,
                values.source + start * values.width, count * values.width);
  }
}

}  // namespace dsi::internal
