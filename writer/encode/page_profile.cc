#include "dsi/writer/encode/page_profile_internal.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/decimal/find_decimals_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kGlancePiece = 256;
constexpr size_t kProfilePiece = 1024;
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

template <typename T>
PageGlance GlanceOf(std::span<const T> values) {
  T least = values[0];
  T most = values[0];
  T before = values[0];
  size_t runs = 0;
  size_t rises = 0;
  size_t step_bits = 0;
  std::bitset<4 * PiecesOf::kPieces * kProfilePiece> met;
  constexpr int kShift = 64 - std::countr_zero(met.size());
  for (const T value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
    runs += value == before ? 1 : 0;
    rises += value > before ? 1 : 0;
    const auto step = static_cast<std::make_signed_t<T>>(static_cast<T>(value - before));
    step_bits += static_cast<size_t>(std::bit_width(static_cast<T>(step < 0 ? ~step : step)));
    met.set((uint64_t{value} * kSpread) >> kShift);
    before = value;
  }
  const auto count = static_cast<double>(values.size());
  return {.runs = static_cast<double>(runs) / count,
          .rises = static_cast<double>(rises) / count,
          .distinct = static_cast<double>(met.count()) / count,
          .range_bits = Log2(static_cast<double>(static_cast<T>(most - least)) + 1),
          .step_bits = static_cast<double>(step_bits) / count};
}

PageGlance GlanceOf(const ArrayView& sample) {
  return VisitWidth(sample.width,
                    [&](auto zero) { return GlanceOf(Values<decltype(zero)>(sample)); });
}

bool AreNear(double a, double b, double most) { return std::abs(a - b) <= most; }

bool AreNear(const PageGlance& a, const PageGlance& b, double share, double bits) {
  return AreNear(a.runs, b.runs, share) && AreNear(a.rises, b.rises, share) &&
         AreNear(a.distinct, b.distinct, share) && AreNear(a.range_bits, b.range_bits, bits) &&
         AreNear(a.step_bits, b.step_bits, bits);
}

// The share of places, each at the start of a value, whose eight bytes were met before, however far
// away: of one in eight, by a hash of them, at all that are equal or at none.
double RepeatShare(std::span<const std::byte> bytes, size_t step) {
  const size_t entries = std::bit_ceil(std::max<size_t>(256, bytes.size() / step / 4));
  const int shift = 64 - std::countr_zero(entries);
  std::vector<uint32_t> seen(entries);
  size_t met = 0;
  size_t looked = 0;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += step) {
    uint64_t hash;
    std::memcpy(&hash, bytes.data() + at, sizeof(hash));
    hash *= kSpread;
    if ((hash >> 40 & 7) != 0) continue;
    ++looked;
    uint32_t& entry = seen[hash >> shift];
    met += entry == static_cast<uint32_t>(hash) ? 1 : 0;
    entry = static_cast<uint32_t>(hash);
  }
  return looked == 0 ? 0 : static_cast<double>(met) / static_cast<double>(looked);
}

template <typename T>
void Fill(const ArrayView& sample, PageProfile* profile) {
  const std::span<const T> values = Values<T>(sample);
  if constexpr (sizeof(T) >= 4) {
    if (sample.is_float) profile->exponent = ChooseExponent(values);
  }
  std::vector<uint16_t> bytes(values.size());
  for (size_t k = 0; k < sizeof(T); ++k) {
    for (size_t i = 0; i < values.size(); ++i)
      bytes[i] = static_cast<uint8_t>(values[i] >> (8 * k));
    profile->entropy[k] = EntropyBits(bytes, 8);
  }
}

}  // namespace

PageGlance GlanceAt(const ArrayView& page) { return GlanceOf(PiecesOf(page, kGlancePiece).view()); }

bool KnownGlances::Has(const PageGlance& glance) const {
  // Farther apart than samples of one kind of page are.
  constexpr double kShare = 0.15;
  constexpr double kBits = 2;
  const auto known = static_cast<std::ptrdiff_t>(std::min(added_, glances_.size()));
  return std::any_of(glances_.begin(), glances_.begin() + known, [&](const PageGlance& other) {
    return AreNear(glance, other, kShare, kBits);
  });
}

PageProfile ProfileOf(const ArrayView& page, const EncodeTuning& tuning) {
  PageProfile profile;
  profile.width = page.width;
  profile.is_float = page.is_float;
  profile.count = page.count;
  profile.ns_per_byte = tuning.ns_per_byte;
  const PiecesOf sample(page, kProfilePiece);
  const uint64_t any = Scan(sample.view()).any_bits;
  profile.zero_bits = any == 0 ? 0 : std::countr_zero(any);
  profile.glance = GlanceOf(sample.view());
  VisitWidth(page.width, [&](auto zero) { Fill<decltype(zero)>(sample.view(), &profile); });
  profile.repeats = RepeatShare(BytesOf(page), static_cast<size_t>(page.width));
  return profile;
}

bool AreAlike(const PageProfile& a, const PageProfile& b) {
  constexpr double kBits = 0.15;
  constexpr double kShare = 0.03;
  if (a.width != b.width || a.is_float != b.is_float || BitsFor(a.count) != BitsFor(b.count) ||
      a.zero_bits != b.zero_bits || a.exponent != b.exponent || a.ns_per_byte != b.ns_per_byte)
    return false;
  for (size_t k = 0; k < static_cast<size_t>(a.width); ++k) {
    if (!AreNear(a.entropy[k], b.entropy[k], kBits)) return false;
  }
  return AreNear(a.glance, b.glance, kShare, 2 * kBits) && AreNear(a.repeats, b.repeats, kShare);
}

}  // namespace dsi::internal
