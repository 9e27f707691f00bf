// Split: value = ((high << r) OR low) << s (E-080).
#include <algorithm>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/split/split_parts_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr uint8_t kSignLow = 1;

// An error when any value has a bit at or above `bits`.
Status CheckBelow(const std::byte* values, size_t width, size_t count, int bits, const char* part) {
  if ((UnionOfBits(values, width, count) & ~LowMask(bits)) == 0) return Status::Ok();
  return Corrupt("split: {} part with a value of more than {} bits (E-080)", part, bits);
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const int bits = 8 * node.width;
  SplitParts parts;
  const int low_bits = node.param;
  if (node.aux >= static_cast<uint32_t>(bits) || low_bits + static_cast<int>(node.aux) >= bits) {
    return Corrupt("split: {} low bits and a shift of {}, expected a sum below {} (E-080)",
                   node.param, node.aux, bits);
  }
  if (node.flags > low_bits) return Corrupt("split: a sign without a low part (E-080)");
  parts.low_bits = low_bits - node.flags;
  parts.shift = static_cast<int>(node.aux);
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(const NodeView high_node, children.NextOfWidthUpTo(node.width, node.count));
  parts.high_width = high_node.width;
  NodeView low_node;
  if (low_bits >= 1) {
    parts.low_width = static_cast<size_t>(WidthForBits(low_bits));
    DSI_ASSIGN_OR_RETURN(low_node, children.Next(static_cast<int>(parts.low_width), node.count));
  }
  DSI_RETURN_IF_ERROR(children.End());
  BlockReader high(context.scratch);
  BlockReader low(context.scratch);
  DSI_RETURN_IF_ERROR(high.Open(high_node, Deeper(context)));
  if (low_bits >= 1) DSI_RETURN_IF_ERROR(low.Open(low_node, Deeper(context)));
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    parts.high = high.Next(&n);
    DSI_RETURN_IF_ERROR(
        CheckBelow(parts.high, parts.high_width, n, bits - low_bits - parts.shift, "high"));
    if (parts.low_width != 0) {
      parts.low = low.Next(&n);
      DSI_RETURN_IF_ERROR(CheckBelow(parts.low, parts.low_width, n, low_bits, "low"));
    }
    JoinSplit(parts, n, node.width, dst);
    dst += n * node.width;
    left -= n;
  }
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  const int shift = plan.shift;
  if (plan.param + shift >= 8 * array.width) return false;
  if (plan.sign_low && plan.param == 0) return false;
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    std::span<const T> values = Values<T>(array);
    std::vector<T> moved;
    if (plan.sign_low) values = moved = MoveSigns(values, plan.param, shift);
    T any = 0;
    for (const T value : values) any |= value;
    if ((any & LowMask(shift)) != 0) return false;
    const int low_bits = plan.param;
    const int high_bits = std::max(BitsFor(any) - low_bits - shift, 0);
    const int high_width = WidthForBits(high_bits);
    NodeWriter writer(out, Encoding::kSplit, array.width, array.count);
    writer.SetParam(static_cast<uint8_t>(low_bits));
    writer.SetAux(plan.shift);
    writer.SetFlags(plan.sign_low ? kSignLow : 0);
    const auto high = TakeBits(values, low_bits + shift, high_bits, high_width);
    EncodeChild({high.data(), array.count, high_width}, plan, 0, context, out);
    if (low_bits >= 1) {
      const int low_width = WidthForBits(low_bits);
      const auto low = TakeBits(values, shift, low_bits, low_width);
      EncodeChild({low.data(), array.count, low_width}, plan, 1, context, out);
    }
    writer.Finish();
    return true;
  });
}

}  // namespace

const EncodingRow kSplitEncoding = {
    Encoding::kSplit, "split", kUsesParam | kUsesFlag | kUsesAux, 0, Decode, Encode, ConsiderSplit,
};

}  // namespace dsi::internal
