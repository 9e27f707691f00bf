#include "dsi/dataset/scan/mixing_rows_internal.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/order/scan_state_internal.h"
#include "dsi/dataset/scan/scan_files_internal.h"
#include "dsi/dataset/scan/stripe_walk_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kMaxSamples = 8;
// Where a window finds a unique row: its first entry, and how many.
constexpr double kPlaceBytes = sizeof(uint64_t) + sizeof(uint32_t);
// Of a row: its session, the place that it is dealt to, its batch, and itself in that order.
constexpr double kRowBytes = 4 * sizeof(uint32_t);

// Bytes of a whole stripe as a window holds it, by the records of its streams, which may lie.
double DecodedBytes(const StripePlan& plan, const ScanProjection& projection, uint32_t num_rows) {
  double bytes = 0;
  for (const PlannedGroup& group : plan.groups) {
    if (group.index != kNone32) bytes += static_cast<double>(num_rows) * sizeof(uint32_t);
  }
  for (const ScanShape& shape : projection.shapes)
    bytes += kPlaceBytes * plan.groups[plan.columns[shape.column].group].record.num_unique;
  for (const ScanValues& values : projection.values) {
    const ColumnPlan& column = plan.columns[values.column];
    auto count = static_cast<double>(column.pool_values);
    if (values.conversion.map != nullptr && column.looked_up() != kNone32)
      count += static_cast<double>(plan.streams[column.looked_up()].record.num_values);
    bytes += count * TypeWidth(values.type);
  }
  for (const PlannedStream& stream : plan.streams) {
    if (stream.role == StreamRole::kDictionary)
      bytes += static_cast<double>(stream.record.num_values) * sizeof(uint64_t);
  }
  return bytes;
}

// Bytes of a row of the stripe that these rows are of.
Result<double> BytesOfRowIn(const RowsOfStripe& rows, ScanFiles* files, MemoryBudget* budget) {
  const uint64_t row = rows.stripe_row + rows.first - rows.file_row;
  DSI_ASSIGN_OR_RETURN(ScanFile* const file, files->Open(rows.file, row));
  double bytes = 0;
  for (const std::unique_ptr<ScanMember>& member : file->members()) {
    const ScanProjection& projection = member->projection();
    const auto plan =
        PlanTogether(member->file(), projection.columns, member->StripeOf(rows.stripe),
                     *member->shared()->reader_options, budget);
    if (!plan.ok()) return plan.status().At(member->name());
    bytes += DecodedBytes(*plan, projection, rows.num_rows);
  }
  return bytes / rows.num_rows;
}

// The mean of stripes that lie evenly among the rows, so that large ones come more often.
Result<double> BytesOfRow(const DatasetFiles& dataset, const DatasetScanOptions& options,
                          const SelectedRows& rows) {
  DatasetScanOptions looked = options;
  looked.access_log.clear();
  looked.scan.filter = {};
  MemoryBudget budget{.limit = options.scan.memory_bytes};
  ScanWorkers workers(&budget, /*threads=*/1);
  DSI_ASSIGN_OR_RETURN(
      const auto files,
      ScanFiles::Make(&dataset, looked, options.order.mix == Mix::kSessions, &workers, &budget));
  double sum = 0;
  double last = 0;
  RowsOfStripe last_stripe;
  std::vector<RowSpan> at;
  const uint64_t num_samples = std::min(kMaxSamples, rows.size());
  for (uint64_t i = 0; i < num_samples; ++i) {
    const uint64_t place = (2 * i + 1) * rows.size() / (2 * num_samples);
    at.clear();
    rows.Append(place, place + 1, &at);
    const RowsOfStripe stripe = TakeStripe(dataset, &at.front());
    if (i == 0 || stripe.stripe_row != last_stripe.stripe_row) {
      DSI_ASSIGN_OR_RETURN(last, BytesOfRowIn(stripe, files.get(), &budget));
    }
    last_stripe = stripe;
    sum += last;
  }
  return kRowBytes + (num_samples == 0 ? 0 : sum / static_cast<double>(num_samples));
}

}  // namespace

Result<OrderOptions> SettleOrder(const DatasetFiles& dataset, const DatasetScanOptions& options,
                                 const std::vector<RowSpan>& rows) {
  OrderOptions order = options.order;
  order.mixing_bytes = 0;
  if (options.order.mixing_bytes == 0) return order;
  if (!options.state.empty()) {
    DSI_ASSIGN_OR_RETURN(const ScanState state, ScanState::FromJson(options.state));
    order.mixing_rows = state.order.mixing_rows;
    if (order.mixing_rows != 0) return order;
    return BadInput(
        "the state is of a scan that mixes no rows, this one has mixing_bytes {}: ask "
        "for the same, or start without a state",
        options.order.mixing_bytes);
  }
  DSI_ASSIGN_OR_RETURN(const SelectedRows selected, SelectedRows::Make(rows));
  DSI_ASSIGN_OR_RETURN(const double bytes_of_row, BytesOfRow(dataset, options, selected));
  const uint64_t batch_size = options.scan.batch_size;
  // No more batches than there are, or than one window may have.
  const uint64_t most = std::max<uint64_t>(
      1, std::min((selected.size() + batch_size - 1) / batch_size, kMaxWindowRows / batch_size));
  const double batches = static_cast<double>(options.order.mixing_bytes) / bytes_of_row /
                         static_cast<double>(batch_size);
  const uint64_t whole =
      batches < static_cast<double>(most) ? static_cast<uint64_t>(batches) : most;
  order.mixing_rows = static_cast<uint32_t>(std::max<uint64_t>(1, whole) * batch_size);
  return order;
}

}  // namespace dsi::internal
