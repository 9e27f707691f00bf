// How the ranges of one call become requests: neighbours are asked for together, and what is long
// is cut so that every connection has its share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/io/file.h"

namespace dsi::internal {

// Bytes of the file one behind the other, and where they go: to one memory or several.
struct RangePiece {
  uint64_t offset = 0;
  uint64_t size = 0;
  std::vector<std::span<std::byte>> parts;
};

// Cuts no shorter than `least_bytes`, which is at least 1. Longest pieces first. Empty requests
// make none.
std::vector<RangePiece> MakePieces(std::span<const ReadRequest> requests, uint32_t connections,
                                   uint64_t least_bytes);

}  // namespace dsi::internal
