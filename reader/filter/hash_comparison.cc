#include "dsi/reader/filter/hash_comparison_internal.h"

#include <xxhash.h>

#include <bit>
#include <cmath>
#include <type_traits>

#include "dsi/base/split_mix_internal.h"
#include "dsi/reader/filter/number_rows_internal.h"
#include "dsi/reader/filter/text_rows_internal.h"

namespace dsi::internal {
namespace {

// Numbers that are equal have the same bits, whatever their types.
template <typename T>
uint64_t BitsOf(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double number = value;
    if (number == std::floor(number) && number >= -0x1p63 && number < 0x1p63)
      return static_cast<uint64_t>(static_cast<int64_t>(number));
    return std::bit_cast<uint64_t>(std::isnan(number) ? std::nan("") : number);
  } else {
    return static_cast<uint64_t>(value);
  }
}

}  // namespace

HashComparison::HashComparison(const Predicate& predicate, Type type)
    : type_(type),
      compare_(predicate.compare),
      limit_(ToDouble(predicate.value, Type::kFloat64)),
      salt_(predicate.salt) {}

double HashComparison::NumberOf(uint64_t bits) const {
  return static_cast<double>(SplitMix64(bits, salt_ + 1) >> 11) * 0x1p-53;
}

bool HashComparison::Holds(double number) const {
  switch (compare_) {
    case Compare::kLess:
      return number < limit_;
    case Compare::kLessEqual:
      return number <= limit_;
    case Compare::kGreater:
      return number > limit_;
    default:
      return number >= limit_;
  }
}

void HashComparison::AndMatches(const std::byte* values, const ShapeView& shape,
                                std::span<const uint32_t> slots, uint8_t* matches) const {
  if (type_ != Type::kBytes) {
    return WithNumber(type_, [&]<typename T>(T) {
      AndNumbers<T>(values, shape, slots, matches,
                    [&](T value) { return Holds(NumberOf(BitsOf(value))); });
    });
  }
  AndTexts(values, shape, slots, matches, [this](std::string_view text) {
    return Holds(NumberOf(XXH3_64bits(text.data(), text.size())));
  });
}

}  // namespace dsi::internal
