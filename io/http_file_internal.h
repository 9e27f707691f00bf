// Files behind HTTP, HTTPS and S3.
#pragma once

#include <memory>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/remote_target_internal.h"

namespace dsi::internal {

Result<std::unique_ptr<RandomAccessFile>> OpenHttpFile(RemoteTarget target);

}  // namespace dsi::internal
