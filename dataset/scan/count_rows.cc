// How many rows a scan gives, without making a batch of them.
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "dsi/dataset/files/file_skipper_internal.h"
#include "dsi/dataset/scan/asked_outputs_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"
#include "dsi/dataset/scan/file_parts_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"

namespace dsi::internal {
namespace {

class RowCounter {
 public:
  RowCounter(const DatasetFiles& dataset, const DatasetScanOptions& options)
      : dataset_(dataset), options_(options) {}

  Status Prepare() {
    const RowFilter& filter = options_.scan.filter;
    if (!PredicatesOf(filter).empty()) {
      DSI_ASSIGN_OR_RETURN(asked_, AskedOutputs::MakeOfFilter(dataset_, filter));
    }
    if (!filter.where.empty()) {
      DSI_ASSIGN_OR_RETURN(skipper_, FileSkipper::Make(dataset_, filter));
    }
    return Status::Ok();
  }

  Result<uint64_t> Count(const FilePart& part) const {
    if (skipper_.has_value() && !skipper_->MayPass(part.file)) return uint64_t{0};
    // What an overlay has is compared as well.
    if (asked_ != nullptr && !dataset_.overlays_of(part.file).empty()) return CountByScan(part);
    RowFilter filter = options_.scan.filter;
    filter.seed = SampleSeed(dataset_, part.file, filter);
    if (asked_ != nullptr) {
      FileRequest request = asked_->RequestOf(dataset_, part.file, 0);
      if (request.drops_all) return uint64_t{0};
      filter = std::move(request.filter);
    }
    DSI_ASSIGN_OR_RETURN(const std::shared_ptr<const Reader> reader, dataset_.Acquire(part.file));
    ScanOptions scan;
    scan.filter = std::move(filter);
    scan.memory_bytes = options_.scan.memory_bytes;
    uint64_t count = 0;
    for (const RowSpan& rows : part.rows) {
      scan.row_begin = rows.begin;
      scan.row_end = rows.end;
      const Result<uint64_t> more = reader->CountRows(scan);
      if (!more.ok()) return more.status().At(dataset_.files()[part.file].path);
      count += *more;
    }
    return count;
  }

 private:
  Result<uint64_t> CountByScan(const FilePart& part) const {
    DatasetScanOptions options;
    options.scan.filter = options_.scan.filter;
    options.scan.memory_bytes = options_.scan.memory_bytes;
    options.scan.features = {
        {.name = PredicatesOf(options.scan.filter)[0]->column, .layout = Layout::kJagged}};
    const uint64_t first_row = dataset_.files()[part.file].first_row;
    for (const RowSpan& rows : part.rows)
      options.rows.push_back({first_row + rows.begin, first_row + rows.end});
    DSI_ASSIGN_OR_RETURN(const auto scan, MakeDatasetScan(dataset_, options));
    Batch batch;
    uint64_t count = 0;
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return count;
      count += batch.num_rows();
    }
  }

  const DatasetFiles& dataset_;
  const DatasetScanOptions& options_;
  std::unique_ptr<const AskedOutputs> asked_;  // Null: the filter looks at no column.
  std::optional<FileSkipper> skipper_;
};

}  // namespace

Result<uint64_t> CountDatasetRows(const DatasetFiles& dataset, const DatasetScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::vector<RowSpan> rows, RowsOf(dataset, options.rows));
  RowCounter counter(dataset, options);
  DSI_RETURN_IF_ERROR(counter.Prepare());
  const std::vector<FilePart> parts = PartsOf(dataset, rows);
  std::vector<size_t> numbers(parts.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  std::atomic<uint64_t> count = 0;
  DSI_RETURN_IF_ERROR(dataset.ForFiles(numbers, [&](size_t i) -> Status {
    DSI_ASSIGN_OR_RETURN(const uint64_t of_file, counter.Count(parts[i]));
    count += of_file;
    return Status::Ok();
  }));
  return count.load();
}

}  // namespace dsi::internal
