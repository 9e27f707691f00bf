// One stream of values -> its stream record and nodes (spec F-061), ready to be placed in pages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/writer/encode/plan_memory_internal.h"

namespace dsi::internal {

struct StreamTuning : EncodeTuning {
  bool verify = false;  // Streams are decoded again, and compared.
};

struct EncodedStream {
  StreamRecord record;  // All but the place in the file; form is kPaged where there are nodes.
  struct Node {
    std::vector<std::byte> bytes;
    uint32_t num_values = 0;
  };
  std::vector<Node> nodes;
  bool is_damaged = false;  // It was decoded again, and is not what was encoded.

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Node& node : nodes) sum += node.bytes.size();
    return sum;
  }
};

// The cost of a page as choices weigh it (bytes and decode time), by what is remembered, by what a
// stream that looks alike has, or by a new choice; that is then remembered. Encodes the page, which
// will stand below so many levels.
double PricePage(const ArrayView& page, const EncodeTuning& tuning, RememberedPlan* remembered,
                 int levels_above);

// Encodes an array page by page. A plan is chosen on the first page, unless one is remembered, and
// anew where pages since have taken much more than the one that it was chosen on, or one much less,
// or a large one looks otherwise.
// Streams of one value become constants without nodes. `larger_pages`: values per page of a stream
// that does not fit one of page_values (F-061); 0: no others.
EncodedStream EncodeStream(const ArrayView& values, uint32_t page_values,
                           const StreamTuning& tuning, RememberedPlan* remembered,
                           uint32_t larger_pages = 0);

// Values as codes into the dictionary of an id space.
struct CodedIds {
  std::span<const uint32_t> codes;
  uint32_t literal = 0;  // The code of what is not in the dictionary: its number of entries.
  ArrayView literals;    // What is not, in order; its width is that of the values.
};

// Encodes codes into the dictionary of an id space (E-051), page by page, codes and literals each
// by what is remembered of them, as above.
EncodedStream EncodeCodeStream(const CodedIds& ids, uint32_t page_values,
                               const StreamTuning& tuning, RememberedPlan* codes_plan,
                               RememberedPlan* literals_plan);

}  // namespace dsi::internal
