// Blocks of memory for buffers that live as long as a scan or a batch.
//
// Memory that is fresh from the system costs a page fault for every 4 KiB, a quarter of the time of
// a short scan, and rows that are looked up in any order a walk through the page tables each. So
// blocks of 64 KiB and more lie in huge pages: below 4 MiB side by side (`HugePages`), others
// alone. What is given back waits for the next scan of the process, 96 MiB of either kind at most,
// or more for a while (idle_memory_internal.h).
// Thread safety: any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// What a new block of `size` bytes takes; what is charged to a budget for one.
uint64_t BlockBytes(uint64_t size);

// Blocks of this size lie beside others in huge pages, and are given back as BlockBytes(size)
// bytes.
bool SharesHugePages(uint64_t size);

// For tests that count allocations or let them fail: whether new blocks come from the heap each.
void TakeEachBlockFromHeap(bool does);

// At least `size` bytes aligned to 64, contents undefined; null: no memory. *capacity receives how
// many there are, to be handed back with them.
std::byte* AllocateBlock(size_t size, size_t* capacity);

// Gives the whole pages among these bytes back to the system; they stay allocated, and their
// contents are lost.
void GiveBackPages(void* begin, size_t size);

// `block` null: nothing.
void FreeBlock(std::byte* block, size_t capacity);

}  // namespace dsi::internal
