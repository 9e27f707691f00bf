#include "dsi/tests/writer/failing_memory.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr uint64_t kNone = UINT64_MAX;
std::atomic<uint64_t> fail_at{kNone};
std::atomic<bool> goes_on{false};
std::atomic<uint64_t> count{0};
std::atomic<bool> has_failed{false};

bool Fails() {
  if (fail_at.load(std::memory_order_relaxed) == kNone) return false;
  const uint64_t number = count.fetch_add(1);
  const bool fails = goes_on ? number >= fail_at : number == fail_at;
  if (fails) has_failed = true;
  return fails;
}

}  // namespace

namespace dsi::test {

void FailAllocation(uint64_t number, bool for_ever) {
  count = 0;
  has_failed = false;
  goes_on = for_ever;
  fail_at = number;
}

bool EndFailures() {
  fail_at = kNone;
  return has_failed;
}

}  // namespace dsi::test

#if !defined(__has_feature)
#define __has_feature(feature) 0  // Clang's.
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

// A sanitizer has a malloc of its own.
void* operator new(size_t size) {
  void* const p = Fails() ? nullptr : std::malloc(size != 0 ? size : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Fails() ? nullptr : std::malloc(size != 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }

#else

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static void* OutOfMemory() {
  errno = ENOMEM;
  return nullptr;
}

void* malloc(size_t size) { return Fails() ? OutOfMemory() : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return Fails() ? OutOfMemory() : __libc_calloc(n, size); }
void* realloc(void* block, size_t size) {
  return Fails() ? OutOfMemory() : __libc_realloc(block, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? OutOfMemory() : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = Fails() ? nullptr : __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
}

#endif
