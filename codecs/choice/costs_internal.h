// What decoding costs, for choices between encodings. Measured once on one machine and shipped as
// constants: a choice must not depend on the machine that writes (equal input gives equal bytes).
#pragma once

#include <array>
#include <cstddef>

#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

struct DecodeRate {
  double ns_per_value;  // Whatever the width.
  double ns_per_byte;   // Of values that come out.
};

// By encoding id; the children of a node are counted on their own.
inline constexpr auto kDecodeRates = std::to_array<DecodeRate>({
    {0.00, 0.02},  // Raw.
    {0.00, 0.02},  // Constant.
    {0.02, 0.02},  // Packed.
    {0.30, 0.02},  // Delta.
    {0.10, 0.04},  // Runs; each run adds to it in the children.
    {0.30, 0.03},  // Dictionary.
    {0.30, 0.03},  // Shared dictionary.
    {0.00, 0.00},  // Reserved.
    {0.02, 0.03},  // Sparse.
    {0.05, 0.03},  // Split.
    {0.00, 0.00},  // Reserved.
    {0.00, 0.00},  // Compressed: see below.
    {0.22, 0.04},  // Skewed.
    {0.00, 0.09},  // Decimal: the division.
});

// Decompression costs by what goes in (literals, headers of matches) and by what comes out
// (copies): long matches are nearly free.
struct DecompressRate {
  double ns_per_stored_byte;
  double ns_per_raw_byte;
};
inline constexpr DecompressRate kZstdRate = {1.00, 0.20};
inline constexpr DecompressRate kLz4Rate = {0.30, 0.10};
// A node costs this much before its first value: checks, dispatch, buffers.
inline constexpr double kNodeNs = 20.0;

}  // namespace dsi::internal
