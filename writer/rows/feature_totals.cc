#include "dsi/writer/rows/feature_totals_internal.h"

namespace dsi::internal {
namespace {

uint64_t RowBytesOf(const FeatureSpec& spec, const FeatureTotals& totals) {
  const bool has_lengths = HasLengths(spec.kind, spec.columns[0].type);
  uint64_t bytes = totals.num_present * sizeof(uint32_t) * (has_lengths ? 2 : 1);
  for (const ColumnSpec& column : spec.columns)
    bytes += totals.num_entries * static_cast<uint64_t>(TypeWidth(column.type));
  return bytes;
}

}  // namespace

TableTotals TableTotals::Of(const RowBatch& rows, bool with_lengths) {
  TableTotals totals;
  totals.num_rows = rows.num_rows();
  totals.size_bytes = rows.size_bytes();
  const std::vector<FeatureSpec>& features = rows.schema().features;
  totals.features.resize(features.size());
  if (rows.num_rows() == 0) return totals;
  for (size_t f = 0; f < features.size(); ++f) {
    const RowBatch::FeatureBuffer& buffer = rows.feature(f);
    FeatureTotals& feature = totals.features[f];
    feature.num_present = buffer.num_present;
    feature.num_entries = rows.num_entries(f);
    totals.row_bytes += RowBytesOf(features[f], feature);
    if (!buffer.lists.empty()) {
      const auto width = static_cast<size_t>(TypeWidth(features[f].columns[0].type));
      feature.num_repeated = feature.num_entries - buffer.values[0].size() / width;
    }
    if (!with_lengths) continue;
    for (const uint32_t length : buffer.lengths) {
      feature.longest = std::max(feature.longest, length);
      feature.shortest = std::min(feature.shortest, length);
    }
  }
  return totals;
}

void TableTotals::Add(const TableTotals& more) {
  num_rows += more.num_rows;
  size_bytes += more.size_bytes;
  row_bytes += more.row_bytes;
  repeated_bytes += more.repeated_bytes;
  features.resize(std::max(features.size(), more.features.size()));
  for (size_t f = 0; f < more.features.size(); ++f) {
    features[f].num_present += more.features[f].num_present;
    features[f].num_entries += more.features[f].num_entries;
    features[f].num_repeated += more.features[f].num_repeated;
    features[f].num_in_session += more.features[f].num_in_session;
    features[f].longest = std::max(features[f].longest, more.features[f].longest);
    features[f].shortest = std::min(features[f].shortest, more.features[f].shortest);
  }
}

void TableTotals::Subtract(const TableTotals& less) {
  num_rows -= less.num_rows;
  size_bytes -= less.size_bytes;
  row_bytes -= less.row_bytes;
  for (size_t f = 0; f < less.features.size(); ++f) {
    features[f].num_present -= less.features[f].num_present;
    features[f].num_entries -= less.features[f].num_entries;
  }
}

}  // namespace dsi::internal
