// Delta: the first value, and a child with the zigzag differences (E-030).
#include "dsi/codecs/delta/delta_kernel_internal.h"

#include <algorithm>

#include "dsi/codecs/packed/packed_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/stored_value_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  if (node.count < 2) return Corrupt("delta: count {}, expected at least 2 (E-030)", node.count);
  uint64_t first = 0;
  DSI_RETURN_IF_ERROR(LoadStoredValue(node, "delta", "E-030", &first));
  ChildWalk children(node.payload.subspan(kStoredValueSize));
  DSI_ASSIGN_OR_RETURN(const NodeView differences, children.Next(node.width, node.count - 1));
  DSI_RETURN_IF_ERROR(children.End());
  DSI_RETURN_IF_ERROR(DecodeParsedNode(differences, Deeper(context), dst + node.width));
  VisitWidth(node.width, [&](auto zero) {
    using T = decltype(zero);
    auto* values = reinterpret_cast<T*>(dst);
    values[0] = static_cast<T>(first);
    SumZigZag(values, node.count);
  });
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (array.count < 2) return false;
  NodeWriter writer(out, Encoding::kDelta, array.width, array.count);
  VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    AppendLE<uint64_t>(out, values[0]);
    std::vector<T> differences(values.size() - 1);
    ZigZagDifferences(values.data(), values.size(), differences.data());
    EncodeChild(ViewOf<T>(differences), plan, 0, context, out);
  });
  writer.Finish();
  return true;
}

// Differences inside each piece of the sample; between pieces they mean nothing.
template <typename T>
std::vector<T> SampleDifferences(std::span<const T> values, size_t chunk) {
  std::vector<T> differences;
  differences.reserve(values.size());
  for (size_t at = 0; at < values.size(); at += chunk) {
    const size_t n = std::min(chunk, values.size() - at);
    if (n < 2) continue;
    const size_t size = differences.size();
    differences.resize(size + n - 1);
    ZigZagDifferences(values.data() + at, n, differences.data() + size);
  }
  return differences;
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  if (sample.count < 4 || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> differences = SampleDifferences(Values<T>(sample), chooser->chunk());
    if (differences.empty()) return;
    // Differences that pack no better than the values are noise; nothing else would make sense of
    // them.
    const size_t packed = PackedPayload(differences.data(), differences.size(), sample.width);
    const double scale = chooser->total_count() / static_cast<double>(differences.size());
    if (static_cast<double>(packed) * scale >=
        static_cast<double>(chooser->packed_payload()) * chooser->scale()) {
      return;
    }
    const EncodingSet allowed = ~SetOf(Encoding::kDelta, Encoding::kDictionary);
    EncodePlan plan;
    plan.encoding = Encoding::kDelta;
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<T>(differences), scale, differences.size(), allowed));
    chooser->Offer(std::move(plan), kStoredValueSize, sample.width);
  });
}

}  // namespace

const EncodingRow kDeltaEncoding = {
    Encoding::kDelta, "delta", 0, static_cast<int>(kStoredValueSize), Decode, Encode, Consider,
};

}  // namespace dsi::internal
