// A seed for hash tables and hashes that no input can have been made for.
#pragma once

#include <cstdint>
#include <random>

namespace dsi::internal {

inline uint64_t RandomSeed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace dsi::internal
