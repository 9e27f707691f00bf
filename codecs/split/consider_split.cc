// Which splits a choice tries (E-080).
#include <algorithm>
#include <array>
#include <bit>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/entropy_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/split/split_parts_internal.h"

namespace dsi::internal {
namespace {

constexpr double kPatchBits = 32;  // Of the position and the high part of a patch, roughly.

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
  const ArrayView view{high.data(), sample.count, width};
  EncodePlan plan;
  plan.encoding = Encoding::kSplit;
  plan.shift = static_cast<uint8_t>(cut.shift);
  // A codec makes of shifted values what it makes of the values.
  const bool narrows = width != sample.width;
  const EncodingSet plain =
      (kLeafEncodings | SetOf(Encoding::kSkewed)) & ~SetOf(Encoding::kCompressed);
  const EncodingSet allowed = narrows ? plain | SetOf(Encoding::kCompressed) : plain;
  if (!chooser->LimitChildren(plan, 0, sample.width)) return;
  if (narrows && chooser->has_whole()) {
    // What a codec makes of narrow numbers shows in all of them (matches lie far apart).
    const ArrayView& whole = chooser->whole();
    T any = 0;
    for (const T value : Values<T>(whole)) any |= value;
    if ((any & LowMask(cut.shift)) != 0 || BitsFor(any >> cut.shift) > 8 * width) return;
    const auto all = TakeBits(Values<T>(whole), cut.shift, cut.bits, width);
    plan.children.push_back(chooser->ChooseChild(view, {all.data(), whole.count, width},
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
  // The low part first: it is the larger one, and soon says where there is nothing to win.
  if (!chooser->LimitChildren(plan, 0, sizeof(T))) return;
  plan.children.push_back(chooser->ChooseChild({low.data(), values.size(), low_width},
                                               chooser->scale(), chooser->chunk(), kLeafEncodings));
  if (!chooser->LimitChildren(plan, 0, sizeof(T))) return;
  plan.children.insert(
      plan.children.begin(),
      chooser->ChooseChild(
          {high.data(), values.size(), high_width}, chooser->scale(), chooser->chunk(),
          kLeafEncodings | SetOf(Encoding::kDictionary, Encoding::kRuns, Encoding::kSparse)));
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

// The lowest byte apart, where a codec makes something of it, and few numbers have more than a
// byte.
template <typename T>
void TryLowByte(Chooser* chooser, int bits) {
  const std::span<const T> values = Values<T>(chooser->sample());
  std::vector<uint16_t> bytes(values.size());
  size_t longer = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(values[i]);
    longer += values[i] > 0xFF ? 1 : 0;
  }
  if (longer > values.size() / 8) return;
  const double patches = static_cast<double>(longer) * kPatchBits;
  const double coded = EntropyBits(bytes, 8) * static_cast<double>(values.size());
  if ((patches + coded) / 8 * chooser->scale() < chooser->best_bytes())
    OfferCut(chooser, values, {.bits = bits, .low_bits = 8});
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
  if (shift == 0 && !sample.is_float && bits > kHighBits) TryLowByte<T>(chooser, bits);
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

}  // namespace

void ConsiderSplit(Chooser* chooser) {
  constexpr size_t kFewest = 64;
  const ArrayView& sample = chooser->sample();
  if (sample.width == 1 || sample.count < kFewest || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) { ConsiderOf<decltype(zero)>(chooser); });
}

}  // namespace dsi::internal
