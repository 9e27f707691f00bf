#include "dsi/writer/cluster/put_in_order_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "dsi/base/block_memory_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kAhead = 8;  // Rows: they lie anywhere.

// Of a feature that some rows lack: the rows that have it, in their new order and as they are
// numbered there, and where each is stored.
struct PresentRows {
  std::vector<uint32_t> positions;
  std::vector<uint32_t> stored;
};

PresentRows Sort(std::span<const uint32_t> rows, std::span<const uint32_t> position_of) {
  std::vector<uint64_t> pairs(rows.size());
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = uint64_t{position_of[rows[i]]} << 32 | i;
  std::sort(pairs.begin(), pairs.end());
  PresentRows present;
  for (const uint64_t pair : pairs) {
    present.positions.push_back(static_cast<uint32_t>(pair >> 32));
    present.stored.push_back(static_cast<uint32_t>(pair));
  }
  return present;
}

template <typename T>
void GatherNumbers(const GrowingBytes& from, std::span<const uint32_t> stored, std::byte* to) {
  for (const uint32_t i : stored) {
    std::memcpy(to, from.data() + i * sizeof(T), sizeof(T));
    to += sizeof(T);
  }
}

// Rows of `size` bytes each.
void GatherRows(const GrowingBytes& from, size_t size, std::span<const uint32_t> stored,
                std::byte* to) {
  switch (size) {
    case 1:
      return GatherNumbers<uint8_t>(from, stored, to);
    case 2:
      return GatherNumbers<uint16_t>(from, stored, to);
    case 4:
      return GatherNumbers<uint32_t>(from, stored, to);
    case 8:
      return GatherNumbers<uint64_t>(from, stored, to);
    default:
      for (const uint32_t i : stored) {
        std::memcpy(to, from.data() + i * size, size);
        to += size;
      }
  }
}

// Lists in the order of the rows that have them first: where each is stored. *list_of becomes that
// of the rows in their new order.
std::vector<uint32_t> NumberLists(std::span<const uint32_t> stored_rows, size_t num_lists,
                                  std::vector<uint32_t>* list_of) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> number_of(num_lists, kNone);
  std::vector<uint32_t> stored;
  stored.reserve(num_lists);
  std::vector<uint32_t> numbers(stored_rows.size());
  for (size_t p = 0; p < numbers.size(); ++p) {
    const uint32_t list = (*list_of)[stored_rows[p]];
    if (number_of[list] == kNone) {
      number_of[list] = static_cast<uint32_t>(stored.size());
      stored.push_back(list);
    }
    numbers[p] = number_of[list];
  }
  *list_of = std::move(numbers);
  return stored;
}

void GatherLists(const GrowingBytes& from, size_t width, std::span<const uint64_t> starts,
                 std::span<const uint32_t> lengths, std::span<const uint32_t> stored,
                 std::byte* to) {
  for (size_t p = 0; p < stored.size(); ++p) {
    if (p + kAhead < stored.size())
      __builtin_prefetch(from.data() + starts[stored[p + kAhead]] * width);
    const size_t size = lengths[p] * width;
    if (size != 0) std::memcpy(to, from.data() + starts[stored[p]] * width, size);
    to += size;
  }
}

}  // namespace

GrowingBytes SpareMemory::Take(size_t size) {
  GrowingBytes bytes;
  {
    const std::lock_guard lock(mutex_);
    const auto fits = std::find_if(spare_.begin(), spare_.end(),
                                   [size](const auto& one) { return one.capacity() >= size; });
    if (fits != spare_.end()) {
      bytes = std::move(*fits);
      spare_.erase(fits);
    } else {
      spare_.clear();
    }
  }
  bytes.resize(size);
  return bytes;
}

void SpareMemory::Give(GrowingBytes bytes) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(bytes));
}

void PutInOrder(const FeatureSpec& spec, std::span<const uint32_t> input_row,
                std::span<const uint32_t> position_of, SpareMemory* spare,
                RowBatch::FeatureBuffer* rows) {
  PresentRows present;
  std::span<const uint32_t> stored = input_row;
  if (!rows->all_present) {
    present = Sort(rows->rows, position_of);
    stored = present.stored;
    rows->rows = std::move(present.positions);
  }
  const bool has_lengths = HasLengths(spec.kind, spec.columns[0].type);
  std::vector<uint32_t> lists;
  if (!rows->lists.empty()) {
    lists = NumberLists(stored, rows->lengths.size(), &rows->lists);
    stored = lists;
  }
  std::vector<uint64_t> starts;
  if (has_lengths) {
    starts = StartsOf(rows->lengths);
    std::vector<uint32_t> lengths(stored.size());
    for (size_t p = 0; p < lengths.size(); ++p) lengths[p] = rows->lengths[stored[p]];
    rows->lengths = std::move(lengths);
  }
  for (size_t c = 0; c < spec.columns.size(); ++c) {
    const auto width = static_cast<size_t>(TypeWidth(spec.columns[c].type));
    GrowingBytes& values = rows->values[c];
    GrowingBytes in_order = spare->Take(values.size());
    if (has_lengths) {
      GatherLists(values, width, starts, rows->lengths, stored, in_order.data());
    } else {
      const size_t entries = spec.kind == Kind::kEmbedding ? spec.fixed_length : 1;
      GatherRows(values, entries * width, stored, in_order.data());
    }
    values.swap(in_order);
    GiveBackPages(values.data() + values.size(), values.capacity() - values.size());
    spare->Give(std::move(in_order));
  }
}

}  // namespace dsi::internal
