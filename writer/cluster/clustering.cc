#include "dsi/writer/cluster/clustering_internal.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Reads one scalar or string feature row by row, in input order.
class KeyCursor {
 public:
  explicit KeyCursor(const FeatureSource& source)
      : rows_(*source.rows),
        width_(static_cast<size_t>(TypeWidth(source.spec->columns[0].type))),
        bytes_(source.has_lengths()) {}

  // The bytes of the row's value; `present` false when missing. Rows must be asked for in ascending
  // order, each once.
  std::string_view Next(uint32_t row, bool* present) {
    if (!rows_.all_present) {
      if (entry_ >= rows_.rows.size() || rows_.rows[entry_] != row) {
        *present = false;
        return {};
      }
    }
    *present = true;
    const size_t size = bytes_ ? rows_.lengths[entry_] : width_;
    const auto* data = reinterpret_cast<const char*>(rows_.values[0].data()) + offset_;
    offset_ += size;
    ++entry_;
    return {data, size};
  }

 private:
  const RowBatch::FeatureBuffer& rows_;
  size_t width_;
  bool bytes_;
  size_t entry_ = 0;
  size_t offset_ = 0;
};

std::vector<int64_t> ReadTimes(const FeatureSource* source, size_t num_rows) {
  std::vector<int64_t> times(num_rows, std::numeric_limits<int64_t>::min());
  if (source == nullptr) return times;
  KeyCursor cursor(*source);
  for (size_t row = 0; row < num_rows; ++row) {
    bool present = false;
    const std::string_view bytes = cursor.Next(static_cast<uint32_t>(row), &present);
    if (present) std::memcpy(&times[row], bytes.data(), sizeof(int64_t));
  }
  return times;
}

// Splits every group of rows by one more key: group_of[row] becomes the number of (old group,
// value), numbered by first use.
size_t Refine(const FeatureSource& source, size_t num_rows, std::vector<uint32_t>* group_of) {
  struct Hash {
    size_t operator()(const std::pair<uint32_t, std::string_view>& key) const {
      return std::hash<std::string_view>{}(key.second) * 0x9E3779B97F4A7C15ULL + key.first;
    }
  };
  // A missing key is a key of its own; the group number tells it apart from an empty string by the
  // high bit, which group numbers never reach.
  constexpr uint32_t kMissingBit = 1U << 31;
  std::unordered_map<std::pair<uint32_t, std::string_view>, uint32_t, Hash> numbers;
  numbers.reserve(num_rows / 4);
  KeyCursor cursor(source);
  for (size_t row = 0; row < num_rows; ++row) {
    bool present = false;
    const std::string_view bytes = cursor.Next(static_cast<uint32_t>(row), &present);
    const uint32_t old = (*group_of)[row] | (present ? 0 : kMissingBit);
    const auto [it, inserted] =
        numbers.try_emplace({old, bytes}, static_cast<uint32_t>(numbers.size()));
    (*group_of)[row] = it->second;
  }
  return numbers.size();
}

// Replaces group numbers by ranks: groups ordered by (rank of the outer group, first time, first
// input position).
void RankGroups(size_t num_groups, const std::vector<int64_t>& times,
                const std::vector<uint32_t>& outer_rank, std::vector<uint32_t>* group_of) {
  struct First {
    uint32_t outer = 0;
    uint32_t position = std::numeric_limits<uint32_t>::max();
    int64_t time = std::numeric_limits<int64_t>::max();
  };
  std::vector<First> first(num_groups);
  for (size_t row = 0; row < group_of->size(); ++row) {
    First& f = first[(*group_of)[row]];
    f.outer = outer_rank[row];
    f.time = std::min(f.time, times[row]);
    f.position = std::min(f.position, static_cast<uint32_t>(row));
  }
  std::vector<uint32_t> by_rank(num_groups);
  std::iota(by_rank.begin(), by_rank.end(), 0U);
  std::sort(by_rank.begin(), by_rank.end(), [&](uint32_t a, uint32_t b) {
    if (first[a].outer != first[b].outer) return first[a].outer < first[b].outer;
    if (first[a].time != first[b].time) return first[a].time < first[b].time;
    return first[a].position < first[b].position;
  });
  std::vector<uint32_t> rank(num_groups);
  for (size_t r = 0; r < num_groups; ++r) rank[by_rank[r]] = static_cast<uint32_t>(r);
  for (uint32_t& group : *group_of) group = rank[group];
}

}  // namespace

std::vector<uint32_t> RowsInTime(std::span<const uint32_t> time_rank) {
  std::vector<uint32_t> rows(time_rank.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::sort(rows.begin(), rows.end(),
            [&](uint32_t a, uint32_t b) { return time_rank[a] < time_rank[b]; });
  return rows;
}

Result<ClusterKeys> ResolveClusterKeys(const Schema& schema,
                                       const std::vector<std::string>& names) {
  ClusterKeys keys;
  for (size_t i = 0; i < names.size(); ++i) {
    const int feature = schema.FindFeature(names[i]);
    if (feature < 0)
      return InvalidArgument("cluster key \"{}\" is not a feature of the schema", names[i]);
    const FeatureSpec& spec = schema.features[static_cast<size_t>(feature)];
    if (IsListKind(spec.kind) || spec.kind == Kind::kEmbedding) {
      return InvalidArgument("cluster key \"{}\" is a {}; keys are scalars or strings", names[i],
                             KindName(spec.kind));
    }
    if (i + 1 == names.size() && spec.kind == Kind::kTimestamp) {
      keys.time = feature;
    } else {
      keys.keys.push_back(static_cast<size_t>(feature));
    }
  }
  return keys;
}

RowOrder ClusterRows(std::span<const FeatureSource> features, const ClusterKeys& keys,
                     size_t num_rows) {
  RowOrder order;
  order.input_row.resize(num_rows);
  std::iota(order.input_row.begin(), order.input_row.end(), 0U);
  order.input_entry.assign(order.input_row.begin(), order.input_row.end());
  order.time_rank = order.input_row;
  if (keys.keys.empty() && keys.time < 0) return order;

  const std::vector<int64_t> times =
      ReadTimes(keys.time < 0 ? nullptr : &features[static_cast<size_t>(keys.time)], num_rows);
  std::vector<uint32_t> rank(num_rows, 0);
  for (const size_t key : keys.keys) {
    const std::vector<uint32_t> outer = rank;
    const size_t num_groups = Refine(features[key], num_rows, &rank);
    RankGroups(num_groups, times, outer, &rank);
  }
  std::sort(order.input_row.begin(), order.input_row.end(), [&](uint32_t a, uint32_t b) {
    if (rank[a] != rank[b]) return rank[a] < rank[b];
    if (times[a] != times[b]) return times[a] < times[b];
    return a < b;
  });
  order.input_entry.assign(order.input_row.begin(), order.input_row.end());
  std::vector<uint32_t> by_time(num_rows);
  std::iota(by_time.begin(), by_time.end(), 0U);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
  std::vector<uint32_t>& rank_of_input = rank;  // Used up to here as the rank of sessions.
  std::vector<uint32_t> session(num_rows);
  for (size_t p = 0; p < num_rows; ++p) session[p] = rank[order.input_row[p]];
  for (uint32_t i = 0; i < num_rows; ++i) rank_of_input[by_time[i]] = i;
  for (size_t p = 0; p < num_rows; ++p) order.time_rank[p] = rank_of_input[order.input_row[p]];
  if (!keys.keys.empty()) {
    for (size_t p = 0; p < num_rows; ++p) {
      if (p == 0 || session[p] != session[p - 1]) {
        order.session_starts.push_back(static_cast<uint32_t>(p));
      }
    }
  }
  return order;
}

}  // namespace dsi::internal
