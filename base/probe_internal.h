// Linear probing, for hash tables with open addressing: what each keeps in a slot is its own.
#pragma once

#include <cstddef>

namespace dsi::internal {

// The first slot from `at` on, around the end, that `stop` accepts. `slots` is a power of two long,
// and one of them is accepted: a table keeps some free. The low bits of `at` count.
template <typename Slots, typename Stop>
size_t Probe(const Slots& slots, size_t at, const Stop& stop) {
  const size_t mask = slots.size() - 1;
  at &= mask;
  while (!stop(slots[at])) at = (at + 1) & mask;
  return at;
}

}  // namespace dsi::internal
