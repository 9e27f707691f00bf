// What a binding needs to encode the children of its node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/node_internal.h"

namespace dsi::internal {

// An array as its different values and, for each place, the number of the one that stands there.
template <typename T>
struct CodedArray {
  std::vector<T> entries;
  std::vector<uint32_t> codes;
};

// Lives as long as an ArrayEncoder. `depth` is that of the node being written; the outermost is 1
// (E-003).
struct EncodeContext {
  explicit EncodeContext(const EncodeTuning& the_tuning, int levels_above = 0,
                         const ArrayView& the_array = {})
      : tuning(the_tuning), array(the_array), top(levels_above + 1), depth(levels_above) {}

  // Whether this is the array that the encoder was made for, of which things are kept.
  bool IsOutermost(const ArrayView& other) const {
    return other.values == array.values && other.count == array.count && other.width == array.width;
  }

  const EncodeTuning& tuning;
  const ArrayView array;
  // The outermost array by ascending entries, once a dictionary was thought of.
  std::variant<std::monostate, CodedArray<uint8_t>, CodedArray<uint16_t>, CodedArray<uint32_t>,
               CodedArray<uint64_t>>
      coded;
  FrameEncoder frames;
  const int top;  // Level of the node that is asked for.
  int depth;
  EncodeOutcome outcome;
};

// Appends one node, one level below the node that is being written. Follows the plan where it fits
// the array and does not cost more than raw values; else chooses anew; raw values at worst.
void EncodeArray(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
                 std::vector<std::byte>* out);

// As above for child `index` of a plan, or a fresh choice where the plan has no such child.
void EncodeChild(const ArrayView& array, const EncodePlan& parent, size_t index,
                 EncodeContext* context, std::vector<std::byte>* out);

}  // namespace dsi::internal
