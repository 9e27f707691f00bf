#include "dsi/tools/feature_stats_internal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/unsupported_features_internal.h"

namespace dsi::tools {
namespace {

constexpr uint32_t kBatchRows = 4096;
constexpr size_t kColumnsAtOnce = 256;

template <typename T>
void AddValues(const JaggedView& unique, std::span<const uint64_t> times, ColumnStats* stats) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  const auto* const bytes = static_cast<const std::byte*>(unique.values);
  for (size_t row = 0; row < unique.rows; ++row) {
    for (int64_t i = unique.offsets[row]; i < unique.offsets[row + 1]; ++i) {
      T stored;
      std::memcpy(&stored, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      const Wide value = stored;
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) {
          stats->nan += times[row];
          continue;
        }
      }
      Wide* const least = std::get_if<Wide>(&stats->least);
      if (least == nullptr) {
        stats->least = stats->greatest = value;
        continue;
      }
      *least = std::min(*least, value);
      Wide& greatest = *std::get_if<Wide>(&stats->greatest);
      greatest = std::max(greatest, value);
    }
  }
}

void AddTexts(const JaggedView& unique, ColumnStats* stats) {
  const auto* const bytes = static_cast<const char*>(unique.values);
  for (size_t row = 0; row < unique.rows; ++row) {
    if (unique.present[row] == 0) continue;
    const std::string_view text(bytes + unique.offsets[row],
                                static_cast<size_t>(unique.offsets[row + 1] - unique.offsets[row]));
    const auto* const least = std::get_if<std::string>(&stats->least);
    if (least == nullptr || text < *least) stats->least = std::string(text);
    const auto* const greatest = std::get_if<std::string>(&stats->greatest);
    if (greatest == nullptr || text > *greatest) stats->greatest = std::string(text);
  }
}

void AddValuesOfType(const JaggedView& unique, std::span<const uint64_t> times,
                     ColumnStats* stats) {
  switch (unique.dtype) {
    case Type::kBool:
    case Type::kUint8:
      return AddValues<uint8_t>(unique, times, stats);
    case Type::kUint16:
      return AddValues<uint16_t>(unique, times, stats);
    case Type::kUint32:
      return AddValues<uint32_t>(unique, times, stats);
    case Type::kUint64:
      return AddValues<uint64_t>(unique, times, stats);
    case Type::kInt8:
      return AddValues<int8_t>(unique, times, stats);
    case Type::kInt16:
      return AddValues<int16_t>(unique, times, stats);
    case Type::kInt32:
      return AddValues<int32_t>(unique, times, stats);
    case Type::kInt64:
      return AddValues<int64_t>(unique, times, stats);
    case Type::kFloat32:
      return AddValues<float>(unique, times, stats);
    case Type::kFloat64:
      return AddValues<double>(unique, times, stats);
    case Type::kBytes:
      return AddTexts(unique, stats);
  }
}

void AddBatch(const IkjtView& view, size_t num_rows, std::vector<uint64_t>* times,
              ColumnStats* stats) {
  const JaggedView& unique = view.unique;
  times->assign(unique.rows, 0);
  for (size_t row = 0; row < num_rows; ++row) ++(*times)[static_cast<size_t>(view.inverse[row])];
  stats->rows += num_rows;
  for (size_t row = 0; row < unique.rows; ++row) {
    if (unique.present[row] == 0) {
      stats->missing += (*times)[row];
      continue;
    }
    const auto length = static_cast<uint64_t>(unique.offsets[row + 1] - unique.offsets[row]);
    stats->entries += length * (*times)[row];
    stats->min_length = std::min(stats->min_length, length);
    stats->max_length = std::max(stats->max_length, length);
  }
  AddValuesOfType(unique, *times, stats);
}

// Of some columns; `rows_before` and `rows_total` are for the progress.
Result<std::vector<ColumnStats>> ScanColumns(const Reader& reader,
                                             std::span<const ColumnInfo> columns,
                                             uint64_t rows_before, uint64_t rows_total,
                                             Progress* progress) {
  ScanOptions options;
  options.batch_size = kBatchRows;
  std::vector<ColumnStats> stats;
  for (const ColumnInfo& column : columns) {
    options.features.push_back({.name = column.name, .layout = Layout::kIkjt, .dtype = {}});
    stats.push_back({.column = column, .min_length = UINT64_MAX, .least = {}, .greatest = {}});
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  std::vector<uint64_t> times;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
    for (ColumnStats& of_one : stats) {
      DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(of_one.column.name));
      AddBatch(view, batch.num_rows(), &times, &of_one);
    }
    if (!progress->Update("scanning", rows_before + scan->stats().rows, rows_total,
                          ProgressUnit::kRows)) {
      return CheckInterrupt();
    }
  }
  for (ColumnStats& of_one : stats)
    of_one.min_length = std::min(of_one.min_length, of_one.max_length);
  return stats;
}

}  // namespace

Result<std::vector<ColumnStats>> ReadStats(const Reader& reader, Progress* progress) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  DSI_RETURN_IF_ERROR(LeaveOutUnsupported(&columns));
  const uint64_t num_rows = reader.info().num_rows;
  const size_t num_parts = (columns.size() + kColumnsAtOnce - 1) / kColumnsAtOnce;
  std::vector<ColumnStats> stats;
  for (size_t part = 0; part < num_parts; ++part) {
    const size_t begin = part * kColumnsAtOnce;
    const size_t end = std::min(begin + kColumnsAtOnce, columns.size());
    std::vector<ColumnInfo> some(columns.begin() + static_cast<ptrdiff_t>(begin),
                                 columns.begin() + static_cast<ptrdiff_t>(end));
    auto found = ScanColumns(reader, some, part * num_rows, num_parts * num_rows, progress);
    while (!found.ok()) {
      progress->Clear();
      const auto new_scan = [&](const ScanOptions& of) { return reader.NewScan(of); };
      DSI_RETURN_IF_ERROR(
          LeaveOutUnsupported(found.status(), {}, "", ReadRows(new_scan, 0, UINT64_MAX), &some));
      found = ScanColumns(reader, some, part * num_rows, num_parts * num_rows, progress);
    }
    std::move(found->begin(), found->end(), std::back_inserter(stats));
  }
  return stats;
}

}  // namespace dsi::tools
