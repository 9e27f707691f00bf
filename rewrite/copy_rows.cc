#include "dsi/rewrite/copy_rows_internal.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/rewrite/cancelled_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBatchRows = 1024;
constexpr uint32_t kFewestRows = 128;  // Of a batch, where memory is short.
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
  if (copy.memory_bytes != 0)
    options.scan.memory_bytes = copy.memory_bytes / 4 * copy.reading_quarters;
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

bool IsShort(const Status& status) { return status.code() == StatusCode::kResourceExhausted; }

// Says of a budget that was too small which share of memory_bytes it is.
Status OfReading(const RowCopy& copy, const Status& status) {
  if (copy.memory_bytes == 0 || !IsShort(status)) return status;
  if (copy.needs_more != nullptr) *copy.needs_more = true;
  constexpr std::string_view kShares[] = {"a quarter", "half", "three quarters"};
  return {status.code(), fmt::format("{} (reading gets {} of memory_bytes)", status.message(),
                                     kShares[copy.reading_quarters - 1])};
}

// Leaves of the ranges what is from a row on. Returns how many rows are before.
uint64_t DropBefore(uint64_t row, uint64_t num_rows, std::vector<DatasetRows>* ranges) {
  if (ranges->empty()) ranges->push_back({0, num_rows});
  uint64_t dropped = 0;
  for (DatasetRows& range : *ranges) {
    const uint64_t begin = std::clamp(row, range.begin, range.end);
    dropped += begin - range.begin;
    range.begin = begin;
  }
  std::erase_if(*ranges, [](const DatasetRows& range) { return range.begin == range.end; });
  return dropped;
}

// The batches of a scan, of fewer rows from there on where they do not fit into its memory.
class ShrinkingScan {
 public:
  explicit ShrinkingScan(const RowCopy& copy) : copy_(copy), options_(OptionsOf(copy)) {}

  bool has_features() const { return !options_.scan.features.empty(); }
  uint64_t rows_passed() const {
    if (scan_ == nullptr) return passed_before_;
    return passed_before_ + scan_->stats().rows + scan_->stats().rows_dropped;
  }

  // A batch, perhaps of no rows, and their numbers. False: there are no more.
  Result<bool> Next(Batch* batch, std::vector<uint64_t>* numbers) {
    while (true) {
      if (scan_ == nullptr) {
        auto scan = copy_.from->NewScan(options_);
        if (!scan.ok()) return OfReading(copy_, scan.status());
        scan_ = *std::move(scan);
      }
      const auto more = scan_->Next(batch);
      if (more.ok()) {
        numbers->assign(batch->row_numbers().begin(), batch->row_numbers().end());
        for (size_t row = numbers->size(); row < batch->num_rows(); ++row)
          numbers->push_back(batch->first_row() + row);  // They follow each other.
        if (!numbers->empty()) next_row_ = numbers->back() + 1;
        return *more;
      }
      if (copy_.memory_bytes == 0 || !IsShort(more.status()) ||
          options_.scan.batch_size <= kFewestRows)
        return OfReading(copy_, more.status());
      options_.scan.batch_size /= 8;
      scan_ = nullptr;
      passed_before_ += DropBefore(next_row_, copy_.from->num_rows(), &options_.rows);
      if (options_.rows.empty()) return false;  // Which would mean all rows.
    }
  }

 private:
  const RowCopy& copy_;
  DatasetScanOptions options_;
  std::unique_ptr<DatasetScan> scan_;
  uint64_t next_row_ = 0;
  uint64_t passed_before_ = 0;  // By scans of larger batches.
};

}  // namespace

RowCopy NewRowCopy(const Dataset& from, const RewritePlan& plan, const WriterOptions& writer) {
  RowCopy copy;
  copy.from = &from;
  copy.plan = &plan;
  copy.memory_bytes = writer.memory_bytes;
  copy.threads = static_cast<uint32_t>(std::max(0, writer.threads));
  return copy;
}

WriterOptions WritersShare(const WriterOptions& writer, uint32_t reading_quarters) {
  WriterOptions share = writer;
  share.memory_bytes -= share.memory_bytes / 4 * reading_quarters;
  return share;
}

Status CopyBatches(const RowCopy& copy, const TakeBatch& take) {
  ShrinkingScan scan(copy);
  if (!scan.has_features()) return InvalidArgument("the files have none of the features to write");
  Batch batch;
  BatchColumns columns;
  std::vector<uint64_t> numbers;
  while (true) {
    bool more = false;
    DSI_ASSIGN_OR_RETURN(more, scan.Next(&batch, &numbers));
    if (copy.progress && !copy.progress(scan.rows_passed())) return CancelledByProgress();
    if (!more) return Status::Ok();
    DSI_RETURN_IF_ERROR(columns.Fill(*copy.plan, batch));
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
