#include "dsi/writer/cluster/row_loader_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dsi/writer/cluster/clustering_internal.h"

namespace dsi::internal {
namespace {

// The input rows of a list, ascending, and in `place_of` where each row of the list is among them.
std::vector<uint32_t> SortByInput(std::span<const ListedRow> rows,
                                  std::vector<uint32_t>* place_of) {
  std::vector<uint32_t> by_input(rows.size());
  std::iota(by_input.begin(), by_input.end(), 0U);
  std::sort(by_input.begin(), by_input.end(),
            [&](uint32_t a, uint32_t b) { return rows[a].input_row < rows[b].input_row; });
  std::vector<uint32_t> input_rows(rows.size());
  place_of->resize(rows.size());
  for (uint32_t i = 0; i < by_input.size(); ++i) {
    input_rows[i] = rows[by_input[i]].input_row;
    (*place_of)[by_input[i]] = i;
  }
  return input_rows;
}

RowBatch::FeatureBuffer PositionsOf(std::span<const uint32_t> input_rows) {
  const std::vector<uint64_t> numbers(input_rows.begin(), input_rows.end());
  const auto bytes = std::as_bytes(std::span(numbers));
  RowBatch::FeatureBuffer buffer;
  buffer.values.emplace_back(bytes.begin(), bytes.end());
  buffer.num_present = numbers.size();
  return buffer;
}

}  // namespace

Status RowLoader::Prepare() {
  if (in_.spilled != nullptr) return Status::Ok();
  const uint32_t num_rows = in_.rows->size();
  held_.order.input_row.resize(num_rows);
  for (uint32_t p = 0; p < num_rows; ++p) {
    DSI_ASSIGN_OR_RETURN(const ListedRow row, in_.rows->At(p));
    held_.order.input_row[p] = row.input_row;
  }
  if (in_.keep_position) {
    std::vector<uint32_t> numbers(num_rows);
    std::iota(numbers.begin(), numbers.end(), 0U);
    held_.buffers.push_back(PositionsOf(numbers));
  }
  for (const RowBatch::FeatureBuffer& buffer : in_.held)
    held_.sources.push_back({.spec = nullptr, .rows = &buffer});
  for (const RowBatch::FeatureBuffer& buffer : held_.buffers)
    held_.sources.push_back({.spec = nullptr, .rows = &buffer});
  return Cluster({}, &held_);
}

Status RowLoader::Cluster(std::span<const uint32_t> input_rows, HeldRows* held) {
  if (in_.spilled != nullptr) {
    if (in_.keep_position) held->buffers.push_back(PositionsOf(input_rows));
    for (const RowBatch::FeatureBuffer& buffer : held->buffers)
      held->sources.push_back({.spec = nullptr, .rows = &buffer});
  }
  for (size_t f = 0; f < held->sources.size(); ++f) {
    held->sources[f].spec = &in_.schema->features[f];
    held->sources[f].totals = &in_.totals->features[f];
  }
  const std::vector<uint32_t>& input_row = held->order.input_row;
  held->order.input_entry.assign(input_row.begin(), input_row.end());
  std::vector<uint32_t> position_of(input_row.size());
  for (uint32_t p = 0; p < input_row.size(); ++p) position_of[input_row[p]] = p;
  std::vector<std::unique_ptr<ClusteredFeature>> built(held->sources.size());
  DSI_RETURN_IF_ERROR(in_.for_each(built.size(), [&](size_t f) {
    built[f] = std::make_unique<ClusteredFeature>(held->sources[f], held->order, position_of);
  }));
  held->features.reserve(built.size());
  for (auto& feature : built) held->features.push_back(std::move(*feature));
  return Status::Ok();
}

Result<std::vector<ListedRow>> RowLoader::List(std::span<const RowInterval> ranges) const {
  std::vector<ListedRow> rows;
  for (const RowInterval& range : ranges) {
    for (uint32_t i = 0; i < range.num_rows; ++i) {
      DSI_ASSIGN_OR_RETURN(rows.emplace_back(), in_.rows->At(range.first + i));
    }
  }
  return rows;
}

Result<LoadedRows> RowLoader::Load(std::span<const RowInterval> ranges,
                                   const SpilledRows::Shelf* shelf) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ListedRow> rows, List(ranges));
  LoadedRows loaded;
  loaded.sample.rows_in_time = RowsInTime(rows);
  if (in_.spilled == nullptr) {
    loaded.features = held_.features;
    loaded.sample.ranges.assign(ranges.begin(), ranges.end());
    for (const ListedRow& row : rows) loaded.sample.input_entry.push_back(row.input_row);
    return loaded;
  }
  loaded.read = std::make_unique<HeldRows>();
  const std::vector<uint32_t> input_rows = SortByInput(rows, &loaded.read->order.input_row);
  RowCollector collector(in_.spilled->codings());
  DSI_RETURN_IF_ERROR(
      in_.spilled->Collect(shelf != nullptr ? *shelf : in_.spilled->all(), input_rows, &collector));
  loaded.read->buffers = std::move(collector.features());
  if (in_.on_read) DSI_RETURN_IF_ERROR(in_.on_read(&loaded.read->buffers));
  DSI_RETURN_IF_ERROR(Cluster(input_rows, loaded.read.get()));
  loaded.features = loaded.read->features;
  loaded.sample.ranges.push_back({0, static_cast<uint32_t>(rows.size())});
  loaded.sample.input_entry = loaded.read->order.input_entry;
  return loaded;
}

Result<std::vector<uint64_t>> RowLoader::CountEntries(std::span<const RowInterval> intervals) {
  const size_t num_features = in_.schema->features.size();
  std::vector<uint64_t> counts(num_features * intervals.size());
  if (in_.spilled == nullptr) {
    DSI_RETURN_IF_ERROR(in_.for_each(num_features, [&](size_t f) {
      for (size_t i = 0; i < intervals.size(); ++i)
        counts[f * intervals.size() + i] = held_.features[f].CountEntries(intervals[i]);
    }));
    return counts;
  }
  DSI_ASSIGN_OR_RETURN(const std::vector<ListedRow> rows, List(intervals));
  std::vector<uint32_t> interval_of;
  for (uint32_t i = 0; i < intervals.size(); ++i)
    interval_of.insert(interval_of.end(), intervals[i].num_rows, i);
  std::vector<uint32_t> place_of;
  const std::vector<uint32_t> input_rows = SortByInput(rows, &place_of);
  std::vector<uint32_t> interval_at(rows.size());
  for (size_t p = 0; p < rows.size(); ++p) interval_at[place_of[p]] = interval_of[p];
  DSI_RETURN_IF_ERROR(in_.spilled->ForEachRow(
      in_.spilled->all(), input_rows, [&](size_t i, std::span<const std::byte> row) {
        const size_t interval = interval_at[i];
        return VisitRow(in_.spilled->codings(), row,
                        [&](uint32_t f, uint32_t entries, const std::byte*) {
                          counts[f * intervals.size() + interval] += entries;
                        });
      }));
  if (in_.keep_position) {
    for (size_t i = 0; i < intervals.size(); ++i)
      counts[(num_features - 1) * intervals.size() + i] = intervals[i].num_rows;
  }
  return counts;
}

}  // namespace dsi::internal
