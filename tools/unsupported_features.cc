#include "dsi/tools/unsupported_features_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsi/tools/console_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {

Status LeaveOutUnsupported(const Status& failure, std::span<const std::string> names,
                           std::string_view where, const FeatureProbe& probe,
                           std::vector<ColumnInfo>* columns) {
  if (failure.code() != StatusCode::kUnsupported) return failure;
  std::vector<ColumnInfo> left;
  std::vector<std::string> warnings;
  // The columns of a feature stand together.
  for (size_t begin = 0, end = 0; begin < columns->size(); begin = end) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    const std::string& feature = (*columns)[begin].feature;
    while (end < columns->size() && (*columns)[end].feature == feature) ++end;
    const std::span<const ColumnInfo> of_one = std::span(*columns).subspan(begin, end - begin);
    const Status status = probe(of_one);
    if (status.code() != StatusCode::kUnsupported) {
      left.insert(left.end(), of_one.begin(), of_one.end());
      continue;
    }
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name == feature || std::any_of(of_one.begin(), of_one.end(),
                                            [&](const ColumnInfo& c) { return c.name == name; });
    });
    if (named) return status;
    warnings.push_back(
        fmt::format("feature \"{}\" is left out{}: {}", feature, where, status.message()));
  }
  if (warnings.empty() || left.empty()) return failure;
  for (const std::string& warning : warnings) PrintWarning(warning);
  *columns = std::move(left);
  return Status::Ok();
}

FeatureProbe ReadRows(std::function<Result<std::unique_ptr<Scan>>(const ScanOptions&)> new_scan,
                      uint64_t row_begin, uint64_t row_end) {
  return [new_scan = std::move(new_scan), row_begin,
          row_end](std::span<const ColumnInfo> columns) -> Status {
    ScanOptions options;
    options.row_begin = row_begin;
    options.row_end = row_end;
    for (const ColumnInfo& column : columns) options.features.push_back(PlainProjection(column));
    DSI_ASSIGN_OR_RETURN(const auto scan, new_scan(options));
    Batch batch;
    while (true) {
      DSI_RETURN_IF_ERROR(CheckInterrupt());
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
    }
  };
}

}  // namespace dsi::tools
