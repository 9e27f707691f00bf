// Rows that keep the order in which they come: all that is to be known of a row before it is read
// is what it takes, and, where rows come clustered, its time and whether it begins a session.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

// Appends RowBytes of the rows from `first` on; of more than 32 bits the most that they hold.
void AppendRowBytes(std::span<const FeatureSource> features, size_t first, size_t num_rows,
                    std::vector<uint32_t>* bytes);

// The rows of these bytes, in their order. In an eighth of the memory, else of a spill file.
Result<RowList> KeptOrder(std::span<const uint32_t> row_bytes, const ClusterMemory& memory);
// The same of rows of which more is known; they are numbered from 0 on.
Result<RowList> KeptOrder(bool has_sessions, std::span<const ListedRow> listed,
                          const ClusterMemory& memory);

}  // namespace dsi::internal
