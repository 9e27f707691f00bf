#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/file_skipper_internal.h"
#include "dsi/dataset/scan/asked_outputs_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"
#include "dsi/dataset/scan/file_parts_internal.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"

namespace dsi::internal {
namespace {

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
  for (const Predicate* const predicate : PredicatesOf(scan->filter)) {
    const auto is_it = [&](const Projection& known) { return known.name == predicate->column; };
    if (std::none_of(scan->features.begin(), scan->features.end(), is_it))
      scan->features.push_back({.name = predicate->column});
  }
  scan->filter = {};
}

// As far as statistics of the file tell.
Result<bool> IsRuledOut(const Reader& reader, const RowFilter& filter, size_t stripe) {
  const OpenFile& file = ReaderAccess::File(reader);
  MemoryBudget budget;
  DSI_ASSIGN_OR_RETURN(const FilterColumns columns, FindFilterColumns(file, filter));
  DSI_ASSIGN_OR_RETURN(const CountedVector<bool> ruled_out,
                       RuledOutStripes(file, filter, columns, stripe, stripe + 1, &budget));
  return !ruled_out.empty() && ruled_out[0];
}

void Add(const PlannedReads& some, PlannedReads* sum) {
  sum->num_rows += some.num_rows;
  sum->num_stripes += some.num_stripes;
  sum->stripes_skipped += some.stripes_skipped;
  sum->reads += some.reads;
  sum->bytes += some.bytes;
  sum->bytes_needed += some.bytes_needed;
  sum->directory_reads += some.directory_reads;
  sum->directory_bytes += some.directory_bytes;
}

void Add(const ReadPlan& plan, PlannedReads* sum) {
  Add(PlannedReads{.stripes_skipped = plan.stripes_skipped,
                   .reads = plan.ranges.size(),
                   .bytes = plan.bytes,
                   .bytes_needed = plan.bytes_needed,
                   .directory_reads = plan.directory_reads,
                   .directory_bytes = plan.directory_bytes},
      sum);
}

Status PlanFile(const DatasetFiles& dataset, const FilePart& part, ScanOptions scan,
                DatasetPlan::File* planned) {
  if (scan.features.empty()) AskForFilterColumns(&scan);
  if (scan.features.empty()) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(const std::shared_ptr<const Reader> reader, dataset.Acquire(part.file));
  for (const RowSpan& rows : part.rows) {
    scan.row_begin = rows.begin;
    scan.row_end = rows.end;
    Result<ReadPlan> plan = reader->Plan(scan);
    if (!plan.ok()) return plan.status().At(dataset.files()[part.file].path);
    Add(*plan, &planned->reads);
    planned->steps = std::max(planned->steps, plan->steps);
  }
  return Status::Ok();
}

// Files that have the rows of one stripe: the file itself, and those of its overlays that are
// asked.
class OverlaidPlanner {
 public:
  OverlaidPlanner(const DatasetFiles& dataset, const AskedOutputs& asked, const FilePart& part,
                  DatasetPlan::File* planned)
      : dataset_(dataset), asked_(asked), part_(part), planned_(*planned) {}

  // Stripe by stripe: what one of the files rules out is read of none.
  Status Run() {
    const std::span<const uint32_t> stripe_rows = dataset_.stripe_rows(part_.file);
    for (const RowSpan& span : part_.rows) {
      uint64_t first_row = 0;
      for (size_t stripe = 0; stripe < stripe_rows.size(); ++stripe) {
        const uint64_t end = first_row + stripe_rows[stripe];
        if (first_row < span.end && end > span.begin) {
          const RowSpan rows{std::max(span.begin, first_row) - first_row,
                             std::min(span.end, end) - first_row};
          DSI_RETURN_IF_ERROR(PlanStripe(stripe, first_row, rows));
        }
        first_row = end;
      }
    }
    return Status::Ok();
  }

 private:
  Status PlanStripe(size_t stripe, uint64_t first_row, const RowSpan& rows) {
    const size_t variant = asked_.schemas().VariantAt(part_.file, first_row);
    if (!request_.has_value() || variant != variant_)
      request_ = asked_.RequestOf(dataset_, part_.file, variant_ = variant);
    const FileRequest& request = *request_;
    DSI_ASSIGN_OR_RETURN(const std::shared_ptr<const Reader> base, dataset_.Acquire(part_.file));
    const StripeInfo& info = base->stripes()[stripe];
    bool is_skipped = request.drops_all || info.num_deleted_rows == info.num_rows;
    const std::vector<RowFilter> filters =
        SplitFilter(request.filter, request.filter_members, request.members.size());
    std::vector<ReadPlan> plans;
    for (size_t i = 0; i < request.members.size() && !is_skipped; ++i) {
      ScanOptions scan = request.members[i].options;
      scan.filter = filters[i];
      std::shared_ptr<const Reader> reader = base;
      size_t own = stripe;
      if (i != 0) {
        DSI_ASSIGN_OR_RETURN(reader, dataset_.AcquireOverlay(request.overlays[i - 1]));
        own = StripeOf(request.overlays[i - 1], stripe);
      }
      if (scan.features.empty()) {
        DSI_ASSIGN_OR_RETURN(is_skipped, IsRuledOut(*reader, scan.filter, own));
        AskForFilterColumns(&scan);
      }
      if (is_skipped || scan.features.empty()) continue;
      scan.row_begin = reader->stripes()[own].first_row + rows.begin;
      scan.row_end = reader->stripes()[own].first_row + rows.end;
      Result<ReadPlan> plan = reader->Plan(scan);
      if (!plan.ok()) return plan.status().At(dataset_.files()[part_.file].path);
      is_skipped = plan->stripes_skipped != 0;
      planned_.steps = std::max(planned_.steps, plan->steps);
      // The directory is read once.
      if (!directories_.insert(reader.get()).second)
        plan->directory_reads = plan->directory_bytes = 0;
      plans.push_back(*std::move(plan));
    }
    if (is_skipped) ++planned_.reads.stripes_skipped;
    for (const ReadPlan& plan : plans) {
      if (!is_skipped) Add(plan, &planned_.reads);
    }
    return Status::Ok();
  }

  size_t StripeOf(uint32_t overlay, size_t stripe) const {
    const std::span<const PlacedOverlay> placed = dataset_.overlays_of(part_.file);
    const auto at = std::find_if(placed.begin(), placed.end(),
                                 [&](const PlacedOverlay& one) { return one.overlay == overlay; });
    return static_cast<size_t>(std::lower_bound(at->stripes.begin(), at->stripes.end(), stripe) -
                               at->stripes.begin());
  }

  const DatasetFiles& dataset_;
  const AskedOutputs& asked_;
  const FilePart& part_;
  DatasetPlan::File& planned_;
  size_t variant_ = 0;
  std::optional<FileRequest> request_;   // Of that variant: stripes beside each other share it.
  std::set<const Reader*> directories_;  // Those that were looked up in.
};

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
    const bool may_pass = !skipper.has_value() || skipper->MayPass(part.file);
    if (may_pass && !dataset.overlays_of(part.file).empty())
      return OverlaidPlanner(dataset, *asked, part, &planned).Run();
    FileRequest request = asked->RequestOf(dataset, part.file, 0);
    planned.is_skipped = request.drops_all || !may_pass;
    ScanOptions& scan = request.members[0].options;
    scan.filter = request.filter;
    if (!planned.is_skipped) return PlanFile(dataset, part, std::move(scan), &planned);
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
