// What follows from the counts of values: vocabularies, moments, quantiles.
#include "dsi/dataset/value_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Calls visit(value, count) for all numbers but NaN; false: they are strings.
template <typename Visit>
bool VisitNumbers(const ValueCounts& counts, const Visit& visit) {
  return std::visit(
      [&]<typename T>(const std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          return false;
        } else {
          for (size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            if (!std::isnan(value)) visit(value, counts.counts[i]);
          }
          return true;
        }
      },
      counts.values);
}

// The mean of what `of` makes of each entry.
template <typename Of>
double MeanOf(const ValueCounts& counts, const Of& of) {
  double sum = 0;
  uint64_t entries = 0;
  VisitNumbers(counts, [&](double value, uint64_t count) {
    sum += of(value) * static_cast<double>(count);
    entries += count;
  });
  return entries == 0 ? kNan : sum / static_cast<double>(entries);
}

}  // namespace

size_t ValueCounts::NumAtLeast(uint64_t count) const noexcept {
  const auto end = std::upper_bound(counts.begin(), counts.end(), count,
                                    [](uint64_t least, uint64_t of_one) { return of_one < least; });
  return static_cast<size_t>(end - counts.begin());
}

double ValueCounts::Mean() const noexcept {
  return MeanOf(*this, [](double value) { return value; });
}

double ValueCounts::Deviation() const noexcept {
  const double mean = Mean();
  return std::sqrt(MeanOf(*this, [&](double value) { return (value - mean) * (value - mean); }));
}

Result<std::vector<double>> ValueCounts::Quantiles(std::span<const double> shares) const {
  using Found = std::vector<double>;
  return internal::NoThrow([&]() -> Result<Found> {
    std::vector<std::pair<double, uint64_t>> sorted;
    uint64_t all = 0;
    const bool are_numbers = VisitNumbers(*this, [&](double value, uint64_t count) {
      sorted.emplace_back(value, count);
      all += count;
    });
    if (!are_numbers)
      return internal::InvalidArgument("column {}: strings have no quantiles", column);
    if (all == 0) return internal::InvalidArgument("column {}: no entry, so no quantiles", column);
    std::sort(sorted.begin(), sorted.end());
    // From counts to how many entries are not above each value.
    uint64_t below = 0;
    for (auto& [value, count] : sorted) count = below += count;
    Found found;
    for (const double share : shares) {
      if (!(share >= 0 && share <= 1))
        return internal::InvalidArgument("a quantile is a share of 0 to 1, not {}", share);
      const double wanted = share * static_cast<double>(all);
      const auto at = std::lower_bound(sorted.begin(), sorted.end() - 1, wanted,
                                       [](const auto& of_one, double least) {
                                         return static_cast<double>(of_one.second) < least;
                                       });
      found.push_back(at->first);
    }
    return found;
  });
}

}  // namespace dsi
