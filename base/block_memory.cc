#include "dsi/base/block_memory_internal.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <type_traits>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/huge_pages_internal.h"
#include "dsi/base/idle_memory_internal.h"

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
constexpr size_t kFewestHugeBytes = 2 * HugePages::kPage;

constinit std::atomic<bool> of_heap_alone = false;

size_t AlignmentOf(uint64_t size) {
  if (SharesHugePages(size)) return HugePages::kUnit;
  return size > kFewestHugeBytes - HugePages::kUnit ? HugePages::kPage : 64;
}

struct Block {
  std::byte* bytes;
  size_t capacity;
};

class Blocks {
 public:
  // Null bytes: no memory.
  Block Take(size_t size) {
    if (SharesHugePages(size) && !of_heap_alone) {
      const std::lock_guard lock(mutex_);
      const size_t capacity = BlockBytes(size);
      if (std::byte* const block = pages_.Take(capacity); block != nullptr)
        return {block, capacity};
    } else if (size >= kFewestBytes) {
      const std::lock_guard lock(mutex_);
      if (const Block idle = TakeIdle(size); idle.bytes != nullptr) return idle;
    }
    return NewBlock(size);
  }

  void Give(Block block) {
    if (block.capacity < kFewestBytes) return std::free(block.bytes);
    const std::lock_guard lock(mutex_);
    if (pages_.Give(block.bytes, block.capacity)) return;
    if ((SharesHugePages(block.capacity) && !of_heap_alone) ||
        block.capacity > kMostIdleBytes + more_bytes_)
      return std::free(block.bytes);
    MakeRoom(block.capacity);
    if (count_ == kMostIdleBlocks) std::free(Remove(0).bytes);
    idle_[count_++] = block;
    bytes_ += block.capacity;
  }

  // From now on so many bytes more wait, or fewer.
  void Change(uint64_t before, uint64_t after) {
    if (kMostIdleBytes == 0) return;
    const std::lock_guard lock(mutex_);
    more_bytes_ = more_bytes_ - std::min<uint64_t>(before, more_bytes_) + after;
    MakeRoom(0);
    pages_.KeepIdle(more_bytes_);
  }

  // What other threads kept: they are not in this process. The lock is held.
  void ForgetMore() {
    more_bytes_ = 0;
    pages_.KeepIdle(0);
  }

  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

 private:
  // The oldest go.
  void MakeRoom(size_t capacity) {
    while (count_ != 0 && bytes_ + capacity > kMostIdleBytes + more_bytes_)
      std::free(Remove(0).bytes);
  }

  // The smallest that is large enough and not much larger; null bytes: none.
  Block TakeIdle(size_t size) {
    size_t best = count_;
    for (size_t i = 0; i < count_; ++i) {
      const size_t capacity = idle_[i].capacity;
      if (capacity < size || capacity / 2 > size) continue;
      if (best == count_ || capacity < idle_[best].capacity) best = i;
    }
    if (best == count_) return {nullptr, 0};
    return Remove(best);
  }

  // Large blocks ask for the system's large pages: a batch of a few megabytes is written from end
  // to end, over and over.
  static Block NewBlock(size_t size) {
    const size_t capacity = BlockBytes(size);
    void* const block = std::aligned_alloc(AlignmentOf(size), capacity);
    if (block != nullptr && capacity >= kFewestHugeBytes) HugePages::Hint(block, capacity);
    return {static_cast<std::byte*>(block), capacity};
  }

  Block Remove(size_t i) {
    const Block block = idle_[i];
    std::copy(idle_.begin() + i + 1, idle_.begin() + count_, idle_.begin() + i);
    --count_;
    bytes_ -= block.capacity;
    return block;
  }

  std::mutex mutex_;
  HugePages pages_;
  std::array<Block, kMostIdleBlocks> idle_{};  // The oldest first.
  size_t count_ = 0;
  size_t bytes_ = 0;
  size_t more_bytes_ = 0;  // Than kMostIdleBytes may wait.
};

// Takes no memory of its own, as destructors free blocks where there may be none left, and is never
// destroyed, as blocks may be freed by objects of static lifetime.
static_assert(std::is_trivially_destructible_v<Blocks>);
constinit Blocks blocks;
// In a process that is forked while another thread holds the lock nobody would ever give it back.
[[maybe_unused]] const int handlers =
    ::pthread_atfork([] { blocks.Lock(); }, [] { blocks.Unlock(); },
                     [] {
                       blocks.ForgetMore();
                       blocks.Unlock();
                     });

}  // namespace

bool SharesHugePages(uint64_t size) {
  // A sanitizer would see no borders between them. With whole units they are still below the limit.
  return kMostIdleBytes != 0 && size >= kFewestBytes && size <= kFewestHugeBytes - HugePages::kUnit;
}

void TakeEachBlockFromHeap(bool does) { of_heap_alone = does; }

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
  const Block block = blocks.Take(size);
  *capacity = block.capacity;
  return block.bytes;
}

void IdleMemory::Set(uint64_t bytes) { blocks.Change(std::exchange(bytes_, bytes), bytes); }

void FreeBlock(std::byte* block, size_t capacity) {
  if (block != nullptr) blocks.Give({block, capacity});
}

}  // namespace dsi::internal
