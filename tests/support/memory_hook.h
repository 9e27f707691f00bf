// The memory of this test program: how much is in use, and allocations that fail on demand.
#pragma once

#include <cstdint>

namespace dsi::test {

// False in sanitized builds, whose allocator is their own: nothing is measured there, and only
// allocations of C++ fail.
bool MeasuresMemory();

// Allocations so far, those of C alone left out in sanitized builds.
uint64_t NumAllocations();

// From here on the greatest number of bytes in use, above those in use now.
void StartPeak();
uint64_t PeakBytes();

// From here on allocations are counted, those of all threads together; the one with this number,
// from 0, fails, and where `for_ever` all after it. Nothing of gtest may be called until it ends.
void FailAllocation(uint64_t number, bool for_ever);
// Ends that. Returns whether an allocation has failed.
bool EndFailures();

}  // namespace dsi::test
