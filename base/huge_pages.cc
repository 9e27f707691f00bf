#include "dsi/base/huge_pages_internal.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "dsi/base/bytes_internal.h"

namespace dsi::internal {

// The first of `count` units that follow each other and are free; kUnits: there are none.
size_t HugePages::Region::FindFree(size_t count) const {
  const auto is_taken = [&](size_t unit) { return (taken[unit / 64] >> (unit % 64) & 1) != 0; };
  for (size_t first = 0; first + count <= kUnits;) {
    size_t end = first;  // Whole words at once.
    while (end < first + count) {
      const uint64_t word = taken[end / 64] >> (end % 64);
      if (word != 0) {
        end += static_cast<size_t>(std::countr_zero(word));
        break;
      }
      end += 64 - end % 64;
    }
    if (end >= first + count) return first;
    for (first = end; first < kUnits && is_taken(first);)
      first += static_cast<size_t>(std::countr_one(taken[first / 64] >> (first % 64)));
  }
  return kUnits;
}

void HugePages::Region::Mark(size_t first, size_t count, bool is_taken) {
  for (size_t unit = first; unit < first + count; ++unit) {
    taken[unit / 64] ^= uint64_t{1} << (unit % 64);
    by_page[unit / kUnitsOfPage] += is_taken ? 1 : UINT32_MAX;
  }
  units += is_taken ? count : -count;
}

std::byte* HugePages::NewRegion() {
  void* const memory = ::mmap(nullptr, kRegionBytes + kPage, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const size_t before = AlignUp(begin, kPage) - begin;
  auto* const region = static_cast<std::byte*>(memory) + before;
  if (before != 0) ::munmap(memory, before);
  if (before != kPage) ::munmap(region + kRegionBytes, kPage - before);
#ifdef MADV_HUGEPAGE
  // A hint: a system that refuses it serves small pages.
  ::madvise(region, kRegionBytes, MADV_HUGEPAGE);
#endif
  return region;
}

std::byte* HugePages::Take(size_t size) {
  const size_t units = size / kUnit;
  for (size_t i = 0; i < kMostRegions; ++i) {
    Region& region = regions_[i];
    if (i == num_regions_) {
      region.bytes = NewRegion();
      if (region.bytes == nullptr) return nullptr;
      ++num_regions_;
    }
    if (kUnits - region.units < units) continue;
    const size_t first = region.FindFree(units);
    if (first == kUnits) continue;
    region.Mark(first, units, true);
    for (size_t page = first / kUnitsOfPage; page <= (first + units - 1) / kUnitsOfPage; ++page)
      num_idle_ -= std::exchange(region.is_idle[page], false) ? 1 : 0;
    return region.bytes + first * kUnit;
  }
  return nullptr;
}

bool HugePages::Give(std::byte* block, size_t size) {
  const auto regions_end = regions_.begin() + num_regions_;
  const auto region = std::find_if(regions_.begin(), regions_end, [&](const Region& one) {
    return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(one.bytes) <
           kRegionBytes;
  });
  if (region == regions_end) return false;
  const auto first = static_cast<size_t>(block - region->bytes) / kUnit;
  const size_t units = size / kUnit;
  region->Mark(first, units, false);
  for (size_t page = first / kUnitsOfPage; page <= (first + units - 1) / kUnitsOfPage; ++page) {
    if (region->by_page[page] == 0) num_idle_ += std::exchange(region->is_idle[page], true) ? 0 : 1;
  }
  if (idle_bytes() > kMostIdle) Shrink();
  return true;
}

void HugePages::Shrink() {
  size_t kept = 0;
  for (size_t i = 0; i < num_regions_; ++i) {
    Region& region = regions_[i];
    if (region.units == 0) {
      ::munmap(region.bytes, kRegionBytes);
      region = {};
      continue;
    }
    for (size_t page = 0; page < kPages; ++page) {
      if (std::exchange(region.is_idle[page], false))
        ::madvise(region.bytes + page * kPage, kPage, MADV_DONTNEED);
    }
    if (kept != i) regions_[kept] = std::exchange(region, {});
    ++kept;
  }
  num_regions_ = kept;
  num_idle_ = 0;
}

}  // namespace dsi::internal
