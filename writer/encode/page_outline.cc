#include "dsi/writer/encode/page_outline_internal.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <type_traits>

#include "dsi/codecs/width_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kPieces = 4;
constexpr size_t kPieceValues = 256;

template <typename T>
PageOutline Look(std::span<const T> values) {
  const size_t piece = values.size() <= kPieces * kPieceValues ? values.size() : kPieceValues;
  const size_t pieces = piece == values.size() ? 1 : kPieces;
  T least = values[0];
  T most = values[0];
  size_t runs = 0;
  size_t rises = 0;
  size_t step_bits = 0;
  std::bitset<4 * kPieces * kPieceValues> met;
  constexpr int kShift = 64 - std::countr_zero(met.size());
  for (size_t p = 0; p < pieces; ++p) {
    const std::span<const T> part = values.subspan((values.size() - piece) / kPieces * p, piece);
    T before = part[0];
    for (const T value : part) {
      least = std::min(least, value);
      most = std::max(most, value);
      runs += value == before ? 1 : 0;
      rises += value > before ? 1 : 0;
      const auto step = static_cast<std::make_signed_t<T>>(static_cast<T>(value - before));
      step_bits += static_cast<size_t>(std::bit_width(static_cast<T>(step < 0 ? ~step : step)));
      met.set((uint64_t{value} * 0x9E3779B97F4A7C15ULL) >> kShift);
      before = value;
    }
  }
  const auto count = static_cast<double>(pieces * piece);
  return {.runs = static_cast<double>(runs) / count,
          .rises = static_cast<double>(rises) / count,
          .distinct = static_cast<double>(met.count()) / count,
          .range_bits = Log2(static_cast<double>(static_cast<T>(most - least)) + 1),
          .step_bits = static_cast<double>(step_bits) / count};
}

// More apart than samples of one kind of page are.
bool AreUnlike(const PageOutline& a, const PageOutline& b) {
  constexpr double kShare = 0.15;
  constexpr double kBits = 2;
  const auto apart = [](double x, double y, double most) { return std::abs(x - y) > most; };
  return apart(a.runs, b.runs, kShare) || apart(a.rises, b.rises, kShare) ||
         apart(a.distinct, b.distinct, kShare) || apart(a.range_bits, b.range_bits, kBits) ||
         apart(a.step_bits, b.step_bits, kBits);
}

}  // namespace

PageOutline OutlineOf(const ArrayView& page) {
  PageOutline outline;
  VisitWidth(page.width, [&](auto zero) { outline = Look(Values<decltype(zero)>(page)); });
  return outline;
}

bool KnownOutlines::Has(const PageOutline& outline) const {
  const size_t known = std::min(added_, outlines_.size());
  return std::any_of(outlines_.begin(), outlines_.begin() + static_cast<std::ptrdiff_t>(known),
                     [&](const PageOutline& other) { return !AreUnlike(outline, other); });
}

void KnownOutlines::Add(const PageOutline& outline) {
  outlines_[added_++ % outlines_.size()] = outline;
}

}  // namespace dsi::internal
