#include "dsi/writer/encode/page_profile_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/decimal/find_decimals_internal.h"
#include "dsi/codecs/entropy_internal.h"
#include "dsi/codecs/repeats_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kPiece = 1024;

template <typename T>
void Look(std::span<const T> values, PageProfile* profile) {
  std::vector<T> steps(values.size());
  size_t rises = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    steps[i] = static_cast<T>(values[i] - values[i - 1]);
    rises += values[i] > values[i - 1] ? 1 : 0;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  profile->range_bits = Log2(static_cast<double>(*most - *least) + 1);
  profile->rises = static_cast<double>(rises) / static_cast<double>(values.size());
  std::vector<uint16_t> bytes(values.size());
  const auto entropy = [&](std::span<const T> of, size_t k) {
    for (size_t i = 0; i < of.size(); ++i) bytes[i] = static_cast<uint8_t>(of[i] >> (8 * k));
    return EntropyBits(bytes, 8);
  };
  for (size_t k = 0; k < sizeof(T); ++k) {
    profile->entropy[k] = entropy(values, k);
    profile->step_entropy += entropy(steps, k);
  }
}

}  // namespace

PageProfile ProfileOf(const ArrayView& page, const EncodeTuning& tuning) {
  PageProfile profile;
  profile.width = page.width;
  profile.is_float = page.is_float;
  profile.count = page.count;
  profile.ns_per_byte = tuning.ns_per_byte;
  const PiecesOf sample(page, kPiece);
  if (page.is_float && page.width == 4)
    profile.exponent = ChooseExponent(Values<uint32_t>(sample.view()));
  if (page.is_float && page.width == 8)
    profile.exponent = ChooseExponent(Values<uint64_t>(sample.view()));
  const ScanResult scan = Scan(sample.view());
  profile.zero_bits = scan.any_bits == 0 ? 0 : std::countr_zero(scan.any_bits);
  profile.runs = static_cast<double>(scan.runs) / static_cast<double>(sample.view().count);
  VisitWidth(page.width, [&](auto zero) { Look(Values<decltype(zero)>(sample.view()), &profile); });
  profile.repeats = RepeatShare(BytesOf(page), page.width);
  return profile;
}

bool AreAlike(const PageProfile& a, const PageProfile& b) {
  constexpr double kBits = 0.15;
  constexpr double kShare = 0.03;
  const auto near = [](double x, double y, double tolerance) {
    return std::abs(x - y) <= tolerance;
  };
  if (a.width != b.width || a.is_float != b.is_float || BitsFor(a.count) != BitsFor(b.count) ||
      a.zero_bits != b.zero_bits || a.exponent != b.exponent || a.ns_per_byte != b.ns_per_byte)
    return false;
  for (size_t k = 0; k < static_cast<size_t>(a.width); ++k) {
    if (!near(a.entropy[k], b.entropy[k], kBits)) return false;
  }
  return near(a.range_bits, b.range_bits, 2 * kBits) && near(a.runs, b.runs, kShare) &&
         near(a.rises, b.rises, kShare) && near(a.repeats, b.repeats, kShare) &&
         near(a.step_entropy, b.step_entropy, kBits * a.width);
}

}  // namespace dsi::internal
