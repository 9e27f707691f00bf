// A scan that can be cancelled while it waits.
#pragma once

#include <functional>
#include <memory>

#include "dsi/reader/scan.h"

namespace dsi::internal {

class CancellableScan {
 public:
  // What `make` makes, whose threads, and who calls Next, look at whether it is cancelled.
  static Result<std::unique_ptr<Scan>> Make(
      const std::function<Result<std::unique_ptr<Scan>>()>& make);
};

}  // namespace dsi::internal
