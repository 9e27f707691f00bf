#include <algorithm>
#include <chrono>
#include <utility>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/encode_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// Appends the node that a plan describes, unless it does not fit the array or takes more than raw
// values would.
bool TryPlan(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
             std::vector<std::byte>* out) {
  const size_t start = out->size();
  const size_t raw_size =
      kNodeHeaderSize + AlignUp(array.count * static_cast<size_t>(array.width), 8);
  const EncodingRow* row = FindEncoding(static_cast<uint8_t>(plan.encoding));
  if (row->encode(array, plan, context, out) && out->size() - start <= raw_size) return true;
  out->resize(start);
  return false;
}

EncodePlan ChooseFresh(const ArrayView& array, int depth, EncodeContext* context) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  EncodePlan plan = ChooseAtDepth(array, depth, context);
  context->outcome.choose_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return plan;
}

}  // namespace

void EncodeArray(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
                 std::vector<std::byte>* out) {
  ++context->depth;
  const EncodePlan raw;
  EncodePlan packed;
  packed.encoding = Encoding::kPacked;
  // At the last level only encodings without children may stand (E-003).
  const bool is_last = context->depth >= static_cast<int>(kMaxNodeDepth);
  const bool is_leaf =
      FindEncoding(static_cast<uint8_t>(plan.encoding))->children_at == kNoChildren;
  if (!TryPlan(array, is_last && !is_leaf ? packed : plan, context, out)) {
    EncodePlan fresh = ChooseFresh(array, context->depth, context);
    if (!TryPlan(array, fresh, context, out)) {
      fresh = packed;
      if (!TryPlan(array, fresh, context, out)) TryPlan(array, fresh = raw, context, out);
    }
    if (context->depth == context->top) context->outcome.instead = std::move(fresh);
  }
  --context->depth;
}

void EncodeChild(const ArrayView& array, const EncodePlan& parent, size_t index,
                 EncodeContext* context, std::vector<std::byte>* out) {
  if (index < parent.children.size())
    return EncodeArray(array, parent.children[index], context, out);
  EncodeArray(array, ChooseFresh(array, context->depth + 1, context), context, out);
}

ArrayEncoder::ArrayEncoder(const ArrayView& array, const EncodeTuning& tuning, int levels_above)
    : context_(std::make_unique<EncodeContext>(tuning, levels_above, array)) {}

ArrayEncoder::~ArrayEncoder() = default;

EncodePlan ArrayEncoder::Choose() {
  // One level is left for a shared dictionary around it, whose codes are chosen like any array.
  return ChooseAtDepth(context_->array, 2, context_.get());
}

EncodeOutcome ArrayEncoder::Encode(const EncodePlan& plan, std::vector<std::byte>* out) {
  context_->outcome = {};
  EncodeArray(context_->array, plan, context_.get(), out);
  return std::move(context_->outcome);
}

EncodePlan ChoosePlan(const ArrayView& array, const EncodeTuning& tuning) {
  return ArrayEncoder(array, tuning).Choose();
}

EncodeOutcome EncodeNode(const ArrayView& array, const EncodePlan& plan, const EncodeTuning& tuning,
                         std::vector<std::byte>* out, int levels_above) {
  return ArrayEncoder(array, tuning, levels_above).Encode(plan, out);
}

InnerEncoder ByPlan(const EncodePlan& plan, const EncodeTuning& tuning) {
  return [plan, tuning](const ArrayView& array) {
    std::vector<std::byte> node;
    EncodeNode(array, plan, tuning, &node, 1);
    return node;
  };
}

}  // namespace dsi::internal
