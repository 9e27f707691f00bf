#include "dsi/dataset/compare/hashed_rows_internal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/base/parallel_internal.h"
#include "dsi/base/split_mix_internal.h"
#include "dsi/dataset/compare/hash_values_internal.h"

namespace dsi::internal {
namespace {

// Of many columns fewer rows at a time: about so many entries of single numbers.
constexpr size_t kBatchEntries = size_t{1} << 21;
constexpr size_t kMostRows = size_t{1} << 16;
constexpr size_t kLeastRows = size_t{1} << 10;
constexpr uint64_t kReadAhead = 128ULL << 20;
// Rows that one thread sums at a time.
constexpr size_t kSumRows = 4096;

// As Projection::dtype: what HashValues takes.
std::optional<Type> ReadAs(Type stored) {
  if (stored == Type::kBytes || stored == Type::kUint64 || IsFloat(stored)) return {};
  return Type::kInt64;
}

Status Work(size_t count, int threads, const std::function<Status(size_t)>& work) {
  return ParallelFor(count, threads, work, [] { return Status::Ok(); });
}

}  // namespace

HashedRows::HashedRows(std::vector<HashedColumn> columns, uint64_t seed, int threads)
    : columns_(std::move(columns)), seed_(seed), threads_(threads), hashed_(columns_.size()) {}

Result<HashedRows> HashedRows::Open(const Dataset& dataset, std::vector<HashedColumn> columns,
                                    RowFilter filter, uint64_t seed, uint32_t threads) {
  HashedRows rows(std::move(columns), seed, NumThreads(static_cast<int>(threads)));
  DatasetScanOptions options;
  for (const HashedColumn& column : rows.columns_) {
    options.scan.features.push_back(
        {.name = column.name, .layout = Layout::kIkjt, .dtype = ReadAs(column.type)});
  }
  options.scan.filter = std::move(filter);
  options.scan.batch_size = static_cast<uint32_t>(
      std::clamp(kBatchEntries / rows.columns_.size(), kLeastRows, kMostRows));
  options.scan.threads = static_cast<uint32_t>(rows.threads_);
  // While the rows of one dataset are hashed those of the other are decoded.
  options.scan.read_ahead_bytes = rows.threads_ > 1 ? kReadAhead : 0;
  DSI_ASSIGN_OR_RETURN(rows.scan_, dataset.NewScan(options));
  return rows;
}

Result<bool> HashedRows::Fill() {
  while (left() == 0) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan_->Next(&batch_));
    if (!more) return false;
    at_ = 0;
    first_number_ = batch_.first_row();
    numbers_ = batch_.row_numbers();
    num_rows_ += batch_.num_rows();
    rows_.assign(batch_.num_rows(), {});
    keys_.assign(batch_.num_rows(), {});
    if (rows_.empty()) continue;
    DSI_RETURN_IF_ERROR(groups_.Find(batch_, columns_.size(), threads_));
    sums_.assign(groups_.size(), {});
    for (size_t i = 0; i < columns_.size(); ++i) sums_[groups_.of_column(i)].columns.push_back(i);
    DSI_RETURN_IF_ERROR(Work(columns_.size(), threads_, [&](size_t i) { return HashColumn(i); }));
    DSI_RETURN_IF_ERROR(Work(groups_.size(), threads_, [&](size_t i) {
      SumGroup(i);
      return Status::Ok();
    }));
    const size_t parts = (rows_.size() + kSumRows - 1) / kSumRows;
    DSI_RETURN_IF_ERROR(Work(parts, threads_, [&](size_t i) {
      SumRows(i * kSumRows, std::min(rows_.size(), (i + 1) * kSumRows));
      return Status::Ok();
    }));
    for (const RowHash& row : rows_) sum_of_rows_ += row;
  }
  return true;
}

Status HashedRows::HashColumn(size_t column) {
  DSI_ASSIGN_OR_RETURN(const IkjtView view, batch_.Ikjt(column));
  OfColumn& hashed = hashed_[column];
  HashValues(view.unique, SplitMix64(seed_, column + 1), &hashed.unique);
  const std::vector<uint32_t>& times = groups_.at(groups_.of_column(column)).times;
  for (size_t u = 0; u < hashed.unique.size(); ++u) hashed.sum += hashed.unique[u].Times(times[u]);
  return Status::Ok();
}

void HashedRows::SumGroup(size_t group) {
  Sums& sums = sums_[group];
  const size_t num_unique = groups_.at(group).times.size();
  sums.row.resize(num_unique);
  for (const size_t column : sums.columns) {
    const std::vector<RowHash>& unique = hashed_[column].unique;
    for (size_t u = 0; u < num_unique; ++u) sums.row[u] += unique[u];
    if (!columns_[column].is_key) continue;
    sums.key.resize(num_unique);
    for (size_t u = 0; u < num_unique; ++u) sums.key[u] += unique[u];
  }
}

void HashedRows::SumRows(size_t begin, size_t end) {
  for (size_t i = 0; i < sums_.size(); ++i) {
    const int32_t* const inverse = groups_.at(i).inverse;
    for (size_t row = begin; row < end; ++row)
      rows_[row] += sums_[i].row[static_cast<size_t>(inverse[row])];
    for (size_t row = begin; row < end && !sums_[i].key.empty(); ++row)
      keys_[row] += sums_[i].key[static_cast<size_t>(inverse[row])];
  }
  for (size_t row = begin; row < end; ++row) rows_[row] = rows_[row].Mixed();
}

}  // namespace dsi::internal
