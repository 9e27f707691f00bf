// Bitmap: values 0 and 1 (E-060).
#include <algorithm>

#include "dsi/codecs/bitmap/bitmap_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext&, std::byte* dst) {
  const size_t size = (size_t{node.count} + 7) / 8;
  if (node.payload.size() != size) {
    return Corrupt("bitmap: payload of {} bytes, expected {} (E-060)", node.payload.size(), size);
  }
  if (node.count % 8 != 0 && (node.payload.back() >> (node.count % 8)) != std::byte{0}) {
    return Corrupt("bitmap: unused bits are not zero (E-060)");
  }
  ExpandBits(node.payload.data(), node.count, node.width, dst);
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan&, EncodeContext*,
            std::vector<std::byte>* out) {
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    if (std::any_of(values.begin(), values.end(), [](T value) { return value > 1; })) return false;
    NodeWriter writer(out, Encoding::kBitmap, array.width, array.count);
    const size_t at = out->size();
    out->resize(at + (array.count + 7) / 8);
    CollectBits(static_cast<const std::byte*>(array.values), array.count, sizeof(T),
                out->data() + at);
    writer.Finish();
    return true;
  });
}

void Consider(Chooser* chooser) {
  if (chooser->scan().any_bits > 1) return;
  EncodePlan plan;
  plan.encoding = Encoding::kBitmap;
  chooser->Offer(std::move(plan), chooser->total_count() / 8, chooser->sample().width);
}

}  // namespace

const EncodingRow kBitmapEncoding = {Encoding::kBitmap, "bitmap", 0, kNoChildren, Decode, Encode,
                                     Consider};

}  // namespace dsi::internal
