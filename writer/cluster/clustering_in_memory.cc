#include "dsi/writer/cluster/clustering_in_memory_internal.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "dsi/base/probe_internal.h"
#include "dsi/writer/cluster/key_record_internal.h"

namespace dsi::internal {

KeyNumbers::KeyNumbers() : slots_(1'024, 0) {}

uint32_t KeyNumbers::Number(const std::byte* hash, int64_t time, uint32_t outer) {
  const auto low = LoadLE<uint64_t>(hash);
  const auto high = LoadLE<uint64_t>(hash + 8);
  const auto is_it = [&](const Key& key) { return key.hash[0] == low && key.hash[1] == high; };
  if (keys_.empty() || !is_it(keys_[last_])) {
    const size_t at = Probe(
        slots_, low, [&](uint32_t number) { return number == 0 || is_it(keys_[number - 1]); });
    if (slots_[at] != 0) {
      last_ = slots_[at] - 1;
    } else {
      last_ = static_cast<uint32_t>(keys_.size());
      keys_.push_back({{low, high}, time, outer});
      slots_[at] = last_ + 1;
      if (keys_.size() * 2 > slots_.size()) Grow();
    }
  }
  Key& key = keys_[last_];
  key.first_time = std::min(key.first_time, time);
  return last_;
}

void KeyNumbers::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (uint32_t number = 0; number < keys_.size(); ++number) {
    const size_t at =
        Probe(slots_, keys_[number].hash[0], [](uint32_t known) { return known == 0; });
    slots_[at] = number + 1;
  }
}

std::vector<uint32_t> KeyNumbers::Rank(const std::vector<uint32_t>& outer_ranks) const {
  std::vector<uint32_t> order(keys_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](uint32_t a, uint32_t b) {
    return std::tuple(outer_ranks[keys_[a].outer], keys_[a].first_time, a) <
           std::tuple(outer_ranks[keys_[b].outer], keys_[b].first_time, b);
  };
  if (!std::is_sorted(order.begin(), order.end(), less))
    std::sort(order.begin(), order.end(), less);
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

uint64_t ClusteringInMemory::Bytes(size_t num_levels, uint64_t num_rows) {
  // A vector that grows is there twice. Each row with a key of its own: the key, up to four places
  // in the table, its rank.
  constexpr uint64_t kKeyBytes = 2 * 32 + 4 * sizeof(uint32_t) + 2 * sizeof(uint32_t);
  return num_rows * (sizeof(Row) + 3 * sizeof(uint32_t) + num_levels * kKeyBytes);
}

ClusteringInMemory::ClusteringInMemory(size_t num_levels, size_t num_rows) : levels_(num_levels) {
  rows_.reserve(num_rows);
}

void ClusteringInMemory::Add(const std::byte* record) {
  const ListedRow row = RowAt(record + levels_.size() * kKeyHashBytes);
  uint32_t key = 0;
  for (KeyNumbers& level : levels_) {
    key = level.Number(record, row.time, key);
    record += kKeyHashBytes;
  }
  rows_.push_back({row.time, key, row.bytes, row.fresh_bytes});
}

// Rows by their keys and in the order of input, and where the rows of each key end.
std::vector<uint32_t> ClusteringInMemory::PlaceRows(std::vector<uint32_t>* ends) const {
  std::vector<uint32_t> ranks(1, 0);
  for (const KeyNumbers& level : levels_) ranks = level.Rank(ranks);
  ends->assign(ranks.size() + 1, 0);
  for (const Row& row : rows_) ++(*ends)[ranks[row.key] + 1];
  std::partial_sum(ends->begin(), ends->end(), ends->begin());
  std::vector<uint32_t> places(rows_.size());
  // Placing the rows of a key moves its begin to its end.
  for (uint32_t i = 0; i < rows_.size(); ++i) places[(*ends)[ranks[rows_[i].key]]++] = i;
  ends->pop_back();
  return places;
}

Status ClusteringInMemory::Finish(RowList* list) {
  std::vector<uint32_t> ends;
  std::vector<uint32_t> places = PlaceRows(&ends);
  const auto earlier = [&](uint32_t a, uint32_t b) { return rows_[a].time < rows_[b].time; };
  uint32_t begin = 0;
  for (const uint32_t end : ends) {
    const auto first = places.begin() + begin;
    const auto last = places.begin() + end;
    if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    for (uint32_t p = begin; p < end; ++p) {
      const Row& row = rows_[places[p]];
      DSI_RETURN_IF_ERROR(list->Append({.time = row.time,
                                        .input_row = places[p],
                                        .bytes = row.bytes,
                                        .fresh_bytes = row.fresh_bytes,
                                        .starts_session = !levels_.empty() && p == begin}));
    }
    begin = end;
  }
  return Status::Ok();
}

}  // namespace dsi::internal
