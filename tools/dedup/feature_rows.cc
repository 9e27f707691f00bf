#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "dsi/tools/dedup/feature_rows_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;

// Calls take(first row of the batch, views of the columns) for every batch of rows [0, num_rows).
Status ForEachBatch(const Reader& reader, const FeatureSpec& feature, uint64_t num_rows,
                    const std::function<Status(uint64_t, std::span<const IkjtView>)>& take) {
  ScanOptions options;
  options.batch_size = kDedupBatchRows;
  options.row_end = num_rows;
  std::vector<std::string> names;
  for (size_t c = 0; c < feature.columns.size(); ++c) {
    names.push_back(ColumnName(feature, c));
    Projection& projection = options.features.emplace_back();
    projection.name = names.back();
    projection.layout = Layout::kIkjt;
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  std::vector<IkjtView> views(names.size());
  while (true) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return Status::Ok();
    for (size_t c = 0; c < names.size(); ++c) {
      DSI_ASSIGN_OR_RETURN(views[c], batch.Ikjt(names[c]));
    }
    DSI_RETURN_IF_ERROR(take(batch.first_row(), views));
  }
}

uint64_t WordAt(const JaggedView& view, size_t entry) {
  const auto width = static_cast<size_t>(TypeWidth(view.dtype));
  uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::byte*>(view.values) + entry * width, width);
  return word;
}

std::string_view BytesOf(const JaggedView& view, size_t unique) {
  const auto width = static_cast<size_t>(TypeWidth(view.dtype));
  const auto begin = static_cast<size_t>(view.offsets[unique]);
  const auto end = static_cast<size_t>(view.offsets[unique + 1]);
  return {static_cast<const char*>(view.values) + begin * width, (end - begin) * width};
}

}  // namespace

Result<FeatureRows> FeatureRows::Load(const Reader& reader, const FeatureSpec& feature,
                                      uint64_t num_rows) {
  FeatureRows rows;
  rows.slots_.resize(num_rows);
  const auto take = [&rows](uint64_t first_row, std::span<const IkjtView> views) {
    const JaggedView& leader = views[0].unique;
    const auto first_slot = static_cast<uint32_t>(rows.starts_.size());
    for (size_t u = 0; u < leader.rows; ++u) {
      const auto begin = static_cast<size_t>(leader.offsets[u]);
      const auto end = static_cast<size_t>(leader.offsets[u + 1]);
      rows.starts_.push_back(rows.words_.size());
      rows.lengths_.push_back(static_cast<uint32_t>(end - begin));
      for (size_t i = begin; i < end; ++i) {
        uint64_t word = WordAt(leader, i);
        for (const IkjtView& view : views.subspan(1)) {
          word = (word ^ word >> 31) * kPrime + WordAt(view.unique, i);
        }
        rows.words_.push_back(word);
      }
    }
    rows.batch_entries_ += static_cast<uint64_t>(leader.offsets[leader.rows]);
    const uint64_t end_row = std::min<uint64_t>(first_row + kDedupBatchRows, rows.slots_.size());
    for (uint64_t row = first_row; row < end_row; ++row) {
      const auto unique = static_cast<uint32_t>(views[0].inverse[row - first_row]);
      const bool present = leader.present[unique] != 0;
      rows.slots_[row] = present ? first_slot + unique : kNoCode;
      rows.num_present_ += present ? 1 : 0;
      rows.num_entries_ += present ? rows.lengths_[first_slot + unique] : 0;
    }
    return Status::Ok();
  };
  DSI_RETURN_IF_ERROR(ForEachBatch(reader, feature, num_rows, take));
  return rows;
}

bool FeatureRows::Equal(size_t a, size_t b) const {
  if (slots_[a] == slots_[b]) return true;
  const Words x = EntriesOf(a);
  const Words y = EntriesOf(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

// Longest front of `pattern` that stands in `text` whole, or else at its end (Knuth, Morris,
// Pratt).
uint32_t FeatureRows::LongestMatch(Words pattern, Words text) {
  borders_.assign(pattern.size(), 0);
  uint32_t matched = 0;
  for (size_t i = 1; i < pattern.size(); ++i) {
    while (matched != 0 && pattern[i] != pattern[matched]) matched = borders_[matched - 1];
    matched += pattern[i] == pattern[matched] ? 1 : 0;
    borders_[i] = matched;
  }
  matched = 0;
  for (const uint64_t word : text) {
    while (matched != 0 && word != pattern[matched]) matched = borders_[matched - 1];
    matched += word == pattern[matched] ? 1 : 0;
    if (matched == pattern.size()) return matched;
  }
  return matched;
}

uint32_t FeatureRows::Overlap(size_t before, size_t row) {
  if (Equal(before, row)) return length(row);
  const Words old_list = EntriesOf(before);
  const Words new_list = EntriesOf(row);
  if (old_list.empty() || new_list.empty()) return 0;
  return std::max(LongestMatch(new_list, old_list), LongestMatch(old_list, new_list));
}

Result<RowCodes> LoadCodes(const Reader& reader, const FeatureSpec& feature, uint64_t num_rows) {
  RowCodes codes;
  codes.name = feature.name;
  codes.is_list = feature.kind != Kind::kKey;
  codes.codes.assign(num_rows, kNoCode);
  std::unordered_map<std::string, uint32_t> known;
  bool one_each = true;
  std::vector<uint32_t> of_unique;
  const auto take = [&](uint64_t first_row, std::span<const IkjtView> views) {
    const JaggedView& view = views[0].unique;
    of_unique.assign(view.rows, kNoCode);
    for (size_t u = 0; u < view.rows; ++u) {
      if (view.present[u] == 0) continue;
      one_each &= !codes.is_list || view.offsets[u + 1] - view.offsets[u] == 1;
      const auto next = static_cast<uint32_t>(known.size());
      of_unique[u] = known.try_emplace(std::string(BytesOf(view, u)), next).first->second;
    }
    const uint64_t end_row = std::min(first_row + kDedupBatchRows, num_rows);
    for (uint64_t row = first_row; row < end_row; ++row) {
      codes.codes[row] = of_unique[static_cast<size_t>(views[0].inverse[row - first_row])];
      codes.num_present += codes.codes[row] != kNoCode ? 1 : 0;
    }
    return Status::Ok();
  };
  DSI_RETURN_IF_ERROR(ForEachBatch(reader, feature, num_rows, take));
  codes.num_values = one_each ? static_cast<uint32_t>(known.size()) : 0;
  return codes;
}

RowCodes Combine(const RowCodes& a, const RowCodes& b) {
  RowCodes both;
  both.name = a.name + "," + b.name;
  both.codes.assign(a.codes.size(), kNoCode);
  std::unordered_map<uint64_t, uint32_t> known;
  for (size_t row = 0; row < both.codes.size(); ++row) {
    const uint64_t pair = uint64_t{a.codes[row]} << 32 | b.codes[row];
    const auto next = static_cast<uint32_t>(known.size());
    both.codes[row] = known.try_emplace(pair, next).first->second;
  }
  both.num_values = static_cast<uint32_t>(known.size());
  both.num_present = both.codes.size();
  return both;
}

Result<std::vector<uint32_t>> RowsByTime(const Reader& reader, const FeatureSpec* time,
                                         uint64_t num_rows) {
  std::vector<uint32_t> rows(num_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  if (time == nullptr) return rows;
  std::vector<int64_t> times(num_rows, 0);
  const auto take = [&](uint64_t first_row, std::span<const IkjtView> views) {
    const JaggedView& view = views[0].unique;
    const uint64_t end_row = std::min(first_row + kDedupBatchRows, num_rows);
    for (uint64_t row = first_row; row < end_row; ++row) {
      const auto unique = static_cast<size_t>(views[0].inverse[row - first_row]);
      if (view.present[unique] == 0) continue;
      times[row] = static_cast<int64_t>(WordAt(view, static_cast<size_t>(view.offsets[unique])));
    }
    return Status::Ok();
  };
  DSI_RETURN_IF_ERROR(ForEachBatch(reader, *time, num_rows, take));
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
  return rows;
}

}  // namespace dsi::tools
