// Writes what stands after the pages: stripe tables, directory, sections, core footer, trailer
// (spec §6–§9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/overlay.h"
#include "dsi/format/schema.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/publish/column_totals_internal.h"
#include "dsi/writer/publish/file_sink_internal.h"
#include "dsi/writer/publish/statistics_section_internal.h"
#include "dsi/writer/publish/stripe_tables_internal.h"
#include "dsi/writer/publish/stripe_writer_internal.h"

namespace dsi::internal {

struct DirectoryInput {
  const Schema* schema =
      nullptr;  // As stored: with "__position" when kept. Its features are those of the layout.
  const FileLayout* layout = nullptr;
  std::vector<size_t> cluster_features;  // Ordinals, outermost first.
  std::span<const ColumnTotals> totals;  // By column.
  const StatisticsSection* statistics = nullptr;
  std::vector<PlacedStripe>* stripes = nullptr;
  const StripeTables* tables = nullptr;  // Where stripes are without theirs.
  uint64_t num_rows = 0;
  uint32_t page_values = 0;
  Tuning tuning = Tuning::kNvme;
  const OverlayBinding* overlay = nullptr;  // Null: the file is none.
};

Status WriteDirectory(const DirectoryInput& input, FileSink* sink);

}  // namespace dsi::internal
