// Section kind 2: columns whose values were rounded when they were written (spec F-081).
#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/reader/describe/describe_internal.h"

namespace dsi::internal {
namespace {

// S-014.
bool MayBeRounded(const ColumnRecord& column) {
  const bool kind_fits =
      column.kind == Kind::kDense || column.kind == Kind::kEmbedding || IsListKind(column.kind);
  return kind_fits && IsFloat(column.type);
}

}  // namespace

Result<std::vector<PrecisionRecord>> LoadPrecisions(const OpenFile& file) {
  std::vector<PrecisionRecord> records;
  for (const SectionRef& section : file.core().sections) {
    if (section.kind != kSectionPrecision) continue;
    DSI_ASSIGN_OR_RETURN(const CountedVector<std::byte> bytes, file.LoadSection(section, nullptr));
    for (size_t at = 0; at < bytes.size(); at += PrecisionRecord::kSize) {
      DSI_ASSIGN_OR_RETURN(const PrecisionRecord record, PrecisionRecord::DecodeFrom(&bytes[at]));
      if (record.column >= file.core().columns.count ||
          (!records.empty() && record.column <= records.back().column)) {
        return Corrupt("precision of column {}: columns do not ascend below {} (F-081)",
                       record.column, file.core().columns.count);
      }
      records.push_back(record);
    }
  }
  return records;
}

Result<PrecisionRecord> PrecisionOf(const std::vector<PrecisionRecord>& precisions,
                                    const OpenColumn& column) {
  const auto at = std::lower_bound(
      precisions.begin(), precisions.end(), column.ordinal,
      [](const PrecisionRecord& record, uint32_t ordinal) { return record.column < ordinal; });
  if (at == precisions.end() || at->column != column.ordinal) {
    return PrecisionRecord{.column = column.ordinal, .precision = Precision::kExact};
  }
  if (column.record.Support().ok() && !MayBeRounded(column.record)) {
    return Corrupt("precision of column {}: kind {}, type {} is stored exactly (S-014)",
                   column.ordinal, static_cast<int>(column.record.kind),
                   static_cast<int>(column.record.type));
  }
  return *at;
}

}  // namespace dsi::internal
