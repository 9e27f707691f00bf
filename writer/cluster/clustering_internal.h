// Decides the order of rows: keys by their first time, then by input position; rows of one key by
// time, then input position (design §4, row order).
//
// Keys whose hashes are equal are taken for equal. Where memory is scarce the records of rows are
// sorted by keys, so that the first time of each is found, and then by these first times, through
// spill files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/rows/source_internal.h"
#include "dsi/writer/spill/record_sorter_internal.h"

namespace dsi::internal {

// The features rows are clustered by, resolved against the schema.
struct ClusterKeys {
  std::vector<size_t> keys;  // Feature ordinals, outermost first.
  int time = -1;             // Feature ordinal of the time, -1 none.
};

// Resolves feature names; a last name of kind timestamp is the time. kInvalidArgument: unknown
// name, or a feature that is no scalar or string.
Result<ClusterKeys> ResolveClusterKeys(const Schema& schema, const std::vector<std::string>& names);

// Of the record of a row.
uint32_t KeyRecordBytes(const ClusterKeys& keys);
// Appends the records of rows, which are [first_row, …) of the input. `features`: of the schema,
// with these rows behind `skipped` others. All bytes of a row are fresh ones.
void AppendKeyRecords(std::span<const FeatureSource> features, const ClusterKeys& keys,
                      uint32_t first_row, std::span<const uint64_t> row_bytes,
                      std::vector<std::byte>* records, size_t skipped = 0);
// Of records of rows a number for the session of each. There are keys.
std::vector<uint64_t> SessionsOf(const ClusterKeys& keys, std::span<const std::byte> records);
// Takes from the fresh bytes of each row what its session repeats.
void SubtractRepeats(const ClusterKeys& keys, std::span<const uint64_t> repeated,
                     std::span<std::byte> records);

// Hands out the records of all rows, some at a time, in the order of input.
using ForEachRecords =
    std::function<Status(const std::function<Status(std::span<const std::byte>)>&)>;

struct ClusterMemory {
  uint64_t bytes = UINT64_MAX;  // At most, about.
  std::string spill_folder;
  bool rows_are_held = false;  // Beside it.
};

// Deterministic, whatever the memory. `poll` may cancel. Cost: O(n) in memory where keys come in
// the order of time, as in most logs, else O(n log n).
Result<RowList> ClusterRows(const ClusterKeys& keys, size_t num_rows, const ForEachRecords& records,
                            const ClusterMemory& memory, const std::function<Status()>& poll);

// The same of rows that are in memory, which have no bytes then.
Result<RowList> ClusterHeldRows(std::span<const FeatureSource> features, const ClusterKeys& keys,
                                size_t num_rows);

// Places in `rows`, oldest first; of equal times by input position.
std::vector<uint32_t> RowsInTime(std::span<const ListedRow> rows);

}  // namespace dsi::internal
