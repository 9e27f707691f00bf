#include "dsi/dataset/compare/waiting_rows_internal.h"

#include <algorithm>

namespace dsi::internal {

std::optional<WaitingRows::Row> WaitingRows::Meet(CompareSide side, const RowHash& hash) {
  if (chains_.empty()) return {};
  const auto found = chains_.find(hash);
  if (found == chains_.end() || found->second.side == side) return {};
  Chain& chain = found->second;
  const size_t met = chain.first;
  --counts_[static_cast<size_t>(chain.side)];
  chain.first = rows_[met].next;
  if (chain.first == kNone) chains_.erase(found);
  rows_[met].next = first_free_;
  first_free_ = met;
  return Row{.number = rows_[met].number,
             .words = std::span(words_).subspan(met * num_words_, num_words_)};
}

std::span<uint64_t> WaitingRows::Wait(CompareSide side, const RowHash& hash, uint64_t number) {
  const size_t row = NewRow();
  Chain& chain = chains_[hash];
  rows_[row] = {.number = number};
  if (chain.first == kNone) {
    chain = {.side = side, .first = row, .last = row};
  } else {
    rows_[chain.last].next = row;
    chain.last = row;
  }
  ++counts_[static_cast<size_t>(side)];
  return std::span(words_).subspan(row * num_words_, num_words_);
}

size_t WaitingRows::NewRow() {
  if (first_free_ != kNone) return std::exchange(first_free_, rows_[first_free_].next);
  words_.resize(words_.size() + num_words_);
  rows_.emplace_back();
  return rows_.size() - 1;
}

uint64_t WaitingRows::First(CompareSide side) const {
  uint64_t first = UINT64_MAX;
  for (const auto& [hash, chain] : chains_) {
    if (chain.side == side) first = std::min(first, rows_[chain.first].number);
  }
  return first == UINT64_MAX ? 0 : first;
}

}  // namespace dsi::internal
