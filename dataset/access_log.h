// What jobs read of datasets, written down as they read it, so that files can be laid out for them
// (WriterOptions::uses): JSON Lines of
//
//     {"features": ["user.clicks", "label"], "time": 1700000000}
//
// one for each scan, with the stored columns that it reads and the second in which it began. Many
// processes may add to one log.
//
// Thread safety: any thread. Nothing throws.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/feature_use.h"

namespace dsi {

// Adds a line, with one write to the end of the file, which is made where there is none. kIo,
// kNotFound (its folder).
DSI_EXPORT Status AppendAccess(const std::string& path, std::span<const std::string> columns);

// The log, equal lines as one that counts them, the most frequent first. A last line without an end
// is one whose writer was stopped, and left out. kBadInput names the line. kNotFound, kIo,
// kResourceExhausted: more than 1 GiB.
DSI_EXPORT Result<std::vector<FeatureUse>> ReadAccessLog(const std::string& path);

}  // namespace dsi
