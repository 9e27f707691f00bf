// Raw: the values as they are (E-010).
#include <cstring>

#include "dsi/codecs/registry_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext&, std::byte* dst) {
  const size_t size = size_t{node.count} * node.width;
  if (node.payload.size() != size) {
    return Corrupt("raw: payload of {} bytes, expected {} (E-010)", node.payload.size(), size);
  }
  std::memcpy(dst, node.payload.data(), size);
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan&, EncodeContext*,
            std::vector<std::byte>* out) {
  NodeWriter writer(out, Encoding::kRaw, array.width, array.count);
  const auto* values = static_cast<const std::byte*>(array.values);
  out->insert(out->end(), values, values + array.count * static_cast<size_t>(array.width));
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  const int width = chooser->sample().width;
  chooser->Offer({}, chooser->total_count() * width, width);
}

}  // namespace

const EncodingRow kRawEncoding = {Encoding::kRaw, "raw", 0, kNoChildren, Decode, Encode, Consider};

}  // namespace dsi::internal
