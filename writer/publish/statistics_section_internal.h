// The statistics of a file (spec F-082), gathered stripe by stripe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/publish/column_totals_internal.h"

namespace dsi::internal {

class StatisticsSection {
 public:
  // Both must outlive it; those of the schema are the features of the layout.
  void Start(const Schema* schema, const FileLayout* layout);
  // Of the next stripe, by feature.
  void Add(std::span<const ColumnStatistics> stripe);
  // What the file has of them; empty where that says nothing, or would be too much.
  std::vector<std::byte> Make(std::span<const ColumnTotals> totals, uint64_t data_bytes) const;

 private:
  bool MayLeaveOut(const FeatureSpec& feature) const {
    return feature.kind == Kind::kDense || feature.kind == Kind::kString;
  }

  const Schema* schema_ = nullptr;
  const FileLayout* layout_ = nullptr;
  std::vector<std::vector<std::byte>> entries_;  // By feature.
  uint64_t held_ = 0;                            // Bytes of the entries.
  bool full_ = false;                            // What may be left out is.
};

}  // namespace dsi::internal
