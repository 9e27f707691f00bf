// What follows from the counts of values: vocabularies, moments, quantiles.
#include "dsi/dataset/value_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Calls visit(position, value) for all numbers but NaN; none for strings.
template <typename Visit>
void VisitNumbers(const ValueCounts& counts, const Visit& visit) {
  std::visit(
      [&]<typename T>(const std::vector<T>& values) {
        if constexpr (!std::is_same_v<T, std::string>) {
          for (size_t i = 0; i < values.size(); ++i) {
            if (!std::isnan(static_cast<double>(values[i]))) visit(i, values[i]);
          }
        }
      },
      counts.values);
}

// Positions of all numbers but NaN, the least first.
std::vector<size_t> SortedNumbers(const ValueCounts& counts) {
  std::vector<size_t> sorted;
  VisitNumbers(counts, [&](size_t i, auto) { sorted.push_back(i); });
  std::visit(
      [&](const auto& values) {
        std::sort(sorted.begin(), sorted.end(),
                  [&](size_t a, size_t b) { return values[a] < values[b]; });
      },
      counts.values);
  return sorted;
}

// The mean of what `of` makes of each entry.
template <typename Of>
double MeanOf(const ValueCounts& counts, const Of& of) {
  double sum = 0;
  uint64_t entries = 0;
  VisitNumbers(counts, [&](size_t i, auto value) {
    sum += of(static_cast<double>(value)) * static_cast<double>(counts.counts[i]);
    entries += counts.counts[i];
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

Result<std::vector<size_t>> ValueCounts::Quantiles(std::span<const double> shares) const {
  using Found = std::vector<size_t>;
  return internal::NoThrow([&]() -> Result<Found> {
    if (type == Type::kBytes)
      return internal::InvalidArgument("column {}: strings have no quantiles", column);
    // Ascending, in the type of the values, so that great numbers stay apart.
    Found sorted = SortedNumbers(*this);
    if (sorted.empty())
      return internal::InvalidArgument("column {}: no entry, so no quantiles", column);
    // How many entries are not above each value.
    std::vector<uint64_t> up_to;
    uint64_t sum = 0;
    for (const size_t i : sorted) up_to.push_back(sum += counts[i]);
    Found found;
    for (const double share : shares) {
      if (!(share >= 0 && share <= 1))
        return internal::InvalidArgument("a quantile is a share of 0 to 1, not {}", share);
      const double wanted = share * static_cast<double>(sum);
      const auto at = std::lower_bound(
          up_to.begin(), up_to.end() - 1, wanted,
          [](uint64_t so_far, double least) { return static_cast<double>(so_far) < least; });
      found.push_back(sorted[static_cast<size_t>(at - up_to.begin())]);
    }
    return found;
  });
}

}  // namespace dsi
