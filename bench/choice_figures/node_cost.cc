#include "dsi/bench/choice_figures/node_cost.h"

#include <cstdlib>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/registry_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

// Time of a node and of all below it.
double NsOf(const NodeView& node, DecodeScratch* scratch) {
  const EncodingRow& row = *FindEncoding(node.encoding);
  EncodePlan plan;
  plan.encoding = row.id;
  plan.param = node.param;
  double own = static_cast<double>(node.payload.size());
  double below = 0;
  if (row.children_at == kCompressedChild) {
    const SharedDictionary none;
    BorrowedBuffer buffer(scratch->state());
    const auto inner = Decompress(node, {scratch->state(), &none, 1}, &buffer);
    if (!inner.ok()) std::abort();
    below = NsOf(*inner, scratch);
  } else if (row.children_at != kNoChildren) {
    std::span<const std::byte> left = node.payload.subspan(static_cast<size_t>(row.children_at));
    while (!left.empty()) {
      const auto child = ParseNode(left);
      if (!child.ok()) std::abort();
      own -= static_cast<double>(child->size);
      below += NsOf(*child, scratch);
      left = left.subspan(child->size);
    }
  }
  return OwnNs(plan, own, node.count, node.width) + below;
}

}  // namespace

NodeCost CostOfNode(std::span<const std::byte> bytes) {
  const auto node = ParseNode(bytes);
  if (!node.ok()) std::abort();
  DecodeScratch scratch;
  return {static_cast<double>(bytes.size()), NsOf(*node, &scratch)};
}

}  // namespace dsi::bench
