// Which splits a choice tries (E-080).
#include <algorithm>
#include <array>
#include <bit>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/split/split_internal.h"
#include "dsi/codecs/split/split_parts_internal.h"

namespace dsi::internal {
namespace {

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
    const auto all = TakeBits(Values<T>(whole), cut.shift, cut.bits, width);
    plan.children.push_back(chooser->ChooseChild(view, {all.data(), whole.count, width},
                                                 chooser->scale(), chooser->chunk(), allowed));
  } else {
    plan.children.push_back(
        chooser->ChooseChild(view, chooser->scale(), chooser->chunk(), allowed));
  }
  chooser->Offer(std::move(plan), 0, sample.width);
}

// `all`: the whole array, which tells what a codec makes of the parts, or the sample again.
template <typename T>
void OfferCut(Chooser* chooser, std::span<const T> values, std::span<const T> all, const Cut& cut) {
  EncodePlan plan;
  plan.encoding = Encoding::kSplit;
  plan.param = static_cast<uint8_t>(cut.low_bits);
  plan.shift = static_cast<uint8_t>(cut.shift);
  plan.sign_low = cut.sign_low;
  const auto choose = [&](int drop, int bits, EncodingSet allowed) {
    const int width = WidthForBits(bits);
    const auto part = TakeBits(values, drop, bits, width);
    const auto whole = TakeBits(all, drop, bits, width);
    plan.children.insert(
        plan.children.begin(),
        chooser->ChooseChild({part.data(), values.size(), width}, {whole.data(), all.size(), width},
                             chooser->scale(), chooser->chunk(), allowed));
  };
  // The low part first: it is the larger one, and soon says where there is nothing to win.
  if (!chooser->LimitChildren(plan, 0, sizeof(T))) return;
  choose(cut.shift, cut.low_bits, kLeafEncodings);
  if (!chooser->LimitChildren(plan, 0, sizeof(T))) return;
  choose(cut.low_bits + cut.shift, cut.bits - cut.low_bits,
         kLeafEncodings | SetOf(Encoding::kDictionary, Encoding::kRuns, Encoding::kSparse));
  chooser->Offer(std::move(plan), 0, sizeof(T));
}

// The exponent of floats alone, where it compresses; what is left of the mantissa, and the sign,
// below it. The hope: the exponent coded at its entropy, the rest packed.
template <typename T>
void TryExponent(Chooser* chooser, int shift) {
  constexpr int kFewestLowBits = 2;
  const Cut cut = {.bits = 8 * static_cast<int>(sizeof(T)) - shift,
                   .low_bits = (sizeof(T) == 8 ? 52 : 23) - shift + 1,
                   .shift = shift,
                   .sign_low = true};
  if (cut.low_bits <= kFewestLowBits) return;
  const std::vector<T> moved = MoveSigns(Values<T>(chooser->sample()), cut.low_bits, shift);
  const int high_bits = cut.bits - cut.low_bits;
  const auto high = TakeBits(std::span<const T>(moved), cut.low_bits + shift, high_bits, 2);
  const double entropy =
      EntropyBits({reinterpret_cast<const uint16_t*>(high.data()), moved.size()}, high_bits);
  const double hope = 4 * NodeBytes(0) + chooser->total_count() * (entropy + cut.low_bits) / 8;
  if (hope < chooser->best_bytes()) OfferCut<T>(chooser, moved, moved, cut);
}

template <typename T>
void ConsiderOf(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  // A sample may miss the largest values.
  const uint64_t any = Scan(chooser->whole()).any_bits;
  if (any == 0) return;
  const bool compresses = chooser->tuning().zstd_level != 0 || chooser->tuning().lz4;
  const int shift = std::countr_zero(any);
  const int bits = BitsFor(any >> shift);
  // Zeros at the bottom are free to drop. Narrow numbers matter to a codec that sees bytes; packing
  // does it better.
  if (shift > 0 || (compresses && WidthForBits(bits) < sample.width))
    OfferShift<T>(chooser, {.bits = bits, .shift = shift});
  if (chooser->tuning().zstd_level == 0) return;
  // The lowest byte apart: a codec finds repeats in it that neither its entropy nor packed blocks
  // show.
  if (shift == 0 && !sample.is_float && bits > 8) {
    OfferCut(chooser, Values<T>(sample), Values<T>(chooser->whole()),
             {.bits = bits, .low_bits = 8});
  }
  if constexpr (sizeof(T) >= 4) {
    if (sample.is_float) TryExponent<T>(chooser, shift);
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
