#include "dsi/reader/filter/text_comparison_internal.h"

#include <algorithm>
#include <functional>

#include "dsi/reader/filter/text_rows_internal.h"

namespace dsi::internal {

TextComparison::TextComparison(const Predicate& predicate) : compare_(predicate.compare) {
  if (compare_ == Compare::kIn || compare_ == Compare::kNotIn) {
    for (const FilterValue& value : predicate.values)
      texts_.push_back(std::get<std::string>(value));
    std::sort(texts_.begin(), texts_.end());
  } else {
    texts_.push_back(std::get<std::string>(predicate.value));
  }
}

bool TextComparison::Holds(std::string_view text) const {
  // Strings compare as unsigned bytes.
  switch (compare_) {
    case Compare::kIn:
      return std::binary_search(texts_.begin(), texts_.end(), text, std::less<>());
    case Compare::kNotIn:
      return !std::binary_search(texts_.begin(), texts_.end(), text, std::less<>());
    case Compare::kEqual:
      return text == texts_[0];
    case Compare::kNotEqual:
      return text != texts_[0];
    case Compare::kLess:
      return text < texts_[0];
    case Compare::kLessEqual:
      return text <= texts_[0];
    case Compare::kGreater:
      return text > texts_[0];
    default:
      return text >= texts_[0];
  }
}

bool TextComparison::MayMatch(const ColumnStatistics& statistics) const {
  const TextPrefix& least = statistics.least_text;
  const TextPrefix& greatest = statistics.greatest_text;
  const auto may_be = [&](std::string_view text) {
    const TextPrefix prefix(text);
    return least <= prefix && prefix <= greatest;
  };
  const bool all_equal = least == greatest && least.is_whole();
  switch (compare_) {
    case Compare::kEqual:
    case Compare::kIn:
      return std::any_of(texts_.begin(), texts_.end(), may_be);
    case Compare::kNotEqual:
    case Compare::kNotIn:
      return !all_equal || Holds(least.view());
    case Compare::kLess:
    case Compare::kLessEqual:
      // The least is no greater than the least string.
      return Holds(least.view());
    case Compare::kGreater:
      if (greatest.is_whole()) return Holds(greatest.view());
      [[fallthrough]];
    default:
      return greatest >= TextPrefix(texts_[0]);
  }
}

void TextComparison::AndMatches(const std::byte* values, const ShapeView& shape,
                                std::span<const uint32_t> slots, uint8_t* matches) const {
  AndTexts(values, shape, slots, matches, [this](std::string_view text) { return Holds(text); });
}

}  // namespace dsi::internal
