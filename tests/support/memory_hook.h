// The memory of this test program: how much is in use, and allocations that fail on demand.
#pragma once

#include <cstdint>

namespace dsi::test {

// False in sanitized builds, whose allocator is their own: nothing is measured there, and only
// allocations of C++ fail.
bool MeasuresMemory();

// While one lives, buffers of scans are no parts of shared pages, which nobody sees here; those
// that wait for use are taken again.
class HeapAlone {
 public:
  HeapAlone();
  ~HeapAlone();
  HeapAlone(const HeapAlone&) = delete;
  HeapAlone& operator=(const HeapAlone&) = delete;
};

// Allocations since it was made, those of C alone left out in sanitized builds.
class AllocationCount {
 public:
  AllocationCount();
  uint64_t get() const;

 private:
  HeapAlone heap_;
  uint64_t before_;
};

// The greatest number of bytes in use since it was made, above those in use then. One at a time.
class MemoryPeak {
 public:
  MemoryPeak();
  uint64_t bytes() const;

 private:
  HeapAlone heap_;
};

// From here on allocations are counted, those of all threads together; the one with this number,
// from 0, fails, and where `for_ever` all after it. Nothing of gtest may be called until it ends.
void FailAllocation(uint64_t number, bool for_ever);
// Ends that. Returns whether an allocation has failed.
bool EndFailures();

}  // namespace dsi::test
