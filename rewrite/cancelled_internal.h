// What a call returns that its caller has stopped.
#pragma once

#include "dsi/base/error_internal.h"

namespace dsi::internal {

inline Status CancelledByProgress() {
  return Error(StatusCode::kCancelled, "cancelled by the progress callback");
}

}  // namespace dsi::internal
