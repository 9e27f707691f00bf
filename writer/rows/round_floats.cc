#include "dsi/writer/rows/round_floats_internal.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/parallel_internal.h"

namespace dsi::internal {
namespace {

// A binary float format: numbers of 1 + mantissa_bits bits, from 2^least_exponent on; smaller ones
// (subnormal) have fewer bits. `largest` is the greatest finite number.
struct FloatFormat {
  int mantissa_bits;
  int least_exponent;
  double largest;
};
constexpr FloatFormat kFp16 = {10, -14, 65504.0};
constexpr FloatFormat kBf16 = {7, -126, 0x1.FEp127};

// Nearest number of the format, ties to even. Scaling by powers of two is exact in float64.
double RoundToFormat(double value, const FloatFormat& format) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int quantum = std::max(exponent - 1, format.least_exponent) - format.mantissa_bits;
  return std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
}

// Multiples of step, -127 to 127 of them; the ends are kept as they are, so that a second rounding
// finds the same step.
double RoundToStep(double value, double step, double largest) {
  const double number = std::nearbyint(value / step);
  if (std::abs(number) >= 127) return std::copysign(largest, value);
  // One zero is enough, but a negative zero that was handed in stays.
  return number == 0 && value != 0 ? 0 : number * step;
}

// The row of an entry, for messages.
uint64_t RowOfEntry(const FeatureSpec& feature, const RowBatch::FeatureBuffer& rows, size_t entry) {
  size_t stored = 0;
  if (IsListKind(feature.kind)) {
    while (entry >= rows.lengths[stored]) entry -= rows.lengths[stored++];
  } else {
    stored = entry / std::max(feature.fixed_length, 1U);
  }
  return rows.all_present ? stored : rows.rows[stored];
}

template <typename Float>
Result<double> RoundValues(const FeatureSpec& feature, size_t column,
                           RowBatch::FeatureBuffer* rows) {
  std::vector<std::byte>& bytes = rows->values[column];
  const size_t count = bytes.size() / sizeof(Float);
  const Precision precision = feature.columns[column].precision;
  const auto load = [&](size_t i) {
    Float value;
    std::memcpy(&value, &bytes[i * sizeof(Float)], sizeof(Float));
    return value;
  };
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = load(i);
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const double step = largest / 127;
  // Numbers so small that their step is none are kept.
  if (precision == Precision::kInt8 && step == 0) return 0.0;
  const FloatFormat& format = precision == Precision::kFp16 ? kFp16 : kBf16;
  double max_error = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = load(i);
    if (!std::isfinite(value)) continue;
    const double nearest = precision == Precision::kInt8 ? RoundToStep(value, step, largest)
                                                         : RoundToFormat(value, format);
    if (precision != Precision::kInt8 && std::abs(nearest) > format.largest) {
      return Error(StatusCode::kOutOfRange,
                   "feature {}, row {}: {} is beyond {}, whose largest number is {} (S-014)",
                   QuoteForMessage(ColumnName(feature, column)), RowOfEntry(feature, *rows, i),
                   value, PrecisionName(precision), format.largest);
    }
    const auto rounded = static_cast<Float>(nearest);
    std::memcpy(&bytes[i * sizeof(Float)], &rounded, sizeof(Float));
    max_error = std::max(max_error, std::abs(value - static_cast<double>(rounded)));
  }
  return max_error;
}

}  // namespace

Result<double> RoundColumn(const FeatureSpec& feature, size_t column,
                           RowBatch::FeatureBuffer* rows) {
  return feature.columns[column].type == Type::kFloat32
             ? RoundValues<float>(feature, column, rows)
             : RoundValues<double>(feature, column, rows);
}

Status RoundFloats(std::span<RowBatch::FeatureBuffer> rows, int threads,
                   const std::function<Status()>& poll, Schema* schema) {
  struct Place {
    size_t feature;
    size_t column;
  };
  std::vector<Place> places;
  for (size_t f = 0; f < schema->features.size(); ++f) {
    for (size_t c = 0; c < schema->features[f].columns.size(); ++c) {
      if (schema->features[f].columns[c].precision != Precision::kExact) places.push_back({f, c});
    }
  }
  return ParallelFor(
      places.size(), threads,
      [&](size_t i) {
        const auto [f, c] = places[i];
        FeatureSpec& feature = schema->features[f];
        DSI_ASSIGN_OR_RETURN(const double max_error, RoundColumn(feature, c, &rows[f]));
        feature.columns[c].max_error =
            std::min(feature.columns[c].max_error + max_error, std::numeric_limits<double>::max());
        return Status::Ok();
      },
      poll);
}

}  // namespace dsi::internal
