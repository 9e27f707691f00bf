#include "dsi/format/seal_internal.h"

#include "dsi/base/xxh3_internal.h"

namespace dsi::internal {

uint64_t Seal(std::span<const std::byte> bytes, SealKind kind, uint64_t offset, uint64_t salt) {
  // F-010: header and trailer hold the salt among their bytes and are sealed without it.
  const bool outer = kind == SealKind::kHeader || kind == SealKind::kTrailer;
  const uint64_t seed =
      (outer ? 0 : salt) ^ (offset * 0x9E3779B97F4A7C15ULL) ^ (static_cast<uint64_t>(kind) << 56);
  return Xxh3(bytes.data(), bytes.size(), seed);
}

uint64_t NameHash(std::string_view name) { return Xxh3(name.data(), name.size(), 0); }

}  // namespace dsi::internal
