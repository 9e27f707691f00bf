#include "dsi/dedup/value_cost_internal.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMostInPattern = 4;  // Values that are looked at for a pattern.
constexpr size_t kPieces = 4;

// Bits of a row that follows others, by what came after the four before elsewhere; each piece of
// the rows stands for itself. Counts begin at a half: what was never met takes its bits, too.
double BitsInPattern(const FeatureRows& column, size_t num_rows) {
  constexpr size_t kBefore = 4;
  const size_t piece = std::min<size_t>(num_rows / kPieces, kCostSample / kPieces);
  if (piece <= kBefore) return 64;
  std::unordered_map<uint64_t, uint64_t> number_of;
  std::unordered_map<uint64_t, uint32_t> uses[2];  // Of contexts, of contexts and values.
  double sum = 0;
  size_t count = 0;
  for (size_t p = 0; p < kPieces; ++p) {
    uint64_t before = 0;
    for (size_t i = 0; i < piece; ++i) {
      const auto row = static_cast<uint32_t>((num_rows - piece) / (kPieces - 1) * p + i);
      const uint64_t number =
          number_of.try_emplace(HashRow(column, row), number_of.size() + 1).first->second;
      if (number > kMostInPattern) return 64;
      if (i >= kBefore) {
        const double of_context = uses[0][before]++;
        const double of_value = uses[1][before << 8 | number]++;
        sum += Log2((of_context + kMostInPattern / 2.0) / (of_value + 0.5));
        ++count;
      }
      before = (before << 8 | number) & 0xFFFFFFFF;
    }
  }
  return sum / static_cast<double>(count);
}

}  // namespace

double CodedBits(const FeatureRows& column, std::span<const uint32_t> rows, double bits_alone) {
  if (rows.empty()) return bits_alone;
  std::vector<uint64_t> hashes;
  for (const uint32_t row : rows) hashes.push_back(HashRow(column, row));
  std::sort(hashes.begin(), hashes.end());
  const auto total = static_cast<double>(hashes.size());
  const auto code_bits = [total](double uses) { return uses * Log2(total / uses); };
  double sum = 0;
  double alone = 0;
  for (auto at = hashes.begin(); at != hashes.end();) {
    const auto end = std::find_if(at, hashes.end(), [&](uint64_t hash) { return hash != *at; });
    if (end - at == 1) {
      ++alone;
    } else {
      sum += code_bits(static_cast<double>(end - at));
    }
    at = end;
  }
  if (alone != 0) sum += code_bits(alone) + alone * bits_alone;
  return sum / total;
}

double CodedBitsInRows(const FeatureRows& column, size_t num_rows, double bits_alone) {
  std::vector<uint32_t> rows;
  const size_t step = std::max<size_t>(1, num_rows / kCostSample);
  for (size_t row = 0; row < num_rows; row += step) rows.push_back(static_cast<uint32_t>(row));
  return std::min(CodedBits(column, rows, bits_alone), BitsInPattern(column, num_rows));
}

}  // namespace dsi::internal
