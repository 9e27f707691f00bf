// Reads a child's values block by block, so that a parent combines them while they are in the
// first-level cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/codecs/decode_internal.h"
#include "dsi/codecs/packed/packed_internal.h"

namespace dsi::internal {

// Opens a node of at most depth `context.depth` and yields its values, 1,024 at a time. Raw values
// are read in place, packed ones unpacked one block at a time, others decoded at once into a
// borrowed buffer; a compressed node is opened like the node inside it. The bytes of the node must
// outlive the reader.
class BlockReader {
 public:
  explicit BlockReader(DecodeScratch::State* scratch) : decompressed_(scratch), decoded_(scratch) {}

  // `context.depth` is that of this node.
  Status Open(const NodeView& node, const DecodeContext& context);

  // Values of the node's width, aligned to it: the next 1,024 or the rest. Valid until the next
  // call.
  const std::byte* Next(size_t* count);

 private:
  BorrowedBuffer decompressed_;
  BorrowedBuffer decoded_;
  const std::byte* whole_ = nullptr;
  PackedBlocks packed_;
  std::byte* block_ = nullptr;
  int width_ = 0;
  size_t count_ = 0;
  size_t done_ = 0;
};

// All values of a node as an array aligned to their width: in place where they lie raw, else in
// `buffer`.
class ArrayReader {
 public:
  explicit ArrayReader(DecodeScratch::State* scratch)
      : decompressed_(scratch), decoded_(scratch), mapped_(scratch) {}
  Status Open(const NodeView& node, const DecodeContext& context);
  const std::byte* values() const { return values_; }
  // From now on what it makes of the values; null: nothing else.
  void Map(const ValueMap* map);

 private:
  BorrowedBuffer decompressed_;
  BorrowedBuffer decoded_;
  BorrowedBuffer mapped_;
  const std::byte* values_ = nullptr;
  size_t count_ = 0;
};

// The most entries that codes may stand for, literals being one of them (E-050, E-051).
inline constexpr size_t kMostEntries = size_t{1} << 31;

// Decodes codes of any width up to 4 into u32, each checked to be below `limit` (E-050, E-051).
Status DecodeCodes(const NodeView& codes, size_t limit, const DecodeContext& context,
                   uint32_t* dst);

// What codes stand for: a code below `count` for that entry; `count` itself, where there are
// literals, for the next of those. Entries and literals have `width` bytes and are aligned to it.
struct CodedValues {
  const void* entries = nullptr;
  size_t count = 0;
  size_t width = 0;
  const void* literals = nullptr;
  size_t num_literals = 0;  // All of which the codes have to use.
};

// Decodes codes and writes the value of each; no code is followed before it has been checked
// (E-050, E-051).
Status DecodeThroughDictionary(const NodeView& codes, const DecodeContext& context,
                               const CodedValues& values, std::byte* dst);

}  // namespace dsi::internal
