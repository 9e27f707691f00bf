// The stripes of a file, one after another, and then its directory: the layout is planned once, on
// rows that are there, and kept for all stripes, also of rows that come later.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/row_loader_internal.h"
#include "dsi/writer/cluster/row_shelves_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/encode/encode_stripes_internal.h"
#include "dsi/writer/encode/plan_memory_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/publish/directory_writer_internal.h"
#include "dsi/writer/publish/file_sink_internal.h"
#include "dsi/writer/publish/stripe_tables_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

// What the body needs of its caller. All must outlive it.
struct BodyInput {
  WritableFile* file = nullptr;
  const Schema* schema = nullptr;          // As stored, with the position where it is kept.
  const WriterOptions* options = nullptr;  // With the threads that are used.
  const ClusterKeys* keys = nullptr;
  uint64_t salt = 0;
  std::string spill_folder;
  ForEach for_each;
  std::function<Status(uint64_t rows_done, uint64_t bytes)> progress;
};

// The rows that a layout is planned on.
struct PlannedRows {
  const TableTotals* totals = nullptr;  // Of these rows alone.
  const RowList* rows = nullptr;
  std::span<const StripeCut> cuts;  // Of these rows.
  RowLimits most;                   // Of a sample, where a stripe has more.
};

class FileBody {
 public:
  explicit FileBody(BodyInput input)
      : in_(std::move(input)), sink_(in_.file, in_.salt), tables_(in_.spill_folder) {}

  // Once, before the rest: plans the layout and writes the header. The loader knows the rows.
  Status Begin(const PlannedRows& planned, RowLoader* loader);
  // The next stripes, in order, of which some are encoded beside each other. The loader's first row
  // is the file's row `first_row`. `shelves` null: rows keep their order, so that no block of
  // spilled rows is read again.
  Status Write(std::span<const StripeCut> cuts, uint64_t first_row, const StripesAtHand& at_hand,
               RowLoader* loader, RowShelves* shelves);
  // After the last stripe: the directory. Fills in the report what the body knows.
  Status End(uint64_t num_rows, WriteReport* report);
  uint64_t bytes_written() const { return sink_.offset(); }
  size_t num_stripes() const { return placed_.size(); }

 private:
  // `beside`: see EncodeStripes.
  Status WriteStripes(std::span<const StripeCut> cuts, uint64_t first_row,
                      std::span<const LoadedRows> loaded, const std::function<Status()>& beside);
  void Count(const EncodedStripe& encoded);

  BodyInput in_;
  FileSink sink_;
  StripeTables tables_;
  FileLayout layout_;
  std::optional<PlanMemory> plans_;
  std::vector<PlacedStripe> placed_;
  std::vector<ColumnTotals> totals_;
  StatisticsSection statistics_;
  WriteReport report_;
};

}  // namespace dsi::internal
