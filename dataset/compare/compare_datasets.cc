// Holds rows against each other as both datasets are scanned side by side: by their place or by
// their key. Rows that have no equal yet wait for one.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/random_seed_internal.h"
#include "dsi/dataset/compare/column_pairs_internal.h"
#include "dsi/dataset/compare/hashed_rows_internal.h"
#include "dsi/dataset/compare/waiting_rows_internal.h"
#include "dsi/dataset/comparison.h"

namespace dsi {
namespace {

using internal::CompareSide;
using internal::HashedColumn;
using internal::HashedRows;
using internal::RowHash;
using internal::WaitingRows;

// What waits with a row that has a key: its hash, then that of each column, cut to 64 bits.
constexpr size_t kRowWords = 2;

class Comparer {
 public:
  Comparer(const Dataset& a, const Dataset& b, const CompareOptions& options)
      : datasets_{a, b}, options_(options), budget_{.limit = options.memory_bytes} {}

  Result<Comparison> Run() {
    DSI_RETURN_IF_ERROR(ChooseColumns());
    DSI_RETURN_IF_ERROR(compared_.empty() ? CountRows() : CompareRows());
    return std::move(result_);
  }

 private:
  Status ChooseColumns() {
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> a, datasets_.first.Columns());
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> b, datasets_.second.Columns());
    result_.columns = internal::PairColumns(a, b);
    std::vector<std::string> names = options_.features;
    if (!names.empty()) names.insert(names.end(), options_.key.begin(), options_.key.end());
    DSI_RETURN_IF_ERROR(internal::ChoosePairs(names, &result_.columns));
    std::vector<size_t> key;
    DSI_ASSIGN_OR_RETURN(key, internal::FindKey(options_.key, result_.columns));
    for (size_t i = 0; i < result_.columns.size(); ++i) {
      if (!result_.columns[i].support.ok()) continue;
      compared_.push_back(i);
      is_key_.push_back(std::find(key.begin(), key.end(), i) != key.end());
    }
    return Status::Ok();
  }

  // All that is known where no column can be compared.
  Status CountRows() {
    DSI_ASSIGN_OR_RETURN(result_.rows_a, CountOf(datasets_.first, options_.filter_a));
    DSI_ASSIGN_OR_RETURN(result_.rows_b, CountOf(datasets_.second, options_.filter_b));
    result_.pairs = std::min(result_.rows_a, result_.rows_b);
    result_.has_same_rows = result_.rows_a == result_.rows_b;
    return Status::Ok();
  }
  static Result<uint64_t> CountOf(const Dataset& dataset, const RowFilter& filter) {
    DatasetScanOptions options;
    options.scan.filter = filter;
    return dataset.CountRows(options);
  }

  Status CompareRows() {
    const uint64_t seed = internal::RandomSeed();
    DSI_ASSIGN_OR_RETURN(HashedRows a,
                         OpenSide(datasets_.first, &ComparedColumn::a, options_.filter_a, seed));
    DSI_ASSIGN_OR_RETURN(HashedRows b,
                         OpenSide(datasets_.second, &ComparedColumn::b, options_.filter_b, seed));
    const bool by_key = !options_.key.empty();
    waiting_.emplace(by_key ? kRowWords + compared_.size() : 0, &budget_);
    for (;;) {
      DSI_RETURN_IF_ERROR(ShowProgress(a, b));
      DSI_ASSIGN_OR_RETURN(const bool more_a, a.Fill());
      DSI_ASSIGN_OR_RETURN(const bool more_b, b.Fill());
      if (!more_a && !more_b) break;
      const size_t count = more_a && more_b ? std::min(a.left(), b.left()) : 0;
      const size_t rest_a = more_b ? count : a.left();
      const size_t rest_b = more_a ? count : b.left();
      if (by_key) {
        MeetByKey(a, b, rest_a, rest_b);
      } else {
        MeetByPlace(a, b, rest_a, rest_b);
      }
      a.Skip(rest_a);
      b.Skip(rest_b);
    }
    Finish(a, b);
    return Status::Ok();
  }

  Result<HashedRows> OpenSide(const Dataset& dataset,
                              std::optional<ColumnInfo> ComparedColumn::*side,
                              const RowFilter& filter, uint64_t seed) const {
    std::vector<HashedColumn> columns;
    for (size_t i = 0; i < compared_.size(); ++i) {
      const ColumnInfo& column = *(result_.columns[compared_[i]].*side);
      columns.push_back({.name = column.name, .type = column.type, .is_key = is_key_[i]});
    }
    auto rows = HashedRows::Open(dataset, std::move(columns), filter, seed, options_.threads);
    if (!rows.ok()) return rows.status().At(side == &ComparedColumn::a ? "A" : "B");
    return rows;
  }

  Status ShowProgress(const HashedRows& a, const HashedRows& b) const {
    const uint64_t done = a.num_rows() + b.num_rows();
    const uint64_t total = datasets_.first.num_rows() + datasets_.second.num_rows();
    if (!options_.progress || options_.progress(std::min(done, total), total)) return Status::Ok();
    return internal::Error(StatusCode::kCancelled, "stopped after {} rows", done);
  }

  // Of what follows: both have the first `count_a` and `count_b` rows left; where both have an i-th
  // one, these stand at the same place.

  // The i-th rows are a pair; whether they are the same.
  bool ComparePair(const HashedRows& a, const HashedRows& b, size_t i) {
    ++result_.pairs;
    if (a.row(i) == b.row(i)) return true;
    NoteDifference(a.number(i), b.number(i),
                   [&](size_t column) { return a.value(column, i) == b.value(column, i); });
    return false;
  }

  void MeetByPlace(const HashedRows& a, const HashedRows& b, size_t count_a, size_t count_b) {
    for (size_t i = 0; i < std::max(count_a, count_b); ++i) {
      if (i < count_a && i < count_b && ComparePair(a, b, i)) continue;
      if (i < count_a) MeetEqual(CompareSide::kA, a, i);
      if (i < count_b) MeetEqual(CompareSide::kB, b, i);
    }
  }

  // Without memory for it nothing waits any more.
  void MeetEqual(CompareSide side, const HashedRows& rows, size_t i) {
    if (!waiting_ || waiting_->Meet(side, rows.row(i))) return;
    try {
      waiting_->Wait(side, rows.row(i), rows.number(i));
    } catch (const internal::OverBudget&) {
      waiting_.reset();
    }
  }

  void MeetByKey(const HashedRows& a, const HashedRows& b, size_t count_a, size_t count_b) {
    for (size_t i = 0; i < std::max(count_a, count_b); ++i) {
      const bool is_pair = i < count_a && i < count_b && a.key(i) == b.key(i);
      if (is_pair && !waiting_->Has(a.key(i))) {
        ComparePair(a, b, i);
        continue;
      }
      if (i < count_a) MeetKey(CompareSide::kA, a, i);
      if (i < count_b) MeetKey(CompareSide::kB, b, i);
    }
  }

  void MeetKey(CompareSide side, const HashedRows& rows, size_t i) {
    const auto met = waiting_->Meet(side, rows.key(i));
    if (!met) {
      const std::span<uint64_t> words = waiting_->Wait(side, rows.key(i), rows.number(i));
      words[0] = rows.row(i).low;
      words[1] = rows.row(i).high;
      for (size_t c = 0; c < compared_.size(); ++c) words[kRowWords + c] = rows.value(c, i).low;
      return;
    }
    ++result_.pairs;
    if (RowHash{met->words[0], met->words[1]} == rows.row(i)) return;
    const bool is_a = side == CompareSide::kA;
    NoteDifference(is_a ? rows.number(i) : met->number, is_a ? met->number : rows.number(i),
                   [&](size_t c) { return rows.value(c, i).low == met->words[kRowWords + c]; });
  }

  template <typename IsSame>
  void NoteDifference(uint64_t row_a, uint64_t row_b, const IsSame& is_same) {
    ++result_.differing;
    for (size_t c = 0; c < compared_.size(); ++c) {
      if (is_same(c)) continue;
      ComparedColumn& column = result_.columns[compared_[c]];
      if (column.differing++ != 0) continue;
      column.row_a = row_a;
      column.row_b = row_b;
    }
  }

  void Finish(const HashedRows& a, const HashedRows& b) {
    result_.rows_a = a.num_rows();
    result_.rows_b = b.num_rows();
    result_.has_same_rows = a.num_rows() == b.num_rows() && a.sum_of_rows() == b.sum_of_rows();
    for (size_t c = 0; c < compared_.size(); ++c)
      result_.columns[compared_[c]].has_same_values = a.sum(c) == b.sum(c);
    if (!waiting_) return;
    result_.only_a = waiting_->count(CompareSide::kA);
    result_.only_b = waiting_->count(CompareSide::kB);
    result_.first_only_a = waiting_->First(CompareSide::kA);
    result_.first_only_b = waiting_->First(CompareSide::kB);
  }

  const std::pair<const Dataset&, const Dataset&> datasets_;
  const CompareOptions& options_;
  internal::MemoryBudget budget_;
  Comparison result_;
  std::vector<size_t> compared_;  // Columns whose values are compared.
  std::vector<bool> is_key_;      // Of these.
  std::optional<WaitingRows> waiting_;
};

}  // namespace

bool Comparison::has_same_columns() const noexcept {
  return std::all_of(columns.begin(), columns.end(), [](const ComparedColumn& column) {
    return column.changes.empty() && column.support.ok();
  });
}

bool Comparison::is_same() const noexcept {
  return has_same_columns() && rows_a == rows_b && pairs == rows_a && differing == 0;
}

Result<Comparison> CompareDatasets(const Dataset& a, const Dataset& b,
                                   const CompareOptions& options) {
  return internal::NoThrow([&] { return Comparer(a, b, options).Run(); });
}

}  // namespace dsi
