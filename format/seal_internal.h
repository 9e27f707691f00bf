// Seals: checksums that know their place (spec F-010).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dsi::internal {

enum class SealKind : uint8_t {
  kHeader = 1,
  kPage = 2,
  kTableBlock = 3,
  kTableSeals = 4,
  kSection = 5,
  kCore = 6,
  kTrailer = 7,
};

// XXH3-64 of the bytes with a seed made of the file's salt, the kind and the file offset. One pass
// at memory speed.
uint64_t Seal(std::span<const std::byte> bytes, SealKind kind, uint64_t offset, uint64_t salt);

// XXH3-64 of a name with seed 0 (spec F-070, F-072).
uint64_t NameHash(std::string_view name);

}  // namespace dsi::internal
