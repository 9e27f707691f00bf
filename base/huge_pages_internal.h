// Blocks of less than a few megabytes side by side in the system's huge pages.
//
// A window of rows that are mixed lies in some hundred buffers of half a megabyte, and nearly every
// row that is looked up there is on another page: in pages of 4 KiB each costs a walk through the
// page tables beside the miss itself. Blocks are cut from regions of 32 MiB, which are asked for as
// huge pages of 2 MiB, at the lowest place that is free: mostly where one lay that was given back.
// A page of which one block is left stays whole. Where the system's huge pages are larger, as on
// machines with pages of 64 KiB, there is nothing to gain. Takes no memory but the regions. Thread
// safety: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dsi::internal {

class HugePages {
 public:
  static constexpr size_t kPage = size_t{2} << 20;
  static constexpr size_t kUnit = 4096;  // Blocks are whole units.

  // Pages without blocks stay up to so many bytes, and those of KeepIdle; what is beyond goes back
  // to the system, and a quarter besides, the highest first.
  static constexpr size_t kMostIdle = size_t{96} << 20;

  // Of a multiple of kUnit bytes. Null: no memory, as many regions as there may be, or more than a
  // region.
  std::byte* Take(size_t size);
  // False: the block is not of here.
  bool Give(std::byte* block, size_t size);

  // So many bytes besides kMostIdle.
  void KeepIdle(size_t bytes);

  // Asks for huge pages there. A hint: a system that refuses it serves small ones.
  static void Hint(void* memory, size_t size);

  size_t num_regions() const { return num_regions_; }
  size_t idle_bytes() const { return num_idle_ * kPage; }

 private:
  static constexpr size_t kRegionBytes = size_t{32} << 20;
  static constexpr size_t kMostRegions = 1024;
  static constexpr size_t kUnits = kRegionBytes / kUnit;
  static constexpr size_t kUnitsOfPage = kPage / kUnit;
  static constexpr size_t kPages = kRegionBytes / kPage;

  struct Region {
    std::byte* bytes = nullptr;
    std::array<uint64_t, kUnits / 64> taken = {};  // A bit for each unit.
    std::array<bool, kPages> is_idle = {};         // Without blocks, but not with the system.
    size_t units = 0;                              // Taken.
    size_t too_many = 0;                           // So many together are not free; 0: unknown.

    size_t FindFree(size_t count) const;
    void Mark(size_t first, size_t count, bool is_taken);
    bool HasBlocks(size_t page) const;
  };

  static std::byte* NewRegion();
  void Shrink();

  size_t more_idle_ = 0;  // Bytes, than kMostIdle.
  size_t num_idle_ = 0;
  std::array<Region, kMostRegions> regions_ = {};
  size_t num_regions_ = 0;
};

}  // namespace dsi::internal
