// Counts the values of columns batch by batch: unique rows, times the rows that each stands for.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/dataset/count/batch_groups_internal.h"
#include "dsi/dataset/count/value_tally_internal.h"
#include "dsi/dataset/value_counts.h"

namespace dsi {
namespace {

using internal::MemoryBudget;
using internal::ValueTally;

// Of many columns fewer rows at a time: about so many entries of single numbers.
constexpr uint32_t kBatchEntries = 1U << 24;
constexpr uint32_t kMostRows = 1U << 16;
constexpr uint32_t kLeastRows = 1U << 12;
constexpr uint64_t kReadAhead = 256ULL << 20;

// The columns that are asked for, each by its own name.
Result<std::vector<ScanColumn>> FindColumns(const Dataset& dataset, DatasetScanOptions scan) {
  scan.scan.read_ahead_bytes = 0;
  scan.access_log.clear();
  for (Projection& asked : scan.scan.features)
    asked = {.name = std::move(asked.name), .layout = Layout::kIkjt};
  DSI_ASSIGN_OR_RETURN(const auto probe, dataset.NewScan(scan));
  const auto columns = probe->columns();
  return std::vector<ScanColumn>(columns.begin(), columns.end());
}

// As which a column is counted: ValueTally.
std::optional<Type> CountedAs(Type stored) {
  if (stored == Type::kBytes || stored == Type::kUint64) return {};
  return IsFloat(stored) ? Type::kFloat64 : Type::kInt64;
}

class Counter {
 public:
  Counter(const Dataset& dataset, const CountOptions& options)
      : dataset_(dataset), options_(options), budget_{.limit = options.memory_bytes} {}

  Result<std::vector<ValueCounts>> Run() {
    DSI_ASSIGN_OR_RETURN(const std::vector<ScanColumn> columns,
                         FindColumns(dataset_, options_.scan));
    DatasetScanOptions scan = options_.scan;
    scan.scan.features.clear();
    for (const ScanColumn& column : columns) {
      tallies_.emplace_back(column.name, column.dtype, &budget_);
      scan.scan.features.push_back(
          {.name = column.name, .layout = Layout::kIkjt, .dtype = CountedAs(column.dtype)});
    }
    const auto num_columns = static_cast<uint32_t>(std::max<size_t>(1, columns.size()));
    scan.scan.batch_size = std::clamp(kBatchEntries / num_columns, kLeastRows, kMostRows);
    threads_ = internal::NumThreads(static_cast<int>(scan.scan.threads));
    // While batches are counted the next ones are decoded.
    scan.scan.read_ahead_bytes = threads_ > 1 ? kReadAhead : 0;
    DSI_RETURN_IF_ERROR(CountRows(scan));
    std::vector<ValueCounts> counted(tallies_.size());
    DSI_RETURN_IF_ERROR(ForColumns([&](size_t i) {
      counted[i] = tallies_[i].Take();
      return Status::Ok();
    }));
    return counted;
  }

 private:
  Status ForColumns(const std::function<Status(size_t)>& work) {
    return internal::ParallelFor(tallies_.size(), threads_, work, [] { return Status::Ok(); });
  }

  Status CountRows(const DatasetScanOptions& options) {
    DSI_ASSIGN_OR_RETURN(const auto scan, dataset_.NewScan(options));
    Batch batch;
    const uint64_t num_batches = scan->num_batches();
    for (uint64_t done = 0;; ++done) {
      if (options_.progress && !options_.progress(done, num_batches))
        return internal::Error(StatusCode::kCancelled, "stopped after {} batches", done);
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
      DSI_RETURN_IF_ERROR(groups_.Find(batch, tallies_.size(), threads_));
      DSI_RETURN_IF_ERROR(ForColumns([&](size_t i) -> Status {
        DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(i));
        tallies_[i].AddRows(view.unique, groups_.at(groups_.of_column(i)).times);
        return Status::Ok();
      }));
    }
  }

  const Dataset& dataset_;
  const CountOptions& options_;
  MemoryBudget budget_;
  std::vector<ValueTally> tallies_;
  internal::BatchGroups groups_;
  int threads_ = 1;
};

}  // namespace

Result<std::vector<ValueCounts>> CountValues(const Dataset& dataset, const CountOptions& options) {
  return internal::NoThrow(
      [&]() -> Result<std::vector<ValueCounts>> { return Counter(dataset, options).Run(); });
}

}  // namespace dsi
