// Split: value = ((high << r) OR low) << s (E-080).
#include <algorithm>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/entropy_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"

namespace dsi::internal {
namespace {

// An error when any value has a bit at or above `bits`.
Status CheckBelow(const std::byte* values, size_t width, size_t count, int bits, const char* part) {
  if ((UnionOfBits(values, width, count) & ~LowMask(bits)) == 0) return Status::Ok();
  return Corrupt("split: {} part with a value of more than {} bits (E-080)", part, bits);
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const int bits = 8 * node.width;
  SplitParts parts;
  parts.low_bits = node.param;
  if (node.aux >= static_cast<uint32_t>(bits) ||
      parts.low_bits + static_cast<int>(node.aux) >= bits) {
    return Corrupt("split: {} low bits and shift {} of {} bits (E-080)", node.param, node.aux,
                   bits);
  }
  parts.shift = static_cast<int>(node.aux);
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(const NodeView high_node, children.NextOfWidthUpTo(node.width, node.count));
  BlockReader high(context.scratch);
  BlockReader low(context.scratch);
  DSI_RETURN_IF_ERROR(high.Open(high_node, Deeper(context)));
  parts.high_width = high_node.width;
  if (parts.low_bits >= 1) {
    parts.low_width = static_cast<size_t>(WidthForBits(parts.low_bits));
    DSI_ASSIGN_OR_RETURN(const NodeView low_node,
                         children.Next(static_cast<int>(parts.low_width), node.count));
    DSI_RETURN_IF_ERROR(low.Open(low_node, Deeper(context)));
  }
  DSI_RETURN_IF_ERROR(children.End());
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    parts.high = high.Next(&n);
    DSI_RETURN_IF_ERROR(
        CheckBelow(parts.high, parts.high_width, n, bits - parts.low_bits - parts.shift, "high"));
    if (parts.low_width != 0) {
      parts.low = low.Next(&n);
      DSI_RETURN_IF_ERROR(CheckBelow(parts.low, parts.low_width, n, parts.low_bits, "low"));
    }
    JoinSplit(parts, n, node.width, dst);
    dst += n * node.width;
    left -= n;
  }
  return Status::Ok();
}

// values >> drop, the low `bits` of it, as numbers of `width` bytes.
template <typename T>
std::vector<uint64_t> TakeBits(std::span<const T> values, int drop, int bits, int width) {
  std::vector<uint64_t> words((values.size() * static_cast<size_t>(width) + 7) / 8);
  const T mask = static_cast<T>(LowMask(bits));
  VisitWidth(width, [&](auto zero) {
    using Part = decltype(zero);
    Part* part = reinterpret_cast<Part*>(words.data());
    for (size_t i = 0; i < values.size(); ++i)
      part[i] = static_cast<Part>(static_cast<T>(values[i] >> drop) & mask);
  });
  return words;
}

// A compressed high part of a little more than a byte, as where the sample missed the largest
// values, would compress as badly as two bytes do: its lowest bits go to the low part.
int FitLowBits(const EncodePlan& plan, int bits) {
  constexpr int kMostExcess = 2;
  const int excess = bits - plan.param - 8;
  const bool compresses =
      !plan.children.empty() && plan.children[0].encoding == Encoding::kCompressed;
  const bool moves = plan.param >= 1 && compresses && excess >= 1 && excess <= kMostExcess;
  return moves ? plan.param + excess : plan.param;
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  const int shift = plan.shift;
  if (plan.param + shift >= 8 * array.width) return false;
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    T any = 0;
    for (const T value : values) any |= value;
    if ((any & LowMask(shift)) != 0) return false;
    const int low_bits = FitLowBits(plan, BitsFor(any) - shift);
    const int high_bits = std::max(BitsFor(any) - low_bits - shift, 0);
    const int high_width = WidthForBits(high_bits);
    NodeWriter writer(out, Encoding::kSplit, array.width, array.count);
    writer.SetParam(static_cast<uint8_t>(low_bits));
    writer.SetAux(plan.shift);
    const auto high = TakeBits(values, low_bits + shift, high_bits, high_width);
    EncodeChild({high.data(), array.count, high_width, false, false}, plan, 0, context, out);
    if (low_bits >= 1) {
      const int low_width = WidthForBits(low_bits);
      const auto low = TakeBits(values, shift, low_bits, low_width);
      EncodeChild({low.data(), array.count, low_width, false, false}, plan, 1, context, out);
    }
    writer.Finish();
    return true;
  });
}

// Offers a split of values of `bits` bits above the shift, of which the lowest `low_bits` stand
// apart.
template <typename T>
void OfferSplit(Chooser* chooser, int bits, int low_bits, int shift) {
  const ArrayView& sample = chooser->sample();
  const std::span<const T> values = Values<T>(sample);
  const int high_bits = bits - low_bits;
  const int high_width = WidthForBits(high_bits);
  const auto high = TakeBits(values, low_bits + shift, high_bits, high_width);
  EncodePlan plan;
  plan.encoding = Encoding::kSplit;
  plan.param = static_cast<uint8_t>(low_bits);
  plan.shift = static_cast<uint8_t>(shift);
  const EncodingSet in_high =
      low_bits == 0
          ? kLeafEncodings
          : kLeafEncodings | SetOf(Encoding::kDictionary, Encoding::kRuns, Encoding::kSparse);
  const ArrayView high_view{high.data(), sample.count, high_width, false, false};
  if (low_bits == 0 && chooser->has_whole()) {
    // What a codec makes of narrow numbers shows in all of them (matches lie far apart).
    const ArrayView& whole = chooser->whole();
    T any = 0;
    for (const T value : Values<T>(whole)) any |= value;
    if ((any & LowMask(shift)) != 0 || BitsFor(any >> shift) > 8 * high_width) return;
    const auto all = TakeBits(Values<T>(whole), shift, bits, high_width);
    plan.children.push_back(
        chooser->ChooseChild(high_view, {all.data(), whole.count, high_width, false, false},
                             chooser->scale(), chooser->chunk(), in_high));
  } else {
    plan.children.push_back(
        chooser->ChooseChild(high_view, chooser->scale(), chooser->chunk(), in_high));
  }
  if (low_bits >= 1) {
    const int low_width = WidthForBits(low_bits);
    const auto low = TakeBits(values, shift, low_bits, low_width);
    plan.children.push_back(
        chooser->ChooseChild({low.data(), sample.count, low_width, false, false}, chooser->scale(),
                             chooser->chunk(), kLeafEncodings));
  }
  chooser->Offer(std::move(plan), 0, sample.width);
}

// Bytes that a split would take were its high part coded at its entropy and its low part packed.
template <typename T>
double HopedBytes(Chooser* chooser, int bits, int low_bits, int shift) {
  const int high_bits = bits - low_bits;
  const auto high = TakeBits(Values<T>(chooser->sample()), low_bits + shift, high_bits, 2);
  const double entropy = EntropyBits(
      {reinterpret_cast<const uint16_t*>(high.data()), chooser->sample().count}, high_bits);
  return 4 * NodeBytes(0) + chooser->total_count() * (entropy + low_bits) / 8;
}

template <typename T>
void ConsiderOf(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  const uint64_t any = chooser->scan().any_bits;
  if (any == 0) return;
  const bool compresses = chooser->tuning().zstd_level != 0 || chooser->tuning().lz4;
  const int shift = std::countr_zero(any);
  const int bits = BitsFor(any >> shift);
  // Zeros at the bottom are free to drop. Narrow numbers matter to a codec that sees bytes; packing
  // does it better.
  if (shift > 0 || (compresses && WidthForBits(bits) < sample.width))
    OfferSplit<T>(chooser, bits, 0, shift);
  if (chooser->tuning().zstd_level == 0) return;
  constexpr int kFewestLowBits = 2;
  constexpr int kHighBits = 8;
  // The top byte alone, and for floats all of sign and exponent.
  const int mantissa = sample.width == 8 ? 52 : 23;
  int tried = 0;
  for (const int low_bits : {bits - kHighBits, sample.is_float ? mantissa - shift : 0}) {
    const int high_bits = bits - low_bits;
    if (low_bits < kFewestLowBits || low_bits == tried || high_bits < 1 || high_bits > 12) continue;
    tried = low_bits;
    if (HopedBytes<T>(chooser, bits, low_bits, shift) < chooser->best_bytes()) {
      OfferSplit<T>(chooser, bits, low_bits, shift);
    }
  }
}

void Consider(Chooser* chooser) {
  constexpr size_t kFewest = 64;
  const ArrayView& sample = chooser->sample();
  if (sample.width == 1 || sample.count < kFewest || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) { ConsiderOf<decltype(zero)>(chooser); });
}

}  // namespace

const EncodingRow kSplitEncoding = {
    Encoding::kSplit, "split", kUsesParam | kUsesAux, 0, Decode, Encode, Consider,
};

}  // namespace dsi::internal
