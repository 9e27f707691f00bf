// Compressed: one node inside a frame of Zstandard or LZ4 (E-100).
#include "dsi/codecs/compressed/compressed_internal.h"

#include "dsi/codecs/registry_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  BorrowedBuffer buffer(context.scratch);
  DSI_ASSIGN_OR_RETURN(const NodeView inner, Decompress(node, context, &buffer));
  DecodeContext of_inner = Deeper(context);
  of_inner.map = context.map;
  return DecodeParsedNode(inner, of_inner, dst);
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (plan.param != kZstdCodec && plan.param != kLz4Codec) return false;
  const EncodePlan raw;
  std::vector<std::byte> inner;
  EncodeArray(array, plan.children.empty() ? raw : plan.children[0], context, &inner);
  NodeWriter writer(out, Encoding::kCompressed, array.width, array.count);
  writer.SetParam(plan.param);
  writer.SetAux(static_cast<uint32_t>(inner.size()));
  const size_t start = out->size();
  // A node inside that chose compression of its own must not be compressed twice.
  if (inner[0] == static_cast<std::byte>(Encoding::kCompressed)) return false;
  if (inner.size() > 4096 + 32 * array.count) return false;
  if (!context->frames.Append(plan.param, context->tuning.zstd_level, plan.literals_only, inner,
                              out)) {
    return false;
  }
  if (!IsAccepted(out->size() - start, inner.size(), context->tuning)) return false;
  writer.Finish();
  return true;
}

}  // namespace

bool IsAccepted(size_t frame, size_t inner, const EncodeTuning& tuning) {
  return static_cast<double>(frame) <= tuning.accept_ratio * static_cast<double>(inner);
}

const EncodingRow kCompressedEncoding = {
    Encoding::kCompressed, "compressed", kUsesParam | kUsesAux, kCompressedChild, Decode, Encode,
    ConsiderCodecs,        true,
};

}  // namespace dsi::internal
