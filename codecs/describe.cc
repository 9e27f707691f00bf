// Plans and nodes in words, for people.
#include <fmt/format.h>

#include <algorithm>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

std::string Head(const EncodingRow& row, int param, uint32_t shift, bool sign_low) {
  switch (row.id) {
    case Encoding::kSplit:
      return fmt::format("split:{}{}<<{}", param, sign_low ? "+sign" : "", shift);
    case Encoding::kDecimal:
      return fmt::format("decimal:{}", param);
    case Encoding::kCompressed:
      return fmt::format("compressed:{}", param == kZstdCodec  ? "zstd"
                                          : param == kLz4Codec ? "lz4"
                                                               : "unknown");
    default:
      return std::string(row.name);
  }
}

// No encoding gives a child more values: twice as many codes as bytes, or the bytes of its symbols
// (E-130). What a node claims is checked where it decides how much memory is taken.
size_t MostInChild(const NodeView& node) {
  constexpr size_t kMostSymbolBytes = 255 * 8;
  return std::max(2 * size_t{node.count}, kMostSymbolBytes);
}

Result<std::string> Describe(const NodeView& node, const DecodeContext& context) {
  DSI_RETURN_IF_ERROR(CheckKnown(node, context.depth));
  const EncodingRow& row = *FindEncoding(node.encoding);
  std::string text = Head(row, node.param, node.aux, node.flags != 0);
  if (row.children_at == kNoChildren) return text + fmt::format(" u{}", 8 * node.width);
  std::span<const std::byte> left = node.payload;
  BorrowedBuffer buffer(context.scratch);
  if (row.children_at == kCompressedChild) {
    DSI_ASSIGN_OR_RETURN(const NodeView inner, Decompress(node, context, &buffer));
    DSI_ASSIGN_OR_RETURN(const std::string child, Describe(inner, Deeper(context)));
    return text + "(" + child + ")";
  }
  const auto children_at = static_cast<size_t>(row.children_at);
  if (left.size() < children_at)
    return Corrupt("{}: payload of {} bytes, expected more", row.name, left.size());
  left = left.subspan(children_at);
  text += "(";
  for (bool first = true; !left.empty(); first = false) {
    DSI_ASSIGN_OR_RETURN(const NodeView child, ParseNode(left));
    if (child.count > MostInChild(node))
      return Corrupt("{}: a child of {} values in a node of {} (E-002)", row.name, child.count,
                     node.count);
    DSI_ASSIGN_OR_RETURN(const std::string words, Describe(child, Deeper(context)));
    text += (first ? "" : ", ") + words;
    left = left.subspan(child.size);
  }
  return text + ")";
}

}  // namespace

std::string EncodePlan::ToString() const {
  std::string text = Head(*FindEncoding(static_cast<uint8_t>(encoding)), param, shift, sign_low);
  if (children.empty()) return text;
  text += "(";
  for (size_t i = 0; i < children.size(); ++i)
    text += (i == 0 ? "" : ", ") + children[i].ToString();
  return text + ")";
}

Result<std::string> DescribeNode(std::span<const std::byte> bytes, size_t count) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseNode(bytes));
  if (node.count != count)
    return Corrupt("node: {} values, expected {} (E-002)", node.count, count);
  DecodeScratch scratch;
  return Describe(node, {scratch.state(), nullptr, 1});
}

}  // namespace dsi::internal
