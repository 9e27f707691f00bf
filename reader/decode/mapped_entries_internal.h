// What a map makes of the entries of a dictionary, once for all values that refer to them.
//
// Thread safety: AddTo from many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/reader/decode/scan_buffer_internal.h"

namespace dsi::internal {

class MappedEntries {
 public:
  explicit MappedEntries(MemoryBudget* budget) : entries_(budget) {}

  // For another dictionary. `most_entries`: of one with more not all are thought to be used. The
  // map outlives this.
  void Start(const ValueMap* map, uint64_t most_entries);
  // Says in *dictionary what its entries become, unless there are too many or there is little
  // memory.
  void AddTo(SharedDictionary* dictionary);

 private:
  void Make(const SharedDictionary& dictionary);

  ScanBuffer entries_;
  const ValueMap* map_ = nullptr;
  uint64_t most_entries_ = 0;
  std::mutex mutex_;  // Of what makes them.
  std::atomic<bool> is_made_ = false;
};

}  // namespace dsi::internal
