// Compressed: one node inside a frame of Zstandard or LZ4 (E-100).
#include "dsi/codecs/compressed/compressed_internal.h"

#include <algorithm>

#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  BorrowedBuffer buffer(context.scratch);
  DSI_ASSIGN_OR_RETURN(const NodeView inner, Decompress(node, context, &buffer));
  return DecodeParsedNode(inner, Deeper(context), dst);
}

bool IsAccepted(size_t frame, size_t inner, const EncodeTuning& tuning) {
  return static_cast<double>(frame) <= tuning.accept_ratio * static_cast<double>(inner);
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
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
  if (!context->frames.Append(plan.param, context->tuning.zstd_level, inner, out)) return false;
  if (!IsAccepted(out->size() - start, inner.size(), context->tuning)) return false;
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  constexpr double kFewestBytes = 256;
  constexpr size_t kProbe = 4096;
  const ArrayView& sample = chooser->sample();
  const EncodeTuning& tuning = chooser->tuning();
  if (chooser->total_count() * sample.width < kFewestBytes || !chooser->HasRoomBelow(1)) return;
  // Matches may lie farther apart than a sample is long, so that only the whole array tells what
  // they save.
  const ArrayView& tried = chooser->whole();
  const double scale = chooser->total_count() / static_cast<double>(tried.count);
  const size_t size = tried.count * static_cast<size_t>(tried.width);
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(tried.values), size);
  std::vector<std::byte> frame;
  for (const uint8_t codec : {kZstdCodec, kLz4Codec}) {
    if (codec == kZstdCodec ? tuning.zstd_level == 0 : !tuning.lz4) continue;
    EncodePlan plan;
    plan.encoding = Encoding::kCompressed;
    plan.param = codec;
    plan.children.emplace_back();
    frame.clear();
    // Most arrays that do not compress show it early.
    if (size > 2 * kProbe) {
      if (!chooser->context()->frames.Append(codec, tuning.zstd_level, bytes.first(kProbe), &frame))
        continue;
      if (frame.size() > kProbe - kProbe / 64) continue;
      frame.clear();
    }
    if (!chooser->context()->frames.Append(codec, tuning.zstd_level, bytes, &frame)) continue;
    if (!IsAccepted(frame.size(), size, tuning)) continue;
    chooser->Offer(std::move(plan), static_cast<double>(frame.size()) * scale, sample.width);
  }
}

}  // namespace

const EncodingRow kCompressedEncoding = {
    Encoding::kCompressed,
    "compressed",
    kUsesParam | kUsesAux,
    kCompressedChild,
    Decode,
    Encode,
    Consider,
};

}  // namespace dsi::internal
