// Whether the stripes that come have rows that pass a filter, guessed from those before: what a
// filter wants is not known until its own columns were looked at, and reading for nothing is worse
// than waiting.
// Thread safety: any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace dsi::internal {

class PassingGuess {
 public:
  // Of a stripe that was looked at.
  void Note(bool has_passing) {
    run_.store(has_passing ? run_.load(std::memory_order_relaxed) + 1 : 0,
               std::memory_order_relaxed);
  }
  // One may be the only one.
  bool next_may_have() const { return run_.load(std::memory_order_relaxed) >= 2; }

 private:
  std::atomic<uint32_t> run_{0};  // Of the last ones that have some.
};

}  // namespace dsi::internal
