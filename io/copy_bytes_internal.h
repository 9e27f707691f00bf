// Bytes of one file as those of another.
#pragma once

#include <cstdint>

#include "dsi/base/status.h"
#include "dsi/io/file.h"

namespace dsi::internal {

// Appends the first `size` bytes of `from`, some MiB at a time.
Status CopyBytes(const RandomAccessFile& from, uint64_t size, WritableFile* to);

}  // namespace dsi::internal
