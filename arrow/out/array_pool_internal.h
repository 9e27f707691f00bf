// Trees of a stream whose arrays were all released, to be filled again with their memory.
//
// Thread safety: any thread, since arrays are released on any.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "dsi/arrow/out/array_tree_internal.h"

namespace dsi::internal {

class ArrayPool {
 public:
  // Throws std::bad_alloc.
  explicit ArrayPool(std::shared_ptr<const OutputFields> fields);

  // One that came back, or a new one. Throws std::bad_alloc.
  std::unique_ptr<ArrayTree> Take();
  void GiveBack(std::unique_ptr<ArrayTree> tree) noexcept;
  // From now on what comes back is destroyed.
  void Close() noexcept;

 private:
  std::shared_ptr<const OutputFields> fields_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ArrayTree>> idle_;
  bool is_closed_ = false;
};

}  // namespace dsi::internal
