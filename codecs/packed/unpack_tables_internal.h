// The four tables of unpack kernels, each compiled in a file of its own.
#pragma once

#include "dsi/codecs/packed/kernels_internal.h"

namespace dsi::internal {

const UnpackBlockFn* BestUnpackTableU8();
const UnpackBlockFn* BestUnpackTableU16();
const UnpackBlockFn* BestUnpackTableU32();
const UnpackBlockFn* BestUnpackTableU64();

}  // namespace dsi::internal
