#include "dsi/rewrite/copy_rows_internal.h"

#include <algorithm>
#include <string>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/rewrite/cancelled_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBatchRows = 1024;
// Rows that nobody asked for are read along where they are fewer than a page's worth: the page is
// decoded anyway.
constexpr uint64_t kGapWorthReading = 1024;

// Ranges that hold all the rows.
std::vector<DatasetRows> RangesOf(std::span<const uint64_t> rows) {
  std::vector<DatasetRows> ranges;
  for (const uint64_t row : rows) {
    if (ranges.empty() || row - ranges.back().end > kGapWorthReading) {
      ranges.push_back({row, row + 1});
    } else {
      ranges.back().end = row + 1;
    }
  }
  return ranges;
}

DatasetScanOptions OptionsOf(const RowCopy& copy) {
  DatasetScanOptions options;
  options.scan.batch_size = kBatchRows;
  options.scan.filter = copy.filter;
  options.scan.threads = copy.threads;
  if (copy.memory_bytes != 0) options.scan.memory_bytes = copy.memory_bytes / 4;
  for (const auto& of_feature : copy.plan->sources)
    options.scan.features.insert(options.scan.features.end(), of_feature.begin(), of_feature.end());
  options.rows = copy.ranges.empty() ? RangesOf(copy.rows) : copy.ranges;
  return options;
}

// Hands over runs of the rows that are asked for; `wanted` loses those that were passed.
Status TakeWanted(std::span<const uint64_t> numbers, BatchColumns* columns, const TakeRows& take,
                  std::span<const uint64_t>* wanted) {
  size_t row = 0;
  while (row < numbers.size() && !wanted->empty()) {
    if (numbers[row] != wanted->front()) {
      // A row that was asked for and did not pass the filter, or one that was not asked for.
      if (numbers[row] > wanted->front()) {
        *wanted = wanted->subspan(1);
      } else {
        ++row;
      }
      continue;
    }
    size_t length = 1;
    while (row + length < numbers.size() && length < wanted->size() &&
           numbers[row + length] == (*wanted)[length])
      ++length;
    DSI_RETURN_IF_ERROR(
        take(length, columns->Rows(row, row + length), numbers.subspan(row, length)));
    row += length;
    *wanted = wanted->subspan(length);
  }
  return Status::Ok();
}

// Says of a budget that was too small which share of memory_bytes it is.
Status OfReading(const RowCopy& copy, const Status& status) {
  if (copy.memory_bytes == 0 || status.code() != StatusCode::kResourceExhausted ||
      status.message().find("memory budget") == std::string::npos)
    return status;
  return {status.code(),
          fmt::format("{} (reading gets a quarter of memory_bytes)", status.message())};
}

}  // namespace

RowCopy NewRowCopy(const Dataset& from, const RewritePlan& plan, const WriterOptions& writer) {
  RowCopy copy;
  copy.from = &from;
  copy.plan = &plan;
  copy.memory_bytes = writer.memory_bytes;
  copy.threads = static_cast<uint32_t>(std::max(0, writer.threads));
  return copy;
}

WriterOptions WritersShare(const WriterOptions& writer) {
  WriterOptions share = writer;
  share.memory_bytes -= share.memory_bytes / 4;
  return share;
}

Status CopyBatches(const RowCopy& copy, const TakeBatch& take) {
  const DatasetScanOptions options = OptionsOf(copy);
  if (options.scan.features.empty())
    return InvalidArgument("the files have none of the features to write");
  const auto scan = copy.from->NewScan(options);
  if (!scan.ok()) return OfReading(copy, scan.status());
  Batch batch;
  BatchColumns columns;
  std::vector<uint64_t> numbers;
  while (true) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) return OfReading(copy, more.status());
    if (copy.progress && !copy.progress((*scan)->stats().rows + (*scan)->stats().rows_dropped))
      return CancelledByProgress();
    if (!*more) return Status::Ok();
    DSI_RETURN_IF_ERROR(columns.Fill(*copy.plan, batch));
    numbers.assign(batch.row_numbers().begin(), batch.row_numbers().end());
    for (size_t row = numbers.size(); row < batch.num_rows(); ++row)
      numbers.push_back(batch.first_row() + row);  // They follow each other.
    DSI_RETURN_IF_ERROR(take(&columns, numbers));
  }
}

Status CopyRows(const RowCopy& copy, const TakeRows& take) {
  std::span<const uint64_t> wanted = copy.rows;
  return CopyBatches(copy, [&](BatchColumns* columns, std::span<const uint64_t> numbers) {
    if (copy.rows.empty()) return take(numbers.size(), columns->Rows(0, numbers.size()), numbers);
    return TakeWanted(numbers, columns, take, &wanted);
  });
}

}  // namespace dsi::internal
