// CRC-32C (Castagnoli), as the framing of TFRecord has it.
#pragma once

#include <cstdint>
#include <string_view>

namespace dsi::internal {

uint32_t Crc32c(std::string_view bytes);

// As TFRecord stores it: rotated and moved, so that a checksum of bytes with checksums in them is
// none of a kind.
inline uint32_t MaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

}  // namespace dsi::internal
