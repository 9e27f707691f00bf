// Floats as IEEE 754 has them, whatever the program made of its thread: rounded to nearest even,
// with subnormal numbers. What a thread starts has the mode of the thread, so that it is enough to
// hold one of these where a call comes in.
//
//   const DefaultFloats floats;
//
// Thread safety: of one thread, which makes and destroys it.
#pragma once

#include <cstdint>

namespace dsi::internal {

class DefaultFloats {
 public:
  DefaultFloats() : before_(Mode()) {
    if (before_ != Default(before_)) SetMode(Default(before_));
  }
  ~DefaultFloats() {
    if (before_ != Default(before_)) SetMode(before_);
  }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
#if defined(__SSE2__)
  // MXCSR: flags of exceptions, which stay, below the bits that say what is done.
  static uint64_t Mode() { return __builtin_ia32_stmxcsr(); }
  static uint64_t Default(uint64_t mode) { return (mode & 0x3F) | 0x1F80; }
  static void SetMode(uint64_t mode) {
    asm volatile("" ::: "memory");  // No arithmetic on memory moves across.
    __builtin_ia32_ldmxcsr(static_cast<uint32_t>(mode));
    asm volatile("" ::: "memory");
  }
#elif defined(__aarch64__)
  // FPCR.
  static uint64_t Mode() {
    uint64_t mode = 0;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static uint64_t Default(uint64_t /*mode*/) { return 0; }
  static void SetMode(uint64_t mode) { asm volatile("msr fpcr, %0" ::"r"(mode) : "memory"); }
#else
  static uint64_t Mode() { return 0; }
  static uint64_t Default(uint64_t mode) { return mode; }
  static void SetMode(uint64_t /*mode*/) {}
#endif

  const uint64_t before_;
};

}  // namespace dsi::internal
