#include "dsi/writer/encode/repeats_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dsi::internal {

bool Repeats::IsLike(const Repeats& other) const {
  constexpr double kMostDifference = 0.1;
  const auto alike = [](double a, double b) { return std::abs(a - b) <= kMostDifference * b; };
  return alike(total, other.total) && alike(distinct, other.distinct);
}

double Repeats::MostSaved() const {
  if (total == 0 || bits == 0) return 0;
  // Entries are ascending, so that they take what lies between them. Exact to a bit, and free of
  // functions whose last bits differ by machine.
  const auto code_bits = static_cast<double>(std::bit_width(static_cast<uint64_t>(distinct)));
  const double entry_bits = std::max(bits - code_bits, 0.0);
  return 1 - (entry_bits * distinct / total + code_bits - 1) / bits;
}

template <typename T>
Repeats RepeatSample<T>::Count() {
  std::sort(ids_.begin(), ids_.end());
  const auto distinct = static_cast<double>(std::unique(ids_.begin(), ids_.end()) - ids_.begin());
  const auto seen = static_cast<double>(ids_.size());
  Repeats repeats{.total = static_cast<double>(total_)};
  if (seen == 0) return repeats;
  repeats.distinct = std::max(1.0, repeats.total * (distinct / seen));
  repeats.bits = static_cast<int>(std::bit_width(ids_[static_cast<size_t>(distinct) - 1]));
  return repeats;
}

template class RepeatSample<uint32_t>;
template class RepeatSample<uint64_t>;

}  // namespace dsi::internal
