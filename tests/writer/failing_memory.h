// Allocations that fail on demand, in this program: of C++ and, but for sanitized builds, of C too.
#pragma once

#include <cstdint>

namespace dsi::test {

// From here on allocations are counted, those of all threads together; the one with this number,
// from 0, fails, and where `for_ever` all after it. Nothing of gtest may be called until it ends.
void FailAllocation(uint64_t number, bool for_ever);

// Ends that. Returns whether an allocation has failed.
bool EndFailures();

}  // namespace dsi::test
