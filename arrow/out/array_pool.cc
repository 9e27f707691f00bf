#include "dsi/arrow/out/array_pool_internal.h"

#include <utility>

namespace dsi::internal {
namespace {

// A consumer that releases many batches at once is done with most of them for good.
constexpr size_t kMostIdle = 4;

}  // namespace

ArrayPool::ArrayPool(std::shared_ptr<const OutputFields> fields) : fields_(std::move(fields)) {
  idle_.reserve(kMostIdle);
}

std::unique_ptr<ArrayTree> ArrayPool::Take() {
  std::unique_ptr<ArrayTree> tree;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      tree = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (tree == nullptr) tree = std::make_unique<ArrayTree>(fields_);
  return tree;
}

void ArrayPool::GiveBack(std::unique_ptr<ArrayTree> tree) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_closed_ && idle_.size() < kMostIdle) idle_.push_back(std::move(tree));
}

void ArrayPool::Close() noexcept {
  std::vector<std::unique_ptr<ArrayTree>> idle;
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  idle.swap(idle_);
}

}  // namespace dsi::internal
