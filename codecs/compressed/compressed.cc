// Compressed: one node inside a frame of Zstandard or LZ4 (E-100).
#include "dsi/codecs/compressed/compressed_internal.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/repeats_internal.h"
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

// Bytes of the first trial of a codec. Trials are of the middle: pages often start unlike the rest.
constexpr size_t kFirstTrial = 4096;

std::span<const std::byte> Middle(std::span<const std::byte> bytes, size_t size) {
  if (size >= bytes.size()) return bytes;
  return bytes.subspan((bytes.size() - size) / 2 / 8 * 8, size);
}

// Whether so many bytes hardly became fewer.
bool IsNoise(size_t frame, size_t raw) { return frame > raw - raw / 64; }

// How a codec is used, and what it made of the first trial, if that is known.
struct CodecUse {
  uint8_t codec = 0;
  bool literals_only = false;
  std::optional<size_t> first_trial = {};
};

// Zstandard on bytes: entropy coding alone where that does as well on a part of them as with a
// search for matches.
CodecUse UseOnBytes(Chooser* chooser, std::span<const std::byte> bytes) {
  const std::span<const std::byte> part = Middle(bytes, kFirstTrial);
  FrameEncoder& frames = chooser->context()->frames;
  const int level = chooser->tuning().zstd_level;
  std::vector<std::byte> with;
  std::vector<std::byte> without;
  if (!frames.Append(kZstdCodec, level, false, part, &with) ||
      !frames.Append(kZstdCodec, level, true, part, &without))
    return {kZstdCodec};
  const bool suffice = without.size() <= with.size() && !IsNoise(without.size(), part.size());
  return {kZstdCodec, suffice, suffice ? without.size() : with.size()};
}

// Whether so much repeats, however far away, that a codec may find more in all bytes than in a
// part.
bool RepeatsAnywhere(std::span<const std::byte> bytes, int width) {
  constexpr double kLeastShare = 1.0 / 64;
  return RepeatShare(bytes, width) >= kLeastShare;
}

// What share of the bytes that a part promises all of them may take, since more matches are found
// in more bytes: known of parts four times as large is what the last step saved.
double ShareHoped(double last_step, double share) {
  constexpr double kLeast = 0.25;
  if (last_step == 0) return kLeast + (1 - kLeast) * std::sqrt(share);
  // Three times what the last step saved, or a tenth, in each step that is left.
  const double steps = -std::log2(share) / 2;
  return std::max(kLeast, std::pow(std::min(last_step, 0.9), 3 * steps));
}

// The same where nothing repeats farther away.
constexpr double kShareWithoutRepeats = 0.95;

// Offers one codec, unless a part of the bytes already shows that nothing comes of it: compressing
// all of them is most of what a choice costs. Returns the size of the frame, or the least hoped
// for.
double OfferCodec(Chooser* chooser, std::span<const std::byte> bytes, double scale,
                  const CodecUse& use) {
  const EncodeTuning& tuning = chooser->tuning();
  EncodePlan plan;
  plan.encoding = Encoding::kCompressed;
  plan.param = use.codec;
  plan.literals_only = use.literals_only;
  plan.children.emplace_back();
  const int width = chooser->sample().width;
  const auto size = static_cast<double>(bytes.size());
  // Size of the frame of so many bytes.
  const auto compress = [&](size_t part) -> std::optional<size_t> {
    if (part == kFirstTrial && use.first_trial) return use.first_trial;
    std::vector<std::byte> frame;
    if (!chooser->context()->frames.Append(use.codec, tuning.zstd_level, use.literals_only,
                                           Middle(bytes, part), &frame))
      return std::nullopt;
    return frame.size();
  };
  std::optional<bool> known_repeats;
  const auto repeats = [&] {
    if (!known_repeats) known_repeats = RepeatsAnywhere(bytes, width);
    return *known_repeats;
  };
  double last_rate = 0;
  for (size_t part = kFirstTrial; 4 * part <= bytes.size(); part *= 4) {
    const std::optional<size_t> frame = compress(part);
    if (!frame) return size;
    if (IsNoise(*frame, part)) {
      // Noise may repeat farther away than this part is long.
      if (!repeats()) return size;
      break;
    }
    const double share = static_cast<double>(part) / size;
    const double rate = static_cast<double>(*frame) / static_cast<double>(part);
    const double hope = ShareHoped(last_rate == 0 ? 0 : rate / last_rate, share) * rate * size;
    if (!chooser->WouldWin(plan, hope * scale, width)) return hope;
    const double hope_without = kShareWithoutRepeats * rate * size;
    if (!chooser->WouldWin(plan, hope_without * scale, width) && !repeats()) return hope_without;
    last_rate = rate;
  }
  const std::optional<size_t> frame = compress(bytes.size());
  if (!frame) return size;
  const auto payload = static_cast<double>(*frame);
  if (IsAccepted(*frame, bytes.size(), tuning))
    chooser->Offer(std::move(plan), payload * scale, width);
  return payload;
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
  double fewest = 0;
  if (tuning.zstd_level != 0) {
    // Entropy coding alone sees bytes, and makes little of wider values.
    const CodecUse use = sample.width == 1 ? UseOnBytes(chooser, bytes) : CodecUse{kZstdCodec};
    fewest = OfferCodec(chooser, bytes, scale, use);
  }
  if (!tuning.lz4) return;
  // LZ4 finds no more than Zstandard does, and codes it in whole bytes.
  EncodePlan plan;
  plan.encoding = Encoding::kCompressed;
  plan.param = kLz4Codec;
  if (chooser->WouldWin(std::move(plan), fewest * scale, sample.width))
    OfferCodec(chooser, bytes, scale, {kLz4Codec});
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
