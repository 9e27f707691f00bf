// Writes messages tf.Example and their framing, for tests and seeds of fuzz targets.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/text/lines/crc32c_internal.h"

namespace dsi::test {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string Delimited(uint32_t number, std::string_view bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}
template <typename Number>
std::string Little(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}
inline std::string IntList(const std::vector<int64_t>& values, bool packed = true) {
  std::string list;
  for (const int64_t value : values)
    list += (packed ? "" : Varint(1 << 3)) + Varint(static_cast<uint64_t>(value));
  return Delimited(3, packed ? Delimited(1, list) : list);
}
inline std::string FloatList(const std::vector<float>& values, bool packed = true) {
  std::string list;
  for (const float value : values) list += (packed ? "" : Varint(1 << 3 | 5)) + Little(value);
  return Delimited(2, packed ? Delimited(1, list) : list);
}
inline std::string BytesList(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += Delimited(1, value);
  return Delimited(1, list);
}
// An entry of the map; `feature` is a list or empty.
inline std::string Entry(std::string_view name, std::string_view feature) {
  return Delimited(1, Delimited(1, name) + Delimited(2, feature));
}
inline std::string Example(std::string_view entries) { return Delimited(1, entries); }
inline std::string Record(std::string_view bytes) {
  const std::string length = Little<uint64_t>(bytes.size());
  return length + Little(internal::MaskedCrc32c(length)) + std::string(bytes) +
         Little(internal::MaskedCrc32c(bytes));
}

}  // namespace dsi::test
