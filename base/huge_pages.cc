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
  for (size_t unit = first; unit < first + count; ++unit)
    taken[unit / 64] ^= uint64_t{1} << (unit % 64);
  units += is_taken ? count : -count;
}

bool HugePages::Region::HasBlocks(size_t page) const {
  constexpr size_t kWords = kUnitsOfPage / 64;
  const auto words = taken.begin() + page * kWords;
  return std::any_of(words, words + kWords, [](uint64_t word) { return word != 0; });
}

void HugePages::Hint([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#ifdef MADV_HUGEPAGE
  ::madvise(memory, size, MADV_HUGEPAGE);
#endif
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
  Hint(region, kRegionBytes);
  return region;
}

std::byte* HugePages::Take(size_t size) {
  const size_t units = size / kUnit;
  for (size_t i = 0; i < kMostRegions && size <= kRegionBytes; ++i) {
    Region& region = regions_[i];
    if (i == num_regions_) {
      region.bytes = NewRegion();
      if (region.bytes == nullptr) return nullptr;
      ++num_regions_;
    }
    if (kUnits - region.units < units || (region.too_many != 0 && units >= region.too_many))
      continue;
    const size_t first = region.FindFree(units);
    if (first == kUnits) {
      region.too_many = units;
      continue;
    }
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
  region->too_many = 0;
  for (size_t page = first / kUnitsOfPage; page <= (first + units - 1) / kUnitsOfPage; ++page) {
    if (!region->HasBlocks(page)) num_idle_ += std::exchange(region->is_idle[page], true) ? 0 : 1;
  }
  if (idle_bytes() > kMostIdle + more_idle_) Shrink();
  return true;
}

void HugePages::KeepIdle(size_t bytes) {
  more_idle_ = bytes;
  if (idle_bytes() > kMostIdle + more_idle_) Shrink();
}

void HugePages::Shrink() {
  const size_t left = (kMostIdle + more_idle_) / 4 * 3;
  for (size_t i = num_regions_; i-- > 0 && idle_bytes() > left;) {
    Region& region = regions_[i];
    for (size_t page = kPages; page-- > 0 && idle_bytes() > left;) {
      if (!std::exchange(region.is_idle[page], false)) continue;
      ::madvise(region.bytes + page * kPage, kPage, MADV_DONTNEED);
      --num_idle_;
    }
  }
  for (; num_regions_ != 0; --num_regions_) {
    Region& last = regions_[num_regions_ - 1];
    const bool has_idle =
        std::find(last.is_idle.begin(), last.is_idle.end(), true) != last.is_idle.end();
    if (last.units != 0 || has_idle || ::munmap(last.bytes, kRegionBytes) != 0) break;
    last = {};
  }
}

}  // namespace dsi::internal
