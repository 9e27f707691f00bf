#include "dsi/codecs/decode_time_internal.h"

#include <algorithm>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/registry_internal.h"

namespace dsi::internal {
namespace {

Result<double> NsOf(const NodeView& node, const DecodeContext& context) {
  DSI_RETURN_IF_ERROR(CheckKnown(node, context.depth));
  const EncodingRow& row = *FindEncoding(node.encoding);
  EncodePlan plan;
  plan.encoding = row.id;
  plan.param = node.param;
  auto own_bytes = static_cast<double>(node.payload.size());
  double below = 0;
  BorrowedBuffer buffer(context.scratch);
  if (row.children_at == kCompressedChild) {
    DSI_ASSIGN_OR_RETURN(const NodeView inner, Decompress(node, context, &buffer));
    // The rates of codecs include the copy of raw values.
    if (inner.encoding != static_cast<uint8_t>(Encoding::kRaw)) {
      DSI_ASSIGN_OR_RETURN(below, NsOf(inner, Deeper(context)));
    }
  } else if (row.children_at != kNoChildren) {
    const auto children_at = static_cast<size_t>(row.children_at);
    std::span<const std::byte> left =
        node.payload.subspan(std::min(children_at, node.payload.size()));
    while (!left.empty()) {
      DSI_ASSIGN_OR_RETURN(const NodeView child, ParseNode(left));
      DSI_ASSIGN_OR_RETURN(const double ns, NsOf(child, Deeper(context)));
      own_bytes -= static_cast<double>(child.size);
      below += ns;
      left = left.subspan(child.size);
    }
  }
  return OwnNs(plan, own_bytes, node.count, node.width) + below;
}

}  // namespace

Result<double> DecodeNs(std::span<const std::byte> bytes) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseNode(bytes));
  DecodeScratch scratch;
  return NsOf(node, {scratch.state(), nullptr, 1});
}

}  // namespace dsi::internal
