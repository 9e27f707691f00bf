// Decides the order of rows: keys by their first time, then by input position; rows of one key by
// time, then input position (design §4, row order).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// The features rows are clustered by, resolved against the schema.
struct ClusterKeys {
  std::vector<size_t> keys;  // Feature ordinals, outermost first.
  int time = -1;             // Feature ordinal of the time, -1 none.
};

// Resolves feature names; a last name of kind timestamp is the time. kInvalidArgument: unknown
// name, or a feature that is no scalar or string.
Result<ClusterKeys> ResolveClusterKeys(const Schema& schema, const std::vector<std::string>& names);

// Orders num_rows rows. Without keys and time rows keep their order. Deterministic. Cost: O(n log
// n).
RowOrder ClusterRows(std::span<const FeatureSource> features, const ClusterKeys& keys,
                     size_t num_rows);

}  // namespace dsi::internal
