#include "dsi/format/block_memory_internal.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "dsi/format/bytes_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kFewestBytes = 64 << 10;
// A sanitizer must see blocks freed.
#if !defined(__has_feature)
#define __has_feature(feature) 0  // Clang's.
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||       \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr size_t kMostIdleBytes = 0;
#else
constexpr size_t kMostIdleBytes = 32 << 20;
#endif
constexpr size_t kMostIdleBlocks = 128;
constexpr size_t kHugePage = 2 << 20;
constexpr size_t kFewestHugeBytes = 2 * kHugePage;

struct Block {
  std::byte* bytes;
  size_t capacity;
};

class IdleBlocks {
 public:
  IdleBlocks() { blocks_.reserve(kMostIdleBlocks); }

  // The smallest that is large enough and not much larger; null bytes: none.
  Block Take(size_t size) {
    const std::lock_guard lock(mutex_);
    size_t best = blocks_.size();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const size_t capacity = blocks_[i].capacity;
      if (capacity < size || capacity / 2 > size) continue;
      if (best == blocks_.size() || capacity < blocks_[best].capacity) best = i;
    }
    if (best == blocks_.size()) return {nullptr, 0};
    const Block block = blocks_[best];
    blocks_.erase(blocks_.begin() + static_cast<int64_t>(best));
    bytes_ -= block.capacity;
    return block;
  }

  // The oldest make room.
  void Put(Block block) {
    const std::lock_guard lock(mutex_);
    while (!blocks_.empty() &&
           (bytes_ + block.capacity > kMostIdleBytes || blocks_.size() == kMostIdleBlocks)) {
      bytes_ -= blocks_.front().capacity;
      std::free(blocks_.front().bytes);
      blocks_.erase(blocks_.begin());
    }
    blocks_.push_back(block);
    bytes_ += block.capacity;
  }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;  // The oldest first.
  size_t bytes_ = 0;
};

// Never destroyed: blocks may be freed by objects of static lifetime.
IdleBlocks& Idle() {
  static IdleBlocks* const kIdle = new IdleBlocks;
  return *kIdle;
}

size_t AlignmentOf(uint64_t size) { return size >= kFewestHugeBytes ? kHugePage : 64; }

// Large blocks ask for the system's large pages: a batch of a few megabytes is written from end to
// end, over and over.
std::byte* NewBlock(size_t size, size_t* capacity) {
  const bool is_huge = size >= kFewestHugeBytes;
  const size_t alignment = AlignmentOf(size);
  *capacity = BlockBytes(size);
  void* const block = std::aligned_alloc(alignment, *capacity);
#ifdef MADV_HUGEPAGE
  // A hint: a system that refuses it serves small pages.
  if (block != nullptr && is_huge) ::madvise(block, *capacity, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(block);
}

}  // namespace

uint64_t BlockBytes(uint64_t size) {
  return AlignUp(std::max<uint64_t>(size, 1), AlignmentOf(size));
}

std::byte* AllocateBlock(size_t size, size_t* capacity) {
  if (size >= kFewestBytes && size <= kMostIdleBytes) {
    const Block block = Idle().Take(size);
    if (block.bytes != nullptr) {
      *capacity = block.capacity;
      return block.bytes;
    }
  }
  return NewBlock(size, capacity);
}

void FreeBlock(std::byte* block, size_t capacity) {
  if (block == nullptr) return;
  if (capacity < kFewestBytes || capacity > kMostIdleBytes) return std::free(block);
  Idle().Put({block, capacity});
}

}  // namespace dsi::internal
