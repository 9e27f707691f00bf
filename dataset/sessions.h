// Where sessions begin in a dataset, for who divides its rows and leaves sessions whole: a job
// whose ranks share no session, a sample of sessions.
//
// A session is a run of rows that are equal in all keys that a file is clustered by but a last
// timestamp (spec DO-010). It ends with its file; in a file without keys each row is one.
//
// Thread safety: any thread, also for one dataset from many at once. Nothing throws.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_scan.h"

namespace dsi {

// The rows among `rows` with which sessions begin, ascending. Deleted rows are none: a session
// begins with its first row that is not. Reads the keys of these rows, a page or more at a time.
// kInvalidArgument: rows that the dataset does not have. Errors of opening and reading.
DSI_EXPORT Result<std::vector<uint64_t>> SessionStarts(const Dataset& dataset, DatasetRows rows);

// All rows, deleted ones among them, in so many parts that follow each other, each of whole
// sessions and as near to an equal share as these allow; where there are fewer sessions, or one is
// larger than a share, some have no rows. Part r of w is for DatasetScanOptions::rows of rank r, as
// a world of its own. Reads the keys of rows around each cut alone, so the cost is by parts, not by
// rows. kInvalidArgument: no parts, or more than 2^20. Errors of opening and reading.
DSI_EXPORT Result<std::vector<DatasetRows>> SplitBySessions(const Dataset& dataset, uint32_t parts);

}  // namespace dsi
