// How many bytes of the heap are in use, whoever took them: what a test of bounds looks at.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
// Of <sanitizer/allocator_interface.h>, which Debian's gcc does not install.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace dsi::test {

// 0: this build cannot tell (the thread sanitizer's allocator has no such figure).
inline uint64_t HeapInUse() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#elif defined(__SANITIZE_THREAD__)
  return 0;
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

// The most that was in use at any look, above what was in use when the meter was made.
class HeapMeter {
 public:
  HeapMeter() : before_(HeapInUse()) {}
  void Look() {
    const uint64_t now = HeapInUse();
    if (now > before_ && now - before_ > peak_) peak_ = now - before_;
  }
  uint64_t peak() const { return peak_; }

 private:
  uint64_t before_;
  uint64_t peak_ = 0;
};

}  // namespace dsi::test
