#include "dsi/bench/choice_figures/node_cost.h"

#include <cstdlib>

#include "dsi/codecs/node_internal.h"

namespace dsi::bench {

NodeCost CostOfNode(std::span<const std::byte> node) {
  const Result<double> ns = internal::DecodeNs(node, internal::ParseNode(node)->count);
  if (!ns.ok()) std::abort();
  return {static_cast<double>(node.size()), *ns};
}

}  // namespace dsi::bench
