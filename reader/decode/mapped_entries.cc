#include "dsi/reader/decode/mapped_entries_internal.h"

namespace dsi::internal {

void MappedEntries::Start(const ValueMap* map, uint64_t most_entries) {
  map_ = map;
  most_entries_ = most_entries;
  is_made_ = false;
}

void MappedEntries::AddTo(SharedDictionary* dictionary, std::recursive_mutex* lock) {
  if (dictionary->count > most_entries_) return;
  std::unique_lock<std::recursive_mutex> held;
  if (lock != nullptr) held = std::unique_lock(*lock);
  if (!is_made_) {
    // Values that are decoded need the memory first.
    const uint64_t bytes = dictionary->count * map_->width();
    const MemoryBudget& budget = *entries_.budget();
    if (bytes > budget.left() / 2 || !entries_.Reserve(bytes, 0).ok()) return;
    map_->Apply(dictionary->values, dictionary->count, entries_.data());
    is_made_ = true;
  }
  dictionary->mapped = entries_.data();
}

}  // namespace dsi::internal
