// Plans and nodes in words, for people.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

std::string Head(const EncodePlan& plan) {
  const std::string_view name = FindEncoding(static_cast<uint8_t>(plan.encoding))->name;
  switch (plan.encoding) {
    case Encoding::kSplit:
      // Without a low part nothing is split.
      if (plan.param == 0)
        return plan.shift == 0 ? "narrowed" : fmt::format("shifted:{}", plan.shift);
      return fmt::format("{}:{}{}{}", name, plan.param, plan.sign_low ? "+sign" : "",
                         plan.shift == 0 ? "" : fmt::format("<<{}", plan.shift));
    case Encoding::kDecimal:
      return fmt::format("{}:{}", name, plan.param);
    case Encoding::kCompressed:
      return fmt::format("{}:{}", name,
                         plan.param == kZstdCodec  ? "zstd"
                         : plan.param == kLz4Codec ? "lz4"
                                                   : "unknown");
    default:
      return std::string(name);
  }
}

// What is told of a node and all in it.
struct Told {
  std::string words;
  double decode_ns = 0;
};

Result<Told> Tell(const NodeView& node, const DecodeContext& context) {
  DSI_RETURN_IF_ERROR(CheckKnown(node, context.depth));
  const EncodingRow& row = *FindEncoding(node.encoding);
  EncodePlan plan;
  plan.encoding = row.id;
  plan.param = node.param;
  plan.shift = static_cast<uint8_t>(node.aux);
  plan.sign_low = node.flags != 0;
  Told told{Head(plan)};
  auto own_bytes = static_cast<double>(node.payload.size());
  if (row.children_at == kNoChildren) {
    told.words += fmt::format(" u{}", 8 * node.width);
  } else if (row.children_at == kCompressedChild) {
    BorrowedBuffer buffer(context.scratch);
    DSI_ASSIGN_OR_RETURN(const NodeView inner, Decompress(node, context, &buffer));
    DSI_ASSIGN_OR_RETURN(const Told child, Tell(inner, Deeper(context)));
    told.words += "(" + child.words + ")";
    // The rates of codecs include the copy of raw values.
    if (inner.encoding != static_cast<uint8_t>(Encoding::kRaw)) told.decode_ns = child.decode_ns;
  } else {
    const auto children_at = static_cast<size_t>(row.children_at);
    if (node.payload.size() < children_at)
      return Corrupt("{}: payload of {} bytes, expected more", row.name, node.payload.size());
    std::span<const std::byte> left = node.payload.subspan(children_at);
    for (told.words += "("; !left.empty();) {
      DSI_ASSIGN_OR_RETURN(const NodeView child, ParseNode(left));
      // No encoding gives a child more values. What a node claims is checked where it decides how
      // much memory is taken.
      if (child.count > node.count)
        return Corrupt("{}: a child of {} values in a node of {} (E-002)", row.name, child.count,
                       node.count);
      DSI_ASSIGN_OR_RETURN(const Told inner, Tell(child, Deeper(context)));
      left = left.subspan(child.size);
      told.words += inner.words + (left.empty() ? "" : ", ");
      told.decode_ns += inner.decode_ns;
      own_bytes -= static_cast<double>(child.size);
    }
    told.words += ")";
  }
  told.decode_ns += OwnNs(plan, own_bytes, node.count, node.width);
  return told;
}

Result<Told> TellOf(std::span<const std::byte> bytes, size_t count) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseNode(bytes));
  if (node.count != count)
    return Corrupt("node: {} values, expected {} (E-002)", node.count, count);
  DecodeScratch scratch;
  return Tell(node, {scratch.state(), nullptr, 1});
}

}  // namespace

std::string EncodePlan::ToString() const {
  std::string text = Head(*this);
  if (children.empty()) return text;
  text += "(";
  for (size_t i = 0; i < children.size(); ++i)
    text += (i == 0 ? "" : ", ") + children[i].ToString();
  return text + ")";
}

Result<std::string> DescribeNode(std::span<const std::byte> bytes, size_t count) {
  DSI_ASSIGN_OR_RETURN(Told told, TellOf(bytes, count));
  return std::move(told.words);
}

Result<double> DecodeNs(std::span<const std::byte> bytes, size_t count) {
  DSI_ASSIGN_OR_RETURN(const Told told, TellOf(bytes, count));
  return told.decode_ns;
}

}  // namespace dsi::internal
