// Shared dictionary: a child with codes into the dictionary stream of the stripe, and a child with
// the values that are not in there (E-051).
#include "dsi/codecs/shared_dictionary/shared_dictionary_internal.h"

#include <algorithm>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  if (context.depth != 1) return Corrupt("shared dictionary: inside another node (E-051)");
  const SharedDictionary& dictionary = *context.dictionary;
  if (dictionary.width == 0) return Corrupt("shared dictionary: the column has none (E-051)");
  if (dictionary.width != node.width) {
    return Corrupt("shared dictionary: values of width {}, the dictionary has {} (E-051)",
                   node.width, dictionary.width);
  }
  DSI_ASSIGN_OR_RETURN(const SharedChildren children, FindSharedChildren(node, dictionary.count));
  const bool is_mapped = context.map != nullptr && dictionary.mapped != nullptr;
  if (context.map != nullptr && !is_mapped) return DecodeThenMap(node, context, dst);
  CodedValues values = {.entries = is_mapped ? dictionary.mapped : dictionary.values,
                        .count = dictionary.count,
                        .width = context.WidthOf(node)};
  ArrayReader literals(context.scratch);
  if (node.aux != 0) {
    DSI_RETURN_IF_ERROR(literals.Open(children.literals, Deeper(context)));
    literals.Map(context.map);
    values.literals = literals.values();
    values.num_literals = node.aux;
  }
  return DecodeThroughDictionary(children.codes, Deeper(context), values, dst);
}

// Only the writer knows a shared dictionary; a plan never asks for one.
bool Encode(const ArrayView&, const EncodePlan&, EncodeContext*, std::vector<std::byte>*) {
  return false;
}

}  // namespace

Result<SharedChildren> FindSharedChildren(const NodeView& node, size_t dictionary_count) {
  if (dictionary_count >= kMostEntries) {
    return Corrupt("shared dictionary: {} entries, expected below {} (E-051)", dictionary_count,
                   kMostEntries);
  }
  if (node.aux > node.count) {
    return Corrupt("shared dictionary: {} literals, expected at most {} (E-051)", node.aux,
                   node.count);
  }
  SharedChildren found;
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(found.codes, children.NextOfWidthUpTo(4, node.count));
  if (node.aux != 0) {
    DSI_ASSIGN_OR_RETURN(found.literals, children.Next(node.width, node.aux));
  }
  DSI_RETURN_IF_ERROR(children.End());
  return found;
}

void EncodeSharedCodes(std::span<const uint32_t> codes, const InnerEncoder& encode_codes,
                       const ArrayView& literals, const InnerEncoder& encode_literals,
                       std::vector<std::byte>* out) {
  NodeWriter writer(out, Encoding::kSharedDictionary, literals.width, codes.size());
  writer.SetAux(static_cast<uint32_t>(literals.count));
  const auto append = [&](const std::vector<std::byte>& node) {
    out->resize(out->size() + node.size());
    std::copy(node.begin(), node.end(), out->end() - static_cast<std::ptrdiff_t>(node.size()));
  };
  const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
  append(encode_codes(narrow.view()));
  if (literals.count != 0) append(encode_literals(literals));
  writer.Finish();
}

const EncodingRow kSharedDictionaryEncoding = {
    Encoding::kSharedDictionary, "shared dictionary", kUsesAux, 0, Decode, Encode, nullptr, true,
};

}  // namespace dsi::internal
