#include "dsi/text/lines/crc32c_internal.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace dsi::internal {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Its bits from the lowest power on.
constexpr size_t kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b]: what byte b does to the sum k bytes later.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < kSlices; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();
static_assert(std::endian::native == std::endian::little);

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < kSlices; ++k) crc ^= kTables[kSlices - 1 - k][word >> (8 * k) & 0xff];
  }
  for (const char c : bytes) crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<uint8_t>(c)) & 0xff];
  return crc ^ 0xffffffff;
}

}  // namespace dsi::internal
