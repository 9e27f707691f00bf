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
  if (!context->frames.Append(plan.param, context->tuning.zstd_level, plan.literals_only, inner,
                              out)) {
    return false;
  }
  if (!IsAccepted(out->size() - start, inner.size(), context->tuning)) return false;
  writer.Finish();
  return true;
}

// Offers one codec, unless the first bytes already show that nothing comes of it.
void OfferCodec(Chooser* chooser, std::span<const std::byte> bytes, double scale, uint8_t codec,
                bool literals_only) {
  constexpr size_t kProbe = 4096;
  const EncodeTuning& tuning = chooser->tuning();
  FrameEncoder& frames = chooser->context()->frames;
  std::vector<std::byte> frame;
  if (bytes.size() > 2 * kProbe) {
    const std::span<const std::byte> start = bytes.first(kProbe);
    if (!frames.Append(codec, tuning.zstd_level, literals_only, start, &frame)) return;
    if (frame.size() > kProbe - kProbe / 64) return;
    frame.clear();
  }
  if (!frames.Append(codec, tuning.zstd_level, literals_only, bytes, &frame)) return;
  if (!IsAccepted(frame.size(), bytes.size(), tuning)) return;
  EncodePlan plan;
  plan.encoding = Encoding::kCompressed;
  plan.param = codec;
  plan.literals_only = literals_only;
  plan.children.emplace_back();
  const double payload = static_cast<double>(frame.size()) * scale;
  chooser->Offer(std::move(plan), payload, chooser->sample().width);
}

void Consider(Chooser* chooser) {
  constexpr double kFewestBytes = 256;
  const ArrayView& sample = chooser->sample();
  const EncodeTuning& tuning = chooser->tuning();
  if (chooser->total_count() * sample.width < kFewestBytes || !chooser->HasRoomBelow(1)) return;
  // Matches may lie farther apart than a sample is long, so that only the whole array tells what
  // they save.
  const ArrayView& tried = chooser->whole();
  const double scale = chooser->total_count() / static_cast<double>(tried.count);
  const size_t size = tried.count * static_cast<size_t>(tried.width);
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(tried.values), size);
  if (tuning.zstd_level != 0) {
    OfferCodec(chooser, bytes, scale, kZstdCodec, false);
    // Entropy coding alone sees bytes, and makes little of wider values.
    if (sample.width == 1) OfferCodec(chooser, bytes, scale, kZstdCodec, true);
  }
  if (tuning.lz4) OfferCodec(chooser, bytes, scale, kLz4Codec, false);
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
