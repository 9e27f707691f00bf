#include "dsi/tools/job_reads_internal.h"

#include <algorithm>
#include <set>

#include "dsi/reader/reader.h"
#include "dsi/tools/feature_choice_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kMostJobs = 20;  // That anybody looks at.

Status AddFile(std::span<const FeatureUse> uses, const std::string& path,
               std::vector<JobReads>* jobs) {
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(path));
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader->Columns());
  for (size_t j = 0; j < jobs->size(); ++j) {
    const std::set<std::string> names(uses[j].features.begin(), uses[j].features.end());
    ScanOptions scan;
    for (const ColumnInfo& column : columns) {
      const bool is_read = names.contains(column.name) || names.contains(column.feature);
      if (is_read && column.support.ok()) scan.features.push_back(PlainProjection(column));
    }
    (*jobs)[j].features = std::max<uint64_t>((*jobs)[j].features, scan.features.size());
    if (scan.features.empty()) continue;
    DSI_ASSIGN_OR_RETURN(const ReadPlan plan, reader->Plan(scan));
    (*jobs)[j].reads += plan.ranges.size();
    (*jobs)[j].bytes += plan.bytes;
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<JobReads>> CountJobReads(std::span<const FeatureUse> uses,
                                            std::span<const std::string> paths) {
  std::vector<JobReads> jobs(std::min(uses.size(), kMostJobs));
  if (jobs.empty()) return jobs;  // No file need be opened.
  for (size_t j = 0; j < jobs.size(); ++j) jobs[j].times = uses[j].times;
  for (const std::string& path : paths) DSI_RETURN_IF_ERROR(AddFile(uses, path, &jobs));
  return jobs;
}

}  // namespace dsi::tools
