#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/file_skipper_internal.h"
#include "dsi/dataset/scan/asked_outputs_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"

namespace dsi::internal {
namespace {

struct FilePart {
  uint32_t file = 0;
  std::vector<RowSpan> rows;  // Of the file.
};

// Which rows of which files these are; spans ascend.
std::vector<FilePart> PartsOf(const DatasetFiles& dataset, const std::vector<RowSpan>& rows) {
  std::vector<FilePart> parts;
  uint64_t first_row = 0;
  size_t span = 0;
  for (uint32_t file = 0; file < dataset.files().size(); ++file) {
    const uint64_t end = dataset.file_ends()[file];
    FilePart part{.file = file, .rows = {}};
    while (span < rows.size() && rows[span].begin < end) {
      const uint64_t to = std::min(rows[span].end, end);
      const uint64_t from = std::max(rows[span].begin, first_row);
      if (from < to) part.rows.push_back({from - first_row, to - first_row});
      if (rows[span].end > end) break;
      ++span;
    }
    if (!part.rows.empty()) parts.push_back(std::move(part));
    first_row = end;
  }
  return parts;
}

uint64_t CountStripes(std::span<const uint32_t> stripe_rows, const RowSpan& rows) {
  uint64_t count = 0;
  uint64_t first_row = 0;
  for (const uint32_t num_rows : stripe_rows) {
    if (first_row < rows.end && first_row + num_rows > rows.begin) ++count;
    first_row += num_rows;
  }
  return count;
}

// Where a file has none of the features, what a filter compares is all that is read of it.
void AskForFilterColumns(ScanOptions* scan) {
  const auto add = [&](const Predicate& predicate) {
    const auto is_it = [&](const Projection& known) { return known.name == predicate.column; };
    if (std::none_of(scan->features.begin(), scan->features.end(), is_it))
      scan->features.push_back({.name = predicate.column});
  };
  std::for_each(scan->filter.where.begin(), scan->filter.where.end(), add);
  for (const Sampling& sampling : scan->filter.sample)
    std::for_each(sampling.when.begin(), sampling.when.end(), add);
  scan->filter = {};
}

Status PlanFile(const DatasetFiles& dataset, const FilePart& part, ScanOptions scan,
                DatasetPlan::File* planned) {
  if (scan.features.empty()) AskForFilterColumns(&scan);
  if (scan.features.empty()) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(const std::shared_ptr<const Reader> reader, dataset.Acquire(part.file));
  PlannedReads& sum = planned->reads;
  for (const RowSpan& rows : part.rows) {
    scan.row_begin = rows.begin;
    scan.row_end = rows.end;
    Result<ReadPlan> plan = reader->Plan(scan);
    if (!plan.ok()) return plan.status().At(dataset.files()[part.file].path);
    sum.stripes_skipped += plan->stripes_skipped;
    sum.reads += plan->ranges.size();
    sum.bytes += plan->bytes;
    sum.bytes_needed += plan->bytes_needed;
    sum.directory_reads += plan->directory_reads;
    sum.directory_bytes += plan->directory_bytes;
    planned->steps = std::max(planned->steps, plan->steps);
  }
  return Status::Ok();
}

void Add(const PlannedReads& of_file, PlannedReads* sum) {
  sum->num_rows += of_file.num_rows;
  sum->num_stripes += of_file.num_stripes;
  sum->stripes_skipped += of_file.stripes_skipped;
  sum->reads += of_file.reads;
  sum->bytes += of_file.bytes;
  sum->bytes_needed += of_file.bytes_needed;
  sum->directory_reads += of_file.directory_reads;
  sum->directory_bytes += of_file.directory_bytes;
}

}  // namespace

Result<DatasetPlan> PlanDataset(const DatasetFiles& dataset, const DatasetScanOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::vector<RowSpan> rows, RowsOf(dataset, options.rows));
  DSI_ASSIGN_OR_RETURN(const auto asked, AskedOutputs::Make(dataset, options));
  std::optional<FileSkipper> skipper;
  if (!options.scan.filter.where.empty()) {
    DSI_ASSIGN_OR_RETURN(skipper, FileSkipper::Make(dataset, options.scan.filter));
  }
  const std::vector<FilePart> parts = PartsOf(dataset, rows);
  DatasetPlan plan;
  plan.files.resize(parts.size());
  std::vector<size_t> numbers(parts.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  DSI_RETURN_IF_ERROR(dataset.ForFiles(numbers, [&](size_t i) -> Status {
    const FilePart& part = parts[i];
    DatasetPlan::File& planned = plan.files[i];
    planned.file = part.file;
    for (const RowSpan& span : part.rows) {
      planned.reads.num_rows += span.end - span.begin;
      planned.reads.num_stripes += CountStripes(dataset.stripe_rows(part.file), span);
    }
    FileRequest request = asked->RequestOf(dataset, part.file);
    planned.is_skipped = request.drops_all || (skipper.has_value() && !skipper->MayPass(part.file));
    if (!planned.is_skipped) return PlanFile(dataset, part, std::move(request.options), &planned);
    planned.reads.stripes_skipped = planned.reads.num_stripes;
    return Status::Ok();
  }));
  for (const DatasetPlan::File& file : plan.files) {
    if (file.is_skipped) ++plan.files_skipped;
    Add(file.reads, &plan.reads);
  }
  return plan;
}

}  // namespace dsi::internal
