// Runs and new-row bits to an inverse index. Included once per Highway target.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/inverse.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dsi/dedup/left_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Stores whole vectors, so a short run costs one store; what it writes past its run, the next run
// overwrites. Where that would pass the end of the output, rows are written one by one.
RunPosition RunsToInverseKernel(const uint32_t* run_lengths, RunPosition at, uint32_t* inverse,
                                size_t num_rows) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t row = 0;
  while (row < num_rows) {
    const size_t left_in_run = run_lengths[at.run] - at.row_in_run;
    const size_t count = std::min(left_in_run, num_rows - row);
    const uint32_t unique = static_cast<uint32_t>(at.run);
    if (num_rows - row >= count + lanes) {
      const auto value = hn::Set(d, unique);
      for (size_t i = 0; i < count; i += lanes) hn::StoreU(value, d, inverse + row + i);
    } else {
      std::fill_n(inverse + row, count, unique);
    }
    row += count;
    if (count == left_in_run) {
      ++at.run;
      at.row_in_run = 0;
    } else {
      at.row_in_run += static_cast<uint32_t>(count);
    }
  }
  return at;
}

// Eight bits at a time: a multiplication makes the running counts of eight 0/1 bytes, which then
// widen to 32 bits.
uint32_t BitsToInverseKernel(const uint8_t* bits, size_t count, uint32_t ones, uint32_t* inverse) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint32_t, 8> d32;
  const hn::Rebind<uint8_t, decltype(d32)> d8;
  const size_t lanes = hn::Lanes(d32);
  for (; i + 8 <= count; i += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, bits + i, 8);
    bytes *= 0x0101010101010101ULL;
    uint8_t running[8];
    std::memcpy(running, &bytes, 8);
    const auto base = hn::Set(d32, ones - 1);
    for (size_t j = 0; j < 8; j += lanes) {
      const auto counts = hn::PromoteTo(d32, hn::LoadU(d8, running + j));
      hn::StoreU(hn::Add(counts, base), d32, inverse + i + j);
    }
    ones += static_cast<uint32_t>(bytes >> 56);
  }
#endif
  for (; i < count; ++i) {
    ones += bits[i];
    inverse[i] = ones - 1;
  }
  return ones;
}

// A vector of places is stored where the next one belongs, its wanted places in front; what it
// writes past them, the next store overwrites. No more ones than bits have been seen, so that it
// stays inside. Compressed in a register, because some CPUs take a hundred cycles to memory.
size_t OnesToPlacesKernel(const uint8_t* bits, size_t count, uint32_t first, uint32_t* places) {
  const hn::CappedTag<uint32_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const size_t lanes = hn::Lanes(d);
  size_t num_ones = 0;
  size_t i = 0;
  auto here = hn::Iota(d, first);
  for (; i + lanes <= count; i += lanes) {
    const auto bit = hn::PromoteTo(d, hn::LoadU(d8, bits + i));
    const auto is_one = hn::Ne(bit, hn::Zero(d));
    num_ones += StoreMarked(d, here, is_one, places + num_ones);
    here = hn::Add(here, hn::Set(d, static_cast<uint32_t>(lanes)));
  }
  for (; i < count; ++i) {
    if (bits[i] != 0) places[num_ones++] = first + static_cast<uint32_t>(i);
  }
  return num_ones;
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(RunsToInverseKernel);
HWY_EXPORT(BitsToInverseKernel);
HWY_EXPORT(OnesToPlacesKernel);

RunPosition RunsToInverse(std::span<const uint32_t> run_lengths, RunPosition from,
                          std::span<uint32_t> inverse) {
  return HWY_DYNAMIC_DISPATCH(RunsToInverseKernel)(run_lengths.data(), from, inverse.data(),
                                                   inverse.size());
}

uint32_t BitsToInverse(std::span<const uint8_t> bits, uint32_t ones_before, uint32_t* inverse) {
  return HWY_DYNAMIC_DISPATCH(BitsToInverseKernel)(bits.data(), bits.size(), ones_before, inverse);
}

size_t OnesToPlaces(std::span<const uint8_t> bits, uint32_t first, uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(OnesToPlacesKernel)(bits.data(), bits.size(), first, places);
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
