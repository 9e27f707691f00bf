// What torch.set_flush_denormal(True) makes of a thread: subnormal numbers count as 0.
#pragma once

namespace dsi::test {

#if defined(__SSE2__)

inline constexpr bool kCanFlushFloats = true;

class FlushedFloats {
 public:
  FlushedFloats() : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(before_ | kFlush); }
  ~FlushedFloats() { __builtin_ia32_ldmxcsr(before_); }
  FlushedFloats(const FlushedFloats&) = delete;
  FlushedFloats& operator=(const FlushedFloats&) = delete;
  // Whether the thread still is so.
  static bool AreOn() { return (__builtin_ia32_stmxcsr() & kFlush) == kFlush; }

 private:
  static constexpr unsigned kFlush = 0x8040;  // Of results and of operands.
  unsigned before_;
};

#else

inline constexpr bool kCanFlushFloats = false;

class FlushedFloats {
 public:
  FlushedFloats() {}   // NOLINT(modernize-use-equals-default): so that no use of one is unused.
  ~FlushedFloats() {}  // NOLINT(modernize-use-equals-default)
  static bool AreOn() { return true; }
};

#endif

}  // namespace dsi::test
