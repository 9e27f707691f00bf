// The one table of encodings. Adding one: a folder with its binding, and a row in registry.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/decode_internal.h"
#include "dsi/codecs/encode_internal.h"
#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

// Header fields that an encoding uses; the others must be zero (E-001), of flags those that are
// known (E-005). No encoding has more flags than bit 0.
inline constexpr uint8_t kUsesParam = 1;
inline constexpr uint8_t kUsesFlag = 2;
inline constexpr uint8_t kUsesAux = 4;

// Where the children of a node start in its payload, for walkers that only describe.
inline constexpr int kNoChildren = -1;
inline constexpr int kCompressedChild = -2;

struct EncodingRow {
  Encoding id;
  std::string_view name;
  uint8_t used_fields;
  int children_at;
  // Decodes a node whose frame and unused fields have been checked.
  Status (*decode)(const NodeView& node, const DecodeContext& context, std::byte* dst);
  // Appends one node; false, with nothing said about *out beyond its old size, where the plan does
  // not fit the array.
  bool (*encode)(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
                 std::vector<std::byte>* out);
  // Offers plans for an array to a choice. Null: never chosen, only asked for.
  void (*consider)(Chooser* chooser);
  // `decode` goes by DecodeContext::map; of others the values are mapped after it.
  bool knows_maps = false;
};

extern const EncodingRow kRawEncoding;
extern const EncodingRow kConstantEncoding;
extern const EncodingRow kPackedEncoding;
extern const EncodingRow kDeltaEncoding;
extern const EncodingRow kRunsEncoding;
extern const EncodingRow kDictionaryEncoding;
extern const EncodingRow kSharedDictionaryEncoding;
extern const EncodingRow kSparseEncoding;
extern const EncodingRow kSplitEncoding;
extern const EncodingRow kCompressedEncoding;
extern const EncodingRow kSkewedEncoding;
extern const EncodingRow kDecimalEncoding;

// Null for an id that this build does not know (E-005).
const EncodingRow* FindEncoding(uint8_t id);

// All rows, by ascending id.
std::span<const EncodingRow* const> EncodingTable();

}  // namespace dsi::internal
