// Runs: a child with lengths, a child with values (E-040).
#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/runs/runs_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const size_t runs = node.aux;
  if (runs < 1 || runs > node.count) {
    return Corrupt("runs: {} runs, expected 1 to {} (E-040)", runs, node.count);
  }
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(const NodeView lengths_node, children.Next(4, runs));
  DSI_ASSIGN_OR_RETURN(const NodeView values_node, children.Next(node.width, runs));
  DSI_RETURN_IF_ERROR(children.End());
  ArrayReader lengths_reader(context.scratch);
  ArrayReader values_reader(context.scratch);
  DSI_RETURN_IF_ERROR(lengths_reader.Open(lengths_node, Deeper(context)));
  DSI_RETURN_IF_ERROR(values_reader.Open(values_node, Deeper(context)));
  const auto* lengths = reinterpret_cast<const uint32_t*>(lengths_reader.values());
  const auto [sum, smallest] = SummarizeLengths(lengths, runs);
  if (smallest == 0 || sum != node.count) {
    return Corrupt("runs: lengths sum to {}{}, expected {} (E-040)", sum,
                   smallest == 0 ? " with an empty run" : "", node.count);
  }
  ExpandRuns(lengths, values_reader.values(), runs, node.width, dst, node.count);
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  NodeWriter writer(out, Encoding::kRuns, array.width, array.count);
  VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    std::vector<uint32_t> lengths;
    std::vector<T> values;
    FindRuns(Values<T>(array).data(), array.count, &lengths, &values);
    writer.SetAux(static_cast<uint32_t>(lengths.size()));
    EncodeChild(ViewOf<uint32_t>(lengths), plan, 0, context, out);
    EncodeChild(ViewOf<T>(values), plan, 1, context, out);
  });
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  const size_t runs = chooser->scan().runs;
  if (sample.count < 8 || runs > sample.count / 2 || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    std::vector<uint32_t> lengths;
    std::vector<T> values;
    FindRuns(Values<T>(sample).data(), sample.count, &lengths, &values);
    const EncodingSet numbers = kLeafEncodings | SetOf(Encoding::kSplit, Encoding::kSkewed);
    EncodePlan plan;
    plan.encoding = Encoding::kRuns;
    if (!chooser->LimitChildren(plan, 0, sample.width)) return;
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<uint32_t>(lengths), chooser->scale(), runs, numbers));
    if (!chooser->LimitChildren(plan, 0, sample.width)) return;
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<T>(values), chooser->scale(), runs, ~SetOf(Encoding::kRuns)));
    chooser->Offer(std::move(plan), 0, sample.width);
  });
}

}  // namespace

const EncodingRow kRunsEncoding = {Encoding::kRuns, "runs", kUsesAux, 0, Decode, Encode, Consider};

}  // namespace dsi::internal
