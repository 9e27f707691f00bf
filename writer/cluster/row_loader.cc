#include "dsi/writer/cluster/row_loader_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/put_in_order_internal.h"

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

RowBatch::FeatureBuffer PositionsOf(std::span<const uint32_t> input_rows, uint64_t first) {
  std::vector<uint64_t> numbers(input_rows.begin(), input_rows.end());
  for (uint64_t& number : numbers) number += first;
  const auto bytes = std::as_bytes(std::span(numbers));
  RowBatch::FeatureBuffer buffer;
  buffer.values.emplace_back(bytes);
  buffer.num_present = numbers.size();
  return buffer;
}

}  // namespace

Status RowLoader::Prepare() {
  if (in_.spilled != nullptr) return Status::Ok();
  const uint32_t num_rows = in_.rows->size();
  std::vector<uint32_t> input_row(num_rows);
  for (uint32_t p = 0; p < num_rows; ++p) {
    DSI_ASSIGN_OR_RETURN(const ListedRow row, in_.rows->At(p));
    input_row[p] = row.input_row;
  }
  std::vector<RowBatch::FeatureBuffer*> buffers;
  for (RowBatch::FeatureBuffer& buffer : in_.held) buffers.push_back(&buffer);
  if (in_.keep_position) {
    std::vector<uint32_t> numbers(num_rows);
    std::iota(numbers.begin(), numbers.end(), 0U);
    buffers.push_back(&held_.buffers.emplace_back(PositionsOf(numbers, in_.first_position)));
  }
  return Cluster(input_row, buffers, &held_);
}

Status RowLoader::Cluster(std::span<const uint32_t> input_row,
                          std::span<RowBatch::FeatureBuffer* const> buffers, HeldRows* held) {
  for (size_t f = 0; f < buffers.size(); ++f) {
    held->sources.push_back(
        {.spec = &in_.schema->features[f], .rows = buffers[f], .totals = &in_.totals->features[f]});
  }
  std::vector<uint32_t> position_of(input_row.size());
  for (uint32_t p = 0; p < input_row.size(); ++p) position_of[input_row[p]] = p;
  const bool are_in_order = std::is_sorted(input_row.begin(), input_row.end());
  std::vector<size_t> largest_first(buffers.size());
  std::iota(largest_first.begin(), largest_first.end(), size_t{0});
  std::stable_sort(largest_first.begin(), largest_first.end(), [&](size_t a, size_t b) {
    return buffers[a]->values[0].size() > buffers[b]->values[0].size();
  });
  SpareMemory spare;
  std::vector<std::unique_ptr<ClusteredFeature>> built(buffers.size());
  DSI_RETURN_IF_ERROR(in_.for_each(built.size(), [&](size_t i) {
    const size_t f = largest_first[i];
    if (!are_in_order)
      PutInOrder(*held->sources[f].spec, input_row, position_of, &spare, buffers[f]);
    built[f] = std::make_unique<ClusteredFeature>(held->sources[f]);
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

Result<LoadedRows> RowLoader::Load(std::span<const RowInterval> ranges) {
  DSI_ASSIGN_OR_RETURN(LoadedRows loaded, Read(ranges, nullptr));
  DSI_RETURN_IF_ERROR(PutInPlace(&loaded));
  return loaded;
}

Result<LoadedRows> RowLoader::Read(std::span<const RowInterval> ranges,
                                   const SpilledRows::Shelf* shelf) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ListedRow> rows, List(ranges));
  LoadedRows loaded;
  loaded.sample.rows_in_time = RowsInTime(rows);
  if (in_.spilled == nullptr) {
    loaded.sample.ranges.assign(ranges.begin(), ranges.end());
    return loaded;
  }
  loaded.sample.ranges.push_back({0, static_cast<uint32_t>(rows.size())});
  loaded.read = std::make_unique<HeldRows>();
  const std::vector<uint32_t> input_rows = SortByInput(rows, &loaded.place_of);
  RowCollector collector(in_.spilled->codings(), in_.sharing);
  DSI_RETURN_IF_ERROR(
      in_.spilled->Collect(shelf != nullptr ? *shelf : in_.spilled->all(), input_rows, &collector));
  in_.sharing->ForgetAll();
  loaded.read->buffers = std::move(collector.features());
  if (in_.on_read) DSI_RETURN_IF_ERROR(in_.on_read(&loaded.read->buffers));
  if (in_.keep_position)
    loaded.read->buffers.push_back(PositionsOf(input_rows, in_.first_position));
  return loaded;
}

Status RowLoader::PutInPlace(LoadedRows* loaded) {
  if (loaded->read == nullptr) {
    loaded->features = held_.features;
    return Status::Ok();
  }
  std::vector<RowBatch::FeatureBuffer*> buffers;
  for (RowBatch::FeatureBuffer& buffer : loaded->read->buffers) buffers.push_back(&buffer);
  DSI_RETURN_IF_ERROR(Cluster(loaded->place_of, buffers, loaded->read.get()));
  loaded->place_of = {};
  loaded->features = loaded->read->features;
  return Status::Ok();
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

Result<std::vector<FeatureTotals>> RowLoader::CountFirst(uint32_t num_rows) {
  constexpr uint32_t kAtOnce = 16'384;
  std::vector<FeatureTotals> totals(in_.schema->features.size());
  for (uint32_t first = 0; first < num_rows; first += kAtOnce) {
    const RowInterval asked{first, std::min(kAtOnce, num_rows - first)};
    DSI_ASSIGN_OR_RETURN(const LoadedRows rows, Load({&asked, 1}));
    const RowInterval range = rows.sample.ranges[0];
    DSI_RETURN_IF_ERROR(in_.for_each(totals.size(), [&](size_t f) {
      const ClusteredFeature& feature = rows.features[f];
      totals[f].num_present += feature.CountPresent({&range, 1});
      totals[f].num_entries += feature.CountEntries(range);
      if (!feature.source().has_lengths()) return;
      const FeatureSlice slice = feature.MakeRows(range.first, range.num_rows);
      for (const uint32_t code : slice.shape) {
        if (code == 0) continue;
        totals[f].longest = std::max(totals[f].longest, code - 1);
        totals[f].shortest = std::min(totals[f].shortest, code - 1);
      }
    }));
  }
  return totals;
}

}  // namespace dsi::internal
