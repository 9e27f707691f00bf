// What every file with SIMD code includes before Highway: the policy of targets, and the switch
// that tests use.
//
// Highway compiles a kernel once per target and picks one at run time. The fallback without SIMD is
// always among the compiled targets (HWY_COMPILE_ALL_ATTAINABLE), whatever the compiler's baseline,
// so that tests can compare it with every other target on one machine.
#pragma once

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#include <cstdint>
#include <vector>

namespace dsi::internal {

// Targets that this CPU can run, best first, as Highway's bits. The fallback is the last one.
std::vector<int64_t> RunnableSimdTargets();

// The name of a target, such as "AVX3".
const char* SimdTargetName(int64_t target);

// Restricts dispatch of the whole process to one target; 0 lifts the restriction. For tests and
// benchmarks only: no other thread may run a kernel meanwhile.
void ForceSimdTarget(int64_t target);

// The target whose kernels run now.
int64_t ChosenSimdTarget();

}  // namespace dsi::internal
