#include "dsi/format/seal_internal.h"

#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace dsi::internal {
namespace {

uint64_t Hash(const void* data, size_t size, uint64_t seed) {
#if defined(__x86_64__)
  return XXH3_64bits_withSeed_dispatch(data, size, seed);
#else
  return XXH3_64bits_withSeed(data, size, seed);
#endif
}

}  // namespace

uint64_t Seal(std::span<const std::byte> bytes, SealKind kind, uint64_t offset, uint64_t salt) {
  // F-010: header and trailer hold the salt among their bytes and are sealed without it.
  const bool outer = kind == SealKind::kHeader || kind == SealKind::kTrailer;
  const uint64_t seed =
      (outer ? 0 : salt) ^ (offset * 0x9E3779B97F4A7C15ULL) ^ (static_cast<uint64_t>(kind) << 56);
  return Hash(bytes.data(), bytes.size(), seed);
}

uint64_t NameHash(std::string_view name) { return Hash(name.data(), name.size(), 0); }

}  // namespace dsi::internal
