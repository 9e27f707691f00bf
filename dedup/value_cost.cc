#include "dsi/dedup/value_cost_internal.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/logarithm_internal.h"
#include "dsi/dedup/key_index_internal.h"
#include "dsi/dedup/row_compare_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMostInPattern = 4;  // Values that are looked at for a pattern.
constexpr size_t kPieces = 4;
constexpr size_t kOrderSample = 512;  // Rows that show what an order is worth.

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
  // Rows are few: a table twice as large, of which equal ones share a place.
  std::vector<std::pair<uint64_t, uint32_t>> uses(std::bit_ceil(2 * rows.size()));
  for (const uint32_t row : rows) {
    const uint64_t hash = HashRow(column, row);
    size_t at = hash % uses.size();
    while (uses[at].second != 0 && uses[at].first != hash) at = (at + 1) % uses.size();
    uses[at].first = hash;
    ++uses[at].second;
  }
  const auto total = static_cast<double>(rows.size());
  const auto code_bits = [total](double times) { return times * Log2(total / times); };
  double sum = 0;
  double alone = 0;
  for (const auto& [hash, times] : uses) {
    if (times == 1) ++alone;
    if (times > 1) sum += code_bits(times);
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

double BitsInOrder(const FeatureRows& column, std::span<const uint32_t> rows, bool have_windows,
                   double to_decode) {
  constexpr double kMostBits = 26;   // Between codes into a dictionary and ids that have none.
  constexpr double kWindowBits = 4;  // Of a list that is mostly in the one before.
  constexpr double kStepBits = 1;    // Of a number that follows from the one before.
  if (rows.empty()) return 0;
  const bool is_number = column.entries_per_row == 1;
  std::vector<uint32_t> sample;
  std::vector<std::pair<uint32_t, uint32_t>> neighbours;
  const size_t step = std::max<size_t>(1, rows.size() / kOrderSample);
  double entries = 0;
  for (size_t i = step / 2; i < rows.size(); i += step) {
    const uint32_t shape = ShapeOf(column, rows[i]);
    sample.push_back(rows[i]);
    entries += static_cast<double>(EntriesOf(column, shape));
    if (i != 0 && shape != 0) neighbours.emplace_back(rows[i - 1], rows[i]);
  }
  entries /= static_cast<double>(sample.size());
  double bits = 0;
  for (const FeatureRows::Values& values : column.values)
    bits += entries * (is_number ? std::min(8.0 * values.width, kMostBits)
                                 : std::min(4.0 * values.width, kMostBits));
  if (is_number) bits = CodedBits(column, sample, bits);
  if (is_number || have_windows) {
    const double repeat = is_number ? kStepBits : kWindowBits;
    bits = std::min(bits, bits * NewShare(column, neighbours) + repeat);
  }
  return (bits + to_decode * entries) * static_cast<double>(rows.size());
}

}  // namespace dsi::internal
