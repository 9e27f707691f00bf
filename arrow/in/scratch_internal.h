// Memory for what of an array cannot be handed on as it lies; goes away with the call that needs
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "dsi/base/memory_budget_internal.h"

namespace dsi::internal {

class ArrowScratch {
 public:
  explicit ArrowScratch(uint64_t limit) : budget_{.limit = limit} {}

  // Uninitialized. Throws where it does not fit the limit.
  template <typename T>
  T* Take(size_t count) {
    const uint64_t bytes = count <= budget_.limit / sizeof(T) ? count * sizeof(T) : UINT64_MAX;
    if (!budget_.TryTake(bytes)) throw OverBudget(bytes, budget_);
    blocks_.emplace_back(new std::byte[bytes]);
    return reinterpret_cast<T*>(blocks_.back().get());
  }

 private:
  MemoryBudget budget_;
  std::deque<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace dsi::internal
