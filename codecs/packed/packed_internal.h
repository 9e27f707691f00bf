// Reading packed blocks one at a time (spec E-020 to E-022), and the sizes that a choice compares.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/codecs/node_internal.h"

namespace dsi::internal {

inline constexpr size_t kPackedBlock = 1024;

// Checks a packed node once and then unpacks block after block. The node's bytes must outlive it.
class PackedBlocks {
 public:
  // Checks every size and all padding; the values themselves can be any.
  Status Open(const NodeView& node);

  // Writes the next block, 1,024 values or the rest, to dst (aligned to the width). Not to be
  // called more often than there are blocks.
  void Unpack(std::byte* dst);

 private:
  size_t width_ = 0;
  size_t left_ = 0;                   // Values not unpacked yet.
  const std::byte* bases_ = nullptr;  // Null: all zero.
  const std::byte* bits_ = nullptr;
  const std::byte* block_ = nullptr;
};

// Payload bytes of the smallest packed node of an array, with or without bases.
size_t PackedPayload(const void* values, size_t count, int width);

}  // namespace dsi::internal
