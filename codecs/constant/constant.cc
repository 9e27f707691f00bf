// Constant: one value for all (E-011).
#include <algorithm>

#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/stored_value_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext&, std::byte* dst) {
  uint64_t value = 0;
  DSI_RETURN_IF_ERROR(LoadStoredValue(node, "constant", "E-011", &value));
  if (node.payload.size() != kStoredValueSize) {
    return Corrupt("constant: payload of {} bytes, expected 8 (E-011)", node.payload.size());
  }
  VisitWidth(node.width, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(reinterpret_cast<T*>(dst), node.count, static_cast<T>(value));
  });
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan&, EncodeContext*,
            std::vector<std::byte>* out) {
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    // Equal to its own shifted self: every value equals its neighbour.
    if (!std::equal(values.begin() + 1, values.end(), values.begin())) return false;
    NodeWriter writer(out, Encoding::kConstant, array.width, array.count);
    AppendLE<uint64_t>(out, values[0]);
    writer.Finish();
    return true;
  });
}

void Consider(Chooser* chooser) {
  if (chooser->scan().runs != 1) return;
  // A sample of one value does not make the array constant; a page where it is not falls back.
  EncodePlan plan;
  plan.encoding = Encoding::kConstant;
  if (chooser->whole().count != chooser->sample().count && Scan(chooser->whole()).runs != 1) return;
  chooser->Offer(std::move(plan), kStoredValueSize, chooser->sample().width);
}

}  // namespace

const EncodingRow kConstantEncoding = {
    Encoding::kConstant, "constant", 0, kNoChildren, Decode, Encode, Consider,
};

}  // namespace dsi::internal
