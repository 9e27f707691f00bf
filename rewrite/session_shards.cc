#include "dsi/rewrite/session_shards_internal.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {
namespace {

// The part of the plan that says the order of rows: the features they are clustered by, or any one
// where they keep their order and need but be counted.
RewritePlan PlanOfKeys(const RewritePlan& plan) {
  RewritePlan keys;
  keys.schema.cluster_by = plan.schema.cluster_by;
  for (size_t f = 0; f < plan.schema.features.size(); ++f) {
    const FeatureSpec& feature = plan.schema.features[f];
    const auto& names = plan.schema.cluster_by;
    const bool is_key = std::find(names.begin(), names.end(), feature.name) != names.end();
    const bool counts = names.empty() && keys.schema.features.empty() && !plan.sources[f].empty();
    if (!is_key && !counts) continue;
    keys.schema.features.push_back(feature);
    keys.sources.push_back(plan.sources[f]);
  }
  return keys;
}

// Where shards end: before the session, or the row where there are none, that does not fit.
std::vector<size_t> CutShards(const std::vector<size_t>& session_starts, size_t num_rows,
                              uint64_t max_rows) {
  std::vector<size_t> ends;
  size_t begin = 0;
  const auto add = [&](size_t session, size_t end) {  // A session is [session, end).
    if (session > begin && end - begin > max_rows) {
      ends.push_back(session);
      begin = session;
    }
  };
  if (session_starts.empty()) {
    for (size_t row = 0; row < num_rows; ++row) add(row, row + 1);
  }
  for (size_t s = 0; s < session_starts.size(); ++s) {
    const bool is_last = s + 1 == session_starts.size();
    add(session_starts[s], is_last ? num_rows : session_starts[s + 1]);
  }
  ends.push_back(num_rows);
  return ends;
}

}  // namespace

Result<SessionShards> FindSessionShards(const RowCopy& copy, uint64_t max_rows) {
  const RewritePlan keys = PlanOfKeys(*copy.plan);
  RowBatch batch(std::make_shared<const Schema>(keys.schema));
  SessionShards shards;
  RowCopy copy_keys = copy;
  copy_keys.plan = &keys;
  DSI_RETURN_IF_ERROR(CopyRows(copy_keys,
                               [&](size_t num_rows, std::span<const FeatureColumns> columns,
                                   std::span<const uint64_t> numbers) -> Status {
                                 shards.rows.insert(shards.rows.end(), numbers.begin(),
                                                    numbers.end());
                                 return batch.AppendColumns(num_rows, columns);
                               }));
  std::vector<FeatureSource> sources;
  for (size_t f = 0; f < keys.schema.features.size(); ++f)
    sources.push_back({&batch.schema().features[f], &batch.feature(f)});
  DSI_ASSIGN_OR_RETURN(const ClusterKeys cluster_keys,
                       ResolveClusterKeys(keys.schema, keys.schema.cluster_by));
  DSI_ASSIGN_OR_RETURN(const RowList rows,
                       ClusterHeldRows(sources, cluster_keys, batch.num_rows()));
  std::vector<size_t> session_starts;
  std::vector<uint64_t> clustered(shards.rows.size());
  for (uint32_t p = 0; p < rows.size(); ++p) {
    DSI_ASSIGN_OR_RETURN(const ListedRow row, rows.At(p));
    clustered[p] = shards.rows[row.input_row];
    if (row.starts_session) session_starts.push_back(p);
  }
  shards.ends = CutShards(session_starts, clustered.size(), max_rows);
  size_t begin = 0;
  for (const size_t end : shards.ends) {
    std::sort(clustered.begin() + static_cast<ptrdiff_t>(begin),
              clustered.begin() + static_cast<ptrdiff_t>(end));
    begin = end;
  }
  shards.rows = std::move(clustered);
  return shards;
}

}  // namespace dsi::internal
