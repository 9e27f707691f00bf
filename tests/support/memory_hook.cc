#include "dsi/tests/support/memory_hook.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>

#include "dsi/base/block_memory_internal.h"

namespace {

constexpr uint64_t kNone = UINT64_MAX;
std::atomic<uint64_t> fail_at{kNone};
std::atomic<bool> goes_on{false};
std::atomic<uint64_t> count{0};
std::atomic<bool> has_failed{false};
std::atomic<int64_t> in_use{0};
std::atomic<int64_t> at_start{0};
std::atomic<int64_t> peak{0};

std::atomic<uint64_t> num_allocations{0};
int heap_alone = 0;  // Of the thread that runs the tests.
std::optional<dsi::test::HeapAlone> failing;

bool Fails() {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  if (fail_at.load(std::memory_order_relaxed) == kNone) return false;
  const uint64_t number = count.fetch_add(1);
  const bool fails = goes_on ? number >= fail_at : number == fail_at;
  if (fails) has_failed = true;
  return fails;
}

}  // namespace

namespace dsi::test {

HeapAlone::HeapAlone() {
  if (heap_alone++ == 0) dsi::internal::TakeEachBlockFromHeap(true);
}

HeapAlone::~HeapAlone() {
  if (--heap_alone == 0) dsi::internal::TakeEachBlockFromHeap(false);
}

AllocationCount::AllocationCount() : before_(num_allocations) {}

uint64_t AllocationCount::get() const { return num_allocations - before_; }

MemoryPeak::MemoryPeak() {
  at_start = in_use.load();
  peak = in_use.load();
}

uint64_t MemoryPeak::bytes() const { return static_cast<uint64_t>(peak - at_start); }

void FailAllocation(uint64_t number, bool for_ever) {
  failing.emplace();
  count = 0;
  has_failed = false;
  goes_on = for_ever;
  fail_at = number;
}

bool EndFailures() {
  fail_at = kNone;
  failing.reset();
  return has_failed;
}

}  // namespace dsi::test

#if !defined(__has_feature)
#define __has_feature(feature) 0  // Clang's.
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

bool dsi::test::MeasuresMemory() { return false; }

void* operator new(size_t size) {
  void* const block = Fails() ? nullptr : std::malloc(size != 0 ? size : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Fails() ? nullptr : std::malloc(size != 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }

#else

bool dsi::test::MeasuresMemory() { return true; }

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

static void* Counted(void* block) {
  if (block == nullptr) return nullptr;
  const auto size = static_cast<int64_t>(malloc_usable_size(block));
  const int64_t now = in_use.fetch_add(size, std::memory_order_relaxed) + size;
  int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return block;
}
static void Uncount(void* block) {
  if (block != nullptr)
    in_use.fetch_sub(static_cast<int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
}
static void* OutOfMemory() {
  errno = ENOMEM;
  return nullptr;
}

void* malloc(size_t size) { return Fails() ? OutOfMemory() : Counted(__libc_malloc(size)); }
void* calloc(size_t n, size_t size) {
  return Fails() ? OutOfMemory() : Counted(__libc_calloc(n, size));
}
void* realloc(void* block, size_t size) {
  if (Fails()) return OutOfMemory();
  Uncount(block);
  void* const moved = __libc_realloc(block, size);
  if (moved == nullptr && size != 0) Counted(block);
  return Counted(moved);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? OutOfMemory() : Counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = Fails() ? nullptr : Counted(__libc_memalign(alignment, size));
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  Uncount(block);
  __libc_free(block);
}
}

#endif
