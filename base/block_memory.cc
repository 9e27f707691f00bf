#include "dsi/base/block_memory_internal.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <type_traits>

#include "dsi/base/bytes_internal.h"

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
constexpr size_t kMostIdleBytes = 96 << 20;
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
  // The smallest that is large enough and not much larger; null bytes: none.
  Block Take(size_t size) {
    const std::lock_guard lock(mutex_);
    size_t best = count_;
    for (size_t i = 0; i < count_; ++i) {
      const size_t capacity = blocks_[i].capacity;
      if (capacity < size || capacity / 2 > size) continue;
      if (best == count_ || capacity < blocks_[best].capacity) best = i;
    }
    if (best == count_) return {nullptr, 0};
    return Remove(best);
  }

  // The oldest make room.
  void Put(Block block) {
    const std::lock_guard lock(mutex_);
    while (count_ != 0 && (bytes_ + block.capacity > kMostIdleBytes || count_ == kMostIdleBlocks))
      std::free(Remove(0).bytes);
    blocks_[count_++] = block;
    bytes_ += block.capacity;
  }

  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

 private:
  Block Remove(size_t i) {
    const Block block = blocks_[i];
    std::copy(blocks_.begin() + i + 1, blocks_.begin() + count_, blocks_.begin() + i);
    --count_;
    bytes_ -= block.capacity;
    return block;
  }

  std::mutex mutex_;
  std::array<Block, kMostIdleBlocks> blocks_{};  // The oldest first.
  size_t count_ = 0;
  size_t bytes_ = 0;
};

// Takes no memory of its own, as destructors free blocks where there may be none left, and is never
// destroyed, as blocks may be freed by objects of static lifetime.
static_assert(std::is_trivially_destructible_v<IdleBlocks>);
constinit IdleBlocks idle;
// In a process that is forked while another thread holds the lock nobody would ever give it back.
[[maybe_unused]] const int handlers =
    ::pthread_atfork([] { idle.Lock(); }, [] { idle.Unlock(); }, [] { idle.Unlock(); });

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

void GiveBackPages(void* begin, size_t size) {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uint64_t first = AlignUp(address, page);
  const uint64_t last = (address + size) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

std::byte* AllocateBlock(size_t size, size_t* capacity) {
  if (size >= kFewestBytes && size <= kMostIdleBytes) {
    const Block block = idle.Take(size);
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
  idle.Put({block, capacity});
}

}  // namespace dsi::internal
