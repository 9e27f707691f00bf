#include <algorithm>
#include <memory>
#include <utility>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/rewrite/cancelled_internal.h"
#include "dsi/rewrite/row_numbers_internal.h"

namespace dsi::internal {
namespace {

// What is cheapest of all that is read anyway: as little of the first predicate's column as there
// is.
Result<DatasetScanOptions> NumbersOnly(const Dataset& dataset, const std::vector<Predicate>& where,
                                       uint64_t memory_bytes) {
  DatasetScanOptions options;
  options.scan.batch_size = 65'536;
  options.scan.memory_bytes = memory_bytes;
  options.scan.filter.where = where;
  Projection& asked = options.scan.features.emplace_back();
  asked.name = where[0].column;
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset.Columns());
  const bool is_text = std::any_of(columns.begin(), columns.end(), [&](const ColumnInfo& column) {
    return column.name == asked.name && column.type == Type::kBytes;
  });
  asked.layout = is_text ? Layout::kJagged : Layout::kPadded;
  asked.width = is_text ? 0 : 1;
  return options;
}

}  // namespace

Result<RowNumbers> FindRowNumbers(const Dataset& dataset, const std::vector<Predicate>& where,
                                  uint64_t memory_bytes,
                                  const std::function<bool(uint64_t, uint64_t)>& progress) {
  DSI_ASSIGN_OR_RETURN(const DatasetScanOptions options, NumbersOnly(dataset, where, memory_bytes));
  DSI_ASSIGN_OR_RETURN(const auto scan, dataset.NewScan(options));
  RowNumbers rows;
  Batch batch;
  std::vector<BatchRow> found;
  for (uint64_t done = 0;; done += options.scan.batch_size) {
    if (progress && !progress(std::min(done, dataset.num_rows()), dataset.num_rows()))
      return CancelledByProgress();
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return rows;
    DSI_RETURN_IF_ERROR(scan->RowsOf(batch, &found));
    for (const BatchRow& row : found) rows[row.file].push_back(row.row);
  }
}

}  // namespace dsi::internal
