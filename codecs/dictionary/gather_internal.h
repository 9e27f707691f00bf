// Kernels that follow codes into a dictionary. No checks, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::internal {

// The largest of count >= 1 codes of 1, 2 or 4 bytes, aligned to their width.
uint32_t LargestCode(const std::byte* codes, size_t code_width, size_t count);

// Writes entries[code] for each code. Every code is below the number of entries and below 2^31; all
// pointers are aligned to their width.
void Gather(const void* entries, size_t width, const std::byte* codes, size_t code_width,
            size_t count, std::byte* out);

// How many codes equal `sought`.
size_t CountCode(const std::byte* codes, size_t code_width, size_t count, uint32_t sought);

// As Gather, but the code `literal` stands for the next of `literals`, all `num_literals` of
// which can be read. There is an entry 0.
void GatherOrNext(const void* entries, const void* literals, size_t num_literals, size_t width,
                  const std::byte* codes, size_t code_width, uint32_t literal, size_t count,
                  std::byte* out);

}  // namespace dsi::internal
