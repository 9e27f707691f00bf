// Every allocation of a piece of work failing in turn. Only in programs that link memory_hook.cc.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "dsi/base/status.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {

// Calls `work`, which makes what it needs anew, with each of its allocations failing. Steps grow
// where there are very many.
inline void FailEach(const char* what, const std::function<Status()>& work) {
  for (const bool for_ever : {false, true}) {
    bool failed = true;
    for (uint64_t number = 0; failed; number += 1 + number / 50) {
      FailAllocation(number, for_ever);
      const Status status = work();
      failed = EndFailures();
      if (!failed) {
        EXPECT_TRUE(status.ok()) << what << ": " << status.ToString();
      } else if (!status.ok()) {
        EXPECT_EQ(status.code(), StatusCode::kResourceExhausted)
            << what << ", allocation " << number << ": " << status.ToString();
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace dsi::test
