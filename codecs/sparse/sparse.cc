// Sparse: one value nearly everywhere, and the positions and values of the exceptions (E-070).
#include <algorithm>

#include "dsi/codecs/exceptions_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/sparse/sparse_kernel_internal.h"
#include "dsi/codecs/stored_value_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const size_t exceptions = node.aux;
  if (exceptions < 1 || exceptions >= node.count) {
    return Corrupt("sparse: {} exceptions, expected at least 1 and below {} (E-070)", exceptions,
                   node.count);
  }
  uint64_t usual = 0;
  DSI_RETURN_IF_ERROR(LoadStoredValue(node, "sparse", "E-070", &usual));
  ChildWalk children(node.payload.subspan(kStoredValueSize));
  DSI_ASSIGN_OR_RETURN(const NodeView positions_node, children.Next(4, exceptions));
  DSI_ASSIGN_OR_RETURN(const NodeView values_node, children.Next(node.width, exceptions));
  DSI_RETURN_IF_ERROR(children.End());
  ExceptionsReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(
      reader.Open(positions_node, values_node, node.count, "sparse", "E-070", Deeper(context)));
  VisitWidth(node.width, [&](auto zero) {
    using T = decltype(zero);
    FillSparse(static_cast<T>(usual), reader.positions(),
               reinterpret_cast<const T*>(reader.values()), exceptions, reinterpret_cast<T*>(dst),
               node.count);
  });
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  const Majority usual = FindMajority(array);
  if (usual.count == array.count) return false;
  NodeWriter writer(out, Encoding::kSparse, array.width, array.count);
  VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    std::vector<uint32_t> positions;
    std::vector<T> values;
    FindExceptions(static_cast<T>(usual.value), Values<T>(array).data(), array.count, &positions,
                   &values);
    writer.SetAux(static_cast<uint32_t>(positions.size()));
    AppendLE<uint64_t>(out, usual.value);
    EncodeChild(ViewOf<uint32_t>(positions), plan, 0, context, out);
    EncodeChild(ViewOf<T>(values), plan, 1, context, out);
  });
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  // Each exception breaks off and begins at most one run: with more, there are too many.
  const size_t most = sample.count / 4;
  if (sample.count < 8 || chooser->scan().runs > 2 * most + 1 || !chooser->HasRoomBelow(1)) return;
  const Majority usual = FindMajority(sample);
  const size_t exceptions = sample.count - usual.count;
  if (exceptions == 0 || exceptions > most) return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    std::vector<uint32_t> positions;
    std::vector<T> values;
    FindExceptions(static_cast<T>(usual.value), Values<T>(sample).data(), sample.count, &positions,
                   &values);
    const EncodingSet ascending =
        kLeafEncodings | SetOf(Encoding::kDelta, Encoding::kSplit, Encoding::kSkewed);
    EncodePlan plan;
    plan.encoding = Encoding::kSparse;
    if (!chooser->LimitChildren(plan, kStoredValueSize, sample.width)) return;
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<uint32_t>(positions), chooser->scale(), exceptions, ascending));
    if (!chooser->LimitChildren(plan, kStoredValueSize, sample.width)) return;
    plan.children.push_back(chooser->ChooseChild(ViewOf<T>(values), chooser->scale(), exceptions,
                                                 ~SetOf(Encoding::kSparse)));
    chooser->Offer(std::move(plan), kStoredValueSize, sample.width);
  });
}

}  // namespace

const EncodingRow kSparseEncoding = {
    Encoding::kSparse, "sparse", kUsesAux, static_cast<int>(kStoredValueSize), Decode, Encode,
    Consider,
};

}  // namespace dsi::internal
