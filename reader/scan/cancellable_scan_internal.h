// A scan that can be cancelled while it waits.
#pragma once

#include <functional>
#include <memory>

#include "dsi/reader/scan.h"

namespace dsi::internal {

// What `make` makes; its threads, and who calls Next, look at whether it is cancelled.
Result<std::unique_ptr<Scan>> MakeCancellableScan(
    const std::function<Result<std::unique_ptr<Scan>>()>& make);

}  // namespace dsi::internal
