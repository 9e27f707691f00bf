// Kernel of the byte planes encoding (E-090). No checks, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// Byte k of dst[i] is planes[k][i]; width is 2, 4 or 8, and there are that many planes.
void JoinPlanes(const uint8_t* const* planes, size_t count, size_t width, std::byte* dst);

}  // namespace dsi::internal
