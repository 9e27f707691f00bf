#include "dsi/reader/decode/mapped_entries_internal.h"

namespace dsi::internal {

void MappedEntries::Start(const ValueMap* map, uint64_t most_entries) {
  map_ = map;
  most_entries_ = most_entries;
  is_made_ = false;
}

void MappedEntries::AddTo(SharedDictionary* dictionary) {
  if (dictionary->count > most_entries_) return;
  if (!is_made_.load(std::memory_order_acquire)) Make(*dictionary);
  if (is_made_.load(std::memory_order_acquire)) dictionary->mapped = entries_.data();
}

void MappedEntries::Make(const SharedDictionary& dictionary) {
  const std::lock_guard lock(mutex_);
  if (is_made_.load(std::memory_order_relaxed)) return;
  const uint64_t bytes = dictionary.count * map_->width();
  if (bytes + ScanBuffer::kSlack > entries_.capacity()) {
    // Who decodes and fills needs the memory first.
    const MemoryBudget& budget = *entries_.budget();
    if (bytes > budget.left() / 2 || budget.left() - bytes < budget.limit / 4) return;
    if (!entries_.Reserve(bytes, 0).ok()) return;
  }
  map_->Apply(dictionary.values, dictionary.count, entries_.data());
  is_made_.store(true, std::memory_order_release);
}

}  // namespace dsi::internal
