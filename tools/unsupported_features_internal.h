// One feature of a kind, type or encoding that only a newer reader knows must not stop the others,
// where nobody asked for it by name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::tools {

// Does with the columns of one feature what has failed with all of them.
using FeatureProbe = std::function<Status(std::span<const ColumnInfo> columns)>;

// Takes features whose probe says kUnsupported out of *columns, with a warning each; `where` is
// added to it (" from row 7 on"). Returns `failure` itself where it is another error, where a
// feature at fault was asked for by its name (`names` may hold globs; none: everything was asked
// for), where no feature alone is at fault, or nothing would be left.
Status LeaveOutUnsupported(const Status& failure, std::span<const std::string> names,
                           std::string_view where, const FeatureProbe& probe,
                           std::vector<ColumnInfo>* columns);

// A probe that reads rows [begin, end) of what gives such scans.
FeatureProbe ReadRows(std::function<Result<std::unique_ptr<Scan>>(const ScanOptions&)> new_scan,
                      uint64_t row_begin, uint64_t row_end);

}  // namespace dsi::tools
