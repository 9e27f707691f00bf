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
    size_t list = 0;
    while (entry >= rows.lengths[list]) entry -= rows.lengths[list++];
    while (rows.ListOf(stored) != list) ++stored;
  } else {
    stored = entry / std::max(feature.fixed_length, 1U);
  }
  return rows.all_present ? stored : rows.rows[stored];
}

template <typename Float>
double LargestValue(std::span<const std::byte> bytes) {
  double largest = 0;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Float)) {
    Float value;
    std::memcpy(&value, &bytes[at], sizeof(Float));
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

template <typename Float>
Result<double> RoundValues(const FeatureSpec& feature, size_t column, double largest,
                           RowBatch::FeatureBuffer* rows, uint64_t first_row) {
  const std::span<std::byte> bytes = rows->values[column];
  const size_t count = bytes.size() / sizeof(Float);
  const Precision precision = feature.columns[column].precision;
  const auto load = [&](size_t i) {
    Float value;
    std::memcpy(&value, &bytes[i * sizeof(Float)], sizeof(Float));
    return value;
  };
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
                   QuoteForMessage(ColumnName(feature, column)),
                   first_row + RowOfEntry(feature, *rows, i), value, PrecisionName(precision),
                   format.largest);
    }
    const auto rounded = static_cast<Float>(nearest);
    std::memcpy(&bytes[i * sizeof(Float)], &rounded, sizeof(Float));
    max_error = std::max(max_error, std::abs(value - static_cast<double>(rounded)));
  }
  return max_error;
}

}  // namespace

double LargestOf(const FeatureSpec& feature, size_t column, const RowBatch::FeatureBuffer& rows) {
  return feature.columns[column].type == Type::kFloat32 ? LargestValue<float>(rows.values[column])
                                                        : LargestValue<double>(rows.values[column]);
}

Result<double> RoundColumn(const FeatureSpec& feature, size_t column, double largest,
                           RowBatch::FeatureBuffer* rows, uint64_t first_row) {
  return feature.columns[column].type == Type::kFloat32
             ? RoundValues<float>(feature, column, largest, rows, first_row)
             : RoundValues<double>(feature, column, largest, rows, first_row);
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
        DSI_ASSIGN_OR_RETURN(const double max_error,
                             RoundColumn(feature, c, LargestOf(feature, c, rows[f]), &rows[f]));
        feature.columns[c].max_error =
            std::min(feature.columns[c].max_error + max_error, std::numeric_limits<double>::max());
        return Status::Ok();
      },
      poll);
}

StagedRounding::StagedRounding(const Schema& schema) : schema_(&schema) {
  for (size_t f = 0; f < schema.features.size(); ++f) {
    for (size_t c = 0; c < schema.features[f].columns.size(); ++c) {
      const Precision precision = schema.features[f].columns[c].precision;
      if (precision == Precision::kExact) continue;
      (precision == Precision::kInt8 ? int8_ : each_).push_back({f, c});
    }
  }
}

void StagedRounding::BeforeSpill(uint64_t first_row, std::span<RowBatch::FeatureBuffer> rows) {
  for (Column& at : each_) {
    const Result<double> max_error =
        RoundColumn(schema_->features[at.feature], at.column, 0, &rows[at.feature], first_row);
    if (max_error.ok()) {
      at.max_error = std::max(at.max_error, *max_error);
    } else if (error_.ok()) {
      error_ = max_error.status();
    }
  }
  for (Column& at : int8_) {
    at.largest =
        std::max(at.largest, LargestOf(schema_->features[at.feature], at.column, rows[at.feature]));
  }
}

Status StagedRounding::AfterRead(std::span<RowBatch::FeatureBuffer> rows) {
  for (Column& at : int8_) {
    DSI_ASSIGN_OR_RETURN(
        const double max_error,
        RoundColumn(schema_->features[at.feature], at.column, at.largest, &rows[at.feature]));
    at.max_error = std::max(at.max_error, max_error);
  }
  return Status::Ok();
}

Status StagedRounding::Finish(Schema* schema) const {
  DSI_RETURN_IF_ERROR(error_);
  for (const std::vector<Column>* columns : {&each_, &int8_}) {
    for (const Column& at : *columns) {
      double& noted = schema->features[at.feature].columns[at.column].max_error;
      noted = std::min(noted + at.max_error, std::numeric_limits<double>::max());
    }
  }
  return Status::Ok();
}

}  // namespace dsi::internal
