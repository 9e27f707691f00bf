#include "dsi/dataset/shuffle_report.h"

#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"
#include "dsi/dataset/scan/mixing_rows_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi {
namespace {

using Progress = std::function<bool(uint64_t, uint64_t)>;

// What is counted of one scan.
struct Tally {
  uint64_t batches = 0;
  uint64_t rows = 0;
  double distinct = 0;  // Sessions, summed over batches.
  double entries = 0;
  double unique_entries = 0;
  std::vector<double> label_means;
  double label_sum = 0;
  double label_squares = 0;
  uint64_t labels = 0;
  std::unordered_map<uint64_t, uint64_t> session_rows;     // All rows of each.
  std::unordered_map<uint64_t, uint64_t> session_batches;  // Batches that it is in.
  uint64_t bytes_read = 0;
  double seconds = 0;
};

class Reporter {
 public:
  Reporter(const Dataset& dataset, DatasetScanOptions options, uint64_t max_batches,
           const Progress& progress)
      : dataset_(dataset),
        options_(std::move(options)),
        max_batches_(max_batches),
        progress_(progress) {}

  // Lists as IKJT, session keys too, and the first label.
  Status FindColumns() {
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset_.Columns());
    const auto reader = internal::DatasetAccess::Files(dataset_).Acquire(0);
    if (!reader.ok()) return reader.status();
    // By their ids: in the dataset columns stand elsewhere, and may be called otherwise.
    const internal::OpenFile& file = internal::ReaderAccess::File(**reader);
    std::unordered_set<uint64_t> keys;
    for (const uint32_t key : file.core().cluster_keys) {
      DSI_ASSIGN_OR_RETURN(const internal::OpenColumn column, file.LoadColumn(key));
      keys.insert(column.feature_id());
    }
    std::vector<Projection> features;
    for (const Projection& asked : options_.scan.features) wanted_.push_back(asked.name);
    for (const ColumnInfo& column : columns) {
      if (!column.support.ok()) {
        if (!wanted_.empty() && IsWanted(column)) return column.support;
        continue;
      }
      const bool is_key = keys.contains(column.feature_id) && column.kind != Kind::kTimestamp;
      const bool is_list = HasLengths(column.kind, column.type) && IsWanted(column);
      if (is_key) session_keys_.push_back(column.name);
      if (is_list) lists_.push_back(column.name);
      if (is_key || is_list) features.push_back({.name = column.name, .layout = Layout::kIkjt});
      if (column.kind == Kind::kLabel && label_.empty() && column.type != Type::kBytes) {
        label_ = column.name;
        features.push_back({.name = column.name, .width = 1, .dtype = Type::kFloat64});
      }
    }
    if (features.empty())
      return internal::InvalidArgument("no list, label or session key to look at");
    options_.scan.features = std::move(features);
    return Status::Ok();
  }

  Result<Tally> Count(const OrderOptions& order) {
    DatasetScanOptions options = options_;
    options.order = order;
    DSI_ASSIGN_OR_RETURN(const auto scan, dataset_.NewScan(options));
    Tally tally;
    Batch batch;
    const uint64_t last =
        max_batches_ == 0 ? scan->num_batches() : std::min(max_batches_, scan->num_batches());
    while (tally.batches < last) {
      const auto start = std::chrono::steady_clock::now();
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      tally.seconds +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!more) break;
      DSI_RETURN_IF_ERROR(CountBatch(batch, &tally));
      if (progress_ && !progress_(tally.batches, last))
        return internal::Error(StatusCode::kCancelled, "stopped after {} batches", tally.batches);
    }
    tally.bytes_read = scan->stats().bytes_read;
    return tally;
  }

  const std::string& label() const { return label_; }

 private:
  bool IsWanted(const ColumnInfo& column) const {
    return wanted_.empty() || std::any_of(wanted_.begin(), wanted_.end(), [&](const auto& name) {
             return name == column.name || name == column.feature;
           });
  }

  Status CountBatch(const Batch& batch, Tally* tally) {
    ++tally->batches;
    tally->rows += batch.num_rows();
    for (const std::string& list : lists_) {
      DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(list));
      tally->unique_entries += static_cast<double>(view.unique.num_values);
      for (size_t row = 0; row < batch.num_rows(); ++row) {
        const auto u = static_cast<size_t>(view.inverse[row]);
        tally->entries += static_cast<double>(view.unique.offsets[u + 1] - view.unique.offsets[u]);
      }
    }
    if (!label_.empty()) {
      DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(label_));
      const auto* values = static_cast<const double*>(view.values);
      double sum = 0;
      uint64_t count = 0;
      for (size_t row = 0; row < view.rows; ++row) {
        if (view.present[row] == 0) continue;
        sum += values[row];
        tally->label_squares += values[row] * values[row];
        ++count;
      }
      tally->label_sum += sum;
      tally->labels += count;
      if (count != 0) tally->label_means.push_back(sum / static_cast<double>(count));
    }
    return CountSessions(batch, tally);
  }

  Status CountSessions(const Batch& batch, Tally* tally) {
    if (session_keys_.empty()) return Status::Ok();
    std::vector<uint64_t> ids(batch.num_rows(), 0);
    std::vector<uint64_t> hashes;
    for (const std::string& key : session_keys_) {
      DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(key));
      const auto width = static_cast<size_t>(TypeWidth(view.unique.dtype));
      hashes.resize(view.unique.rows);
      for (size_t u = 0; u < hashes.size(); ++u) {
        const auto begin = static_cast<size_t>(view.unique.offsets[u]);
        const auto end = static_cast<size_t>(view.unique.offsets[u + 1]);
        hashes[u] = XXH3_64bits(static_cast<const char*>(view.unique.values) + begin * width,
                                (end - begin) * width);
      }
      for (size_t row = 0; row < ids.size(); ++row)
        ids[row] = (ids[row] ^ hashes[static_cast<size_t>(view.inverse[row])]) * 0x9E3779B97F4A7C15;
    }
    std::unordered_set<uint64_t> distinct;
    for (const uint64_t id : ids) {
      ++tally->session_rows[id];
      if (distinct.insert(id).second) ++tally->session_batches[id];
    }
    tally->distinct += static_cast<double>(distinct.size());
    return Status::Ok();
  }

  const Dataset& dataset_;
  DatasetScanOptions options_;
  const uint64_t max_batches_;
  const Progress& progress_;
  std::vector<std::string> wanted_, lists_, session_keys_;
  std::string label_;
};

double PerBatch(double sum, const Tally& tally) {
  return tally.batches == 0 ? 0 : sum / static_cast<double>(tally.batches);
}

// Distinct sessions expected among `rows` drawn without regard to sessions.
double ExpectedDistinct(const Tally& tally, double rows) {
  const auto all = static_cast<double>(tally.rows);
  double expected = 0;
  for (const auto& [session, count] : tally.session_rows) {
    const double missed = 1 - static_cast<double>(count) / all;
    expected += 1 - (missed <= 0 ? 0 : std::pow(missed, rows));
  }
  return expected;
}

// Over the deviation that means of as many labels drawn at random would have.
double LabelDrift(const Tally& tally) {
  if (tally.label_means.size() < 2 || tally.labels == 0) return 0;
  const double mean = tally.label_sum / static_cast<double>(tally.labels);
  const double variance = tally.label_squares / static_cast<double>(tally.labels) - mean * mean;
  double between = 0;
  for (const double m : tally.label_means) between += (m - mean) * (m - mean);
  between /= static_cast<double>(tally.label_means.size() - 1);
  const double chance = variance / (static_cast<double>(tally.labels) /
                                    static_cast<double>(tally.label_means.size()));
  return chance <= 0 ? 0 : std::sqrt(between / chance);
}

double DedupFactor(const Tally& tally) {
  return tally.unique_entries == 0 ? 1 : tally.entries / tally.unique_entries;
}

ShuffleReport HoldAgainst(const Tally& tally, const Tally& plain) {
  ShuffleReport report;
  report.batches = tally.batches;
  report.rows = tally.rows;
  report.sessions_per_batch = PerBatch(tally.distinct, tally);
  report.sessions_in_file_order = PerBatch(plain.distinct, plain);
  if (!tally.session_rows.empty()) {
    const double rows = PerBatch(static_cast<double>(tally.rows), tally);
    // Of all rows seen, so that a scan of few batches is not held against itself.
    const Tally& known = tally.rows > plain.rows ? tally : plain;
    report.sessions_at_random = ExpectedDistinct(known, rows);
    report.collisions = rows - report.sessions_per_batch;
    report.collisions_at_random = rows - report.sessions_at_random;
    double cut = 0;
    for (const auto& [session, batches] : tally.session_batches) cut += batches > 1 ? 1 : 0;
    report.sessions_cut = cut / static_cast<double>(tally.session_batches.size());
  }
  report.label_drift = LabelDrift(tally);
  report.label_drift_in_file_order = LabelDrift(plain);
  report.dedup_factor = DedupFactor(tally);
  report.dedup_factor_in_file_order = DedupFactor(plain);
  report.bytes_read = tally.bytes_read;
  report.bytes_in_file_order = plain.bytes_read;
  report.seconds = tally.seconds;
  report.seconds_in_file_order = plain.seconds;
  return report;
}

}  // namespace

Result<ShuffleReport> ReportShuffle(const Dataset& dataset, const DatasetScanOptions& options,
                                    uint64_t max_batches, const Progress& progress) {
  return internal::NoThrow([&]() -> Result<ShuffleReport> {
    DSI_RETURN_IF_ERROR(dataset.CountBatches(options).status());  // What is wrong with options.
    // By the features asked for, not by those that are looked at.
    const internal::DatasetFiles& files = internal::DatasetAccess::Files(dataset);
    DSI_ASSIGN_OR_RETURN(const auto rows, internal::RowsOf(files, options.rows));
    DSI_ASSIGN_OR_RETURN(const OrderOptions order, internal::SettleOrder(files, options, rows));
    Reporter reporter(dataset, options, max_batches, progress);
    DSI_RETURN_IF_ERROR(reporter.FindColumns());
    DSI_ASSIGN_OR_RETURN(const Tally plain, reporter.Count({}));
    DSI_ASSIGN_OR_RETURN(const Tally tally, reporter.Count(order));
    ShuffleReport report = HoldAgainst(tally, plain);
    report.mixing_rows = order.mixing_rows;
    return report;
  });
}

}  // namespace dsi
