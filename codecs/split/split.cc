// Split: value = ((high << r) OR low) << s (E-080).
#include <algorithm>
#include <array>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/entropy_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"

namespace dsi::internal {
namespace {

constexpr uint8_t kSignLow = 1;

// An error when any value has a bit at or above `bits`.
Status CheckBelow(const std::byte* values, size_t width, size_t count, int bits, const char* part) {
  if ((UnionOfBits(values, width, count) & ~LowMask(bits)) == 0) return Status::Ok();
  return Corrupt("split: {} part with a value of more than {} bits (E-080)", part, bits);
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  const int bits = 8 * node.width;
  SplitParts parts;
  const int low_bits = node.param;
  if (node.aux >= static_cast<uint32_t>(bits) || low_bits + static_cast<int>(node.aux) >= bits) {
    return Corrupt("split: {} low bits and shift {} of {} bits (E-080)", node.param, node.aux,
                   bits);
  }
  if (node.flags > kSignLow || node.flags > low_bits) {
    return Corrupt("split: flags {} with {} low bits, expected 0, or 1 with a low part (E-080)",
                   node.flags, low_bits);
  }
  parts.low_bits = low_bits - node.flags;
  parts.shift = static_cast<int>(node.aux);
  ChildWalk children(node.payload);
  DSI_ASSIGN_OR_RETURN(const NodeView high_node, children.NextOfWidthUpTo(node.width, node.count));
  BlockReader high(context.scratch);
  BlockReader low(context.scratch);
  DSI_RETURN_IF_ERROR(high.Open(high_node, Deeper(context)));
  parts.high_width = high_node.width;
  if (low_bits >= 1) {
    parts.low_width = static_cast<size_t>(WidthForBits(low_bits));
    DSI_ASSIGN_OR_RETURN(const NodeView low_node,
                         children.Next(static_cast<int>(parts.low_width), node.count));
    DSI_RETURN_IF_ERROR(low.Open(low_node, Deeper(context)));
  }
  DSI_RETURN_IF_ERROR(children.End());
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    parts.high = high.Next(&n);
    DSI_RETURN_IF_ERROR(
        CheckBelow(parts.high, parts.high_width, n, bits - low_bits - parts.shift, "high"));
    if (parts.low_width != 0) {
      parts.low = low.Next(&n);
      DSI_RETURN_IF_ERROR(CheckBelow(parts.low, parts.low_width, n, low_bits, "low"));
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

// Values whose top bit has moved to between the high part and `low_bits` - 1 bits of the low part:
// the signs of floats are noise, and what is left above is the exponent alone.
template <typename T>
std::vector<T> MoveSigns(std::span<const T> values, int low_bits, int shift) {
  constexpr int kTop = 8 * static_cast<int>(sizeof(T)) - 1;
  const int at = low_bits - 1 + shift;
  const T below = static_cast<T>(LowMask(at));
  const T above = static_cast<T>(LowMask(kTop) & ~LowMask(at));
  std::vector<T> moved(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const T v = values[i];
    moved[i] = static_cast<T>(static_cast<T>((v & above) << 1) |
                              static_cast<T>(static_cast<T>(v >> kTop) << at) | (v & below));
  }
  return moved;
}

// A compressed high part of a little more than a byte, as where the sample missed the largest
// values, would compress as badly as two bytes do: its lowest bits go to the low part.
int FitLowBits(const EncodePlan& plan, int bits) {
  if (plan.sign_low) return plan.param;
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
  if (plan.sign_low && plan.param == 0) return false;
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    std::span<const T> values = Values<T>(array);
    std::vector<T> moved;
    if (plan.sign_low) values = moved = MoveSigns(values, plan.param, shift);
    T any = 0;
    for (const T value : values) any |= value;
    if ((any & LowMask(shift)) != 0) return false;
    const int low_bits = FitLowBits(plan, BitsFor(any) - shift);
    const int high_bits = std::max(BitsFor(any) - low_bits - shift, 0);
    const int high_width = WidthForBits(high_bits);
    NodeWriter writer(out, Encoding::kSplit, array.width, array.count);
    writer.SetParam(static_cast<uint8_t>(low_bits));
    writer.SetAux(plan.shift);
    writer.SetFlags(plan.sign_low ? kSignLow : 0);
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

// A split to try: of values of `bits` bits above the shift, the lowest `low_bits` stand apart.
struct Cut {
  int bits = 0;
  int low_bits = 0;
  int shift = 0;
  bool sign_low = false;
};

// Leaves zeros at the bottom out, and nothing else.
template <typename T>
void OfferShift(Chooser* chooser, const Cut& cut) {
  const ArrayView& sample = chooser->sample();
  const int width = WidthForBits(cut.bits);
  const auto high = TakeBits(Values<T>(sample), cut.shift, cut.bits, width);
  const ArrayView view{high.data(), sample.count, width, false, false};
  EncodePlan plan;
  plan.encoding = Encoding::kSplit;
  plan.shift = static_cast<uint8_t>(cut.shift);
  // A codec makes of shifted values what it makes of the values.
  const bool narrows = width != sample.width;
  const EncodingSet allowed =
      narrows ? kLeafEncodings : kLeafEncodings & ~SetOf(Encoding::kCompressed);
  if (narrows && chooser->has_whole()) {
    // What a codec makes of narrow numbers shows in all of them (matches lie far apart).
    const ArrayView& whole = chooser->whole();
    T any = 0;
    for (const T value : Values<T>(whole)) any |= value;
    if ((any & LowMask(cut.shift)) != 0 || BitsFor(any >> cut.shift) > 8 * width) return;
    const auto all = TakeBits(Values<T>(whole), cut.shift, cut.bits, width);
    plan.children.push_back(chooser->ChooseChild(view,
                                                 {all.data(), whole.count, width, false, false},
                                                 chooser->scale(), chooser->chunk(), allowed));
  } else {
    plan.children.push_back(
        chooser->ChooseChild(view, chooser->scale(), chooser->chunk(), allowed));
  }
  chooser->Offer(std::move(plan), 0, sample.width);
}

template <typename T>
void OfferCut(Chooser* chooser, std::span<const T> values, const Cut& cut) {
  const int high_bits = cut.bits - cut.low_bits;
  const int high_width = WidthForBits(high_bits);
  const int low_width = WidthForBits(cut.low_bits);
  const auto high = TakeBits(values, cut.low_bits + cut.shift, high_bits, high_width);
  const auto low = TakeBits(values, cut.shift, cut.low_bits, low_width);
  EncodePlan plan;
  plan.encoding = Encoding::kSplit;
  plan.param = static_cast<uint8_t>(cut.low_bits);
  plan.shift = static_cast<uint8_t>(cut.shift);
  plan.sign_low = cut.sign_low;
  plan.children.push_back(chooser->ChooseChild(
      {high.data(), values.size(), high_width, false, false}, chooser->scale(), chooser->chunk(),
      kLeafEncodings | SetOf(Encoding::kDictionary, Encoding::kRuns, Encoding::kSparse)));
  plan.children.push_back(chooser->ChooseChild({low.data(), values.size(), low_width, false, false},
                                               chooser->scale(), chooser->chunk(), kLeafEncodings));
  chooser->Offer(std::move(plan), 0, sizeof(T));
}

// Offers a cut whose high part compresses, unless the hope for it is small: the high part coded at
// its entropy, the low part packed.
template <typename T>
void TryCut(Chooser* chooser, const Cut& cut) {
  std::span<const T> values = Values<T>(chooser->sample());
  std::vector<T> moved;
  if (cut.sign_low) values = moved = MoveSigns(values, cut.low_bits, cut.shift);
  const int high_bits = cut.bits - cut.low_bits;
  const auto high = TakeBits(values, cut.low_bits + cut.shift, high_bits, 2);
  const double entropy =
      EntropyBits({reinterpret_cast<const uint16_t*>(high.data()), values.size()}, high_bits);
  const double hope = 4 * NodeBytes(0) + chooser->total_count() * (entropy + cut.low_bits) / 8;
  if (hope < chooser->best_bytes()) OfferCut(chooser, values, cut);
}

// Packing with patches: few numbers have more than `low_bits` bits, their high parts are sparse.
template <typename T>
void TryPatches(Chooser* chooser, int bits) {
  constexpr double kPatchBits = 32;  // Of a position and a high part, roughly.
  const std::span<const T> values = Values<T>(chooser->sample());
  std::array<size_t, 65> of_bits = {};
  for (const T value : values) ++of_bits[static_cast<size_t>(BitsFor(value))];
  double best = static_cast<double>(values.size()) * bits;
  int best_bits = 0;
  size_t longer = 0;
  for (int low = bits - 1; low >= 1; --low) {
    longer += of_bits[static_cast<size_t>(low) + 1];
    const double cost =
        static_cast<double>(values.size()) * low + static_cast<double>(longer) * kPatchBits;
    if (cost >= best) continue;
    best = cost;
    best_bits = low;
  }
  if (best_bits == 0 || best / 8 * chooser->scale() >= chooser->best_bytes()) return;
  OfferCut(chooser, values, {.bits = bits, .low_bits = best_bits});
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
    OfferShift<T>(chooser, {.bits = bits, .shift = shift});
  if (shift == 0 && !sample.is_float) TryPatches<T>(chooser, bits);
  if (chooser->tuning().zstd_level == 0) return;
  constexpr int kFewestLowBits = 2;
  constexpr int kHighBits = 8;
  if (bits - kHighBits >= kFewestLowBits)
    TryCut<T>(chooser, {.bits = bits, .low_bits = bits - kHighBits, .shift = shift});
  // The exponent alone; what is left of the mantissa, and the sign, below it.
  const int mantissa = (sample.width == 8 ? 52 : 23) - shift;
  if (sample.is_float && sample.width >= 4 && mantissa >= kFewestLowBits) {
    TryCut<T>(chooser, {.bits = 8 * sample.width - shift,
                        .low_bits = mantissa + 1,
                        .shift = shift,
                        .sign_low = true});
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
    Encoding::kSplit, "split", kUsesParam | kUsesFlags | kUsesAux, 0, Decode, Encode, Consider,
};

}  // namespace dsi::internal
