// XXH3 with the widest vectors that the CPU has, where libxxhash was built to find that out.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(DSI_XXHASH_HAS_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace dsi::internal {

#if defined(DSI_XXHASH_HAS_DISPATCH)
// libxxhash 0.8.1 returns from its AVX2 and AVX-512 paths with the upper halves of the vector
// registers dirty, after which every switch between SSE and AVX code costs about 60 ns, until
// somebody clears them.
__attribute__((target("avx"))) inline void ClearUpperHalves() { __builtin_ia32_vzeroupper(); }
#endif

inline uint64_t Xxh3(const void* data, size_t size, uint64_t seed) {
#if defined(DSI_XXHASH_HAS_DISPATCH)
  constexpr size_t kShort = 240;  // Up to here XXH3 uses no vectors.
  const uint64_t hash = XXH3_64bits_withSeed_dispatch(data, size, seed);
  if (size > kShort && __builtin_cpu_supports("avx2")) ClearUpperHalves();
  return hash;
#else
  return XXH3_64bits_withSeed(data, size, seed);
#endif
}

}  // namespace dsi::internal
