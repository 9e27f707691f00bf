#include "dsi/tools/choices/explain_choice_internal.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/shared_dictionary/shared_dictionary_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::tools {
namespace {

using namespace internal;

// Ways beyond these are far off.
constexpr size_t kMostTried = 8;

// What of a page's node stays the same, whatever way is compared.
struct Beside {
  std::string_view before;  // In its description.
  std::string_view after;
  double bytes = 0;
  double ns = 0;
};

EncodingCost CostOf(std::string encoding, double bytes, double ns, size_t count, double price) {
  const auto values = static_cast<double>(count);
  return {.encoding = std::move(encoding),
          .bytes_per_value = bytes / values,
          .ns_per_value = ns / values,
          .cost = (bytes * price + ns) / values};
}

// The estimates of a choice only say in which order to try: what is compared are nodes.
Status FindRunnerUp(const ArrayView& page, const Beside& beside, const EncodeTuning& tuning,
                    ChoiceInfo* info) {
  std::vector<EncodePlan> plans = RankPlans(page, tuning);
  plans.resize(std::min(plans.size(), kMostTried));
  ArrayEncoder encoder(page, tuning);
  for (const EncodePlan& plan : plans) {
    std::vector<std::byte> node;
    encoder.Encode(plan, &node);
    DSI_ASSIGN_OR_RETURN(const std::string name, DescribeNode(node, page.count));
    DSI_ASSIGN_OR_RETURN(const double ns, DecodeNs(node, page.count));
    EncodingCost found = CostOf(fmt::format("{}{}{}", beside.before, name, beside.after),
                                beside.bytes + static_cast<double>(node.size()), beside.ns + ns,
                                page.count, tuning.ns_per_byte);
    if (found.encoding == info->chosen.encoding) continue;
    if (info->runner_up.encoding.empty() || found.cost < info->runner_up.cost)
      info->runner_up = std::move(found);
  }
  return Status::Ok();
}

Status CompareCodes(const StoredPage& page, double ns, const EncodeTuning& tuning,
                    DecodeScratch* scratch, ChoiceInfo* info) {
  if (!page.dictionary_size) return Corrupt("codes without a dictionary (E-051)");
  std::vector<uint32_t> codes(page.count);
  DSI_RETURN_IF_ERROR(DecodeSharedCodes(page.node, page.width, page.count, *page.dictionary_size,
                                        scratch, codes.data()));
  DSI_ASSIGN_OR_RETURN(const NodeView view, ParseNode(page.node));
  DSI_ASSIGN_OR_RETURN(const SharedChildren children,
                       FindSharedChildren(view, *page.dictionary_size));
  const std::span<const std::byte> coded = view.payload.first(children.codes.size);
  DSI_ASSIGN_OR_RETURN(const std::string name, DescribeNode(coded, page.count));
  DSI_ASSIGN_OR_RETURN(const double codes_ns, DecodeNs(coded, page.count));
  const std::string_view all = info->chosen.encoding;
  const size_t at = all.find(name);
  const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
  return FindRunnerUp(narrow.view(),
                      {.before = all.substr(0, at),
                       .after = all.substr(at + name.size()),
                       .bytes = static_cast<double>(page.node.size() - coded.size()),
                       .ns = ns - codes_ns},
                      tuning, info);
}

}  // namespace

Status ExplainChoice(const StoredPage& page, const EncodeTuning& tuning, ChoiceInfo* info) {
  DSI_ASSIGN_OR_RETURN(const double ns, DecodeNs(page.node, page.count));
  info->chosen = CostOf(info->encodings[0].encoding, static_cast<double>(page.node.size()), ns,
                        page.count, tuning.ns_per_byte);
  DecodeScratch scratch;
  if (page.node[0] == static_cast<std::byte>(Encoding::kSharedDictionary))
    return CompareCodes(page, ns, tuning, &scratch, info);
  std::vector<uint64_t> words((page.count * static_cast<size_t>(page.width) + 7) / 8);
  DSI_RETURN_IF_ERROR(DecodeNode(page.node, page.width, page.count, {}, &scratch, words.data()));
  return FindRunnerUp({.values = words.data(),
                       .count = page.count,
                       .width = page.width,
                       .is_float = IsFloat(page.type)},
                      {}, tuning, info);
}

}  // namespace dsi::tools
