#include "dsi/tools/job_reads_internal.h"

#include <algorithm>
#include <set>

#include "dsi/tools/feature_choice_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kMostJobs = 20;  // That anybody looks at.

Result<JobReads> ReadsOf(const FeatureUse& use, const Dataset& dataset,
                         std::span<const ColumnInfo> columns) {
  JobReads reads{.times = use.times};
  const std::set<std::string> names(use.features.begin(), use.features.end());
  DatasetScanOptions options;
  for (const ColumnInfo& column : columns) {
    const bool is_read = names.contains(column.name) || names.contains(column.feature);
    if (is_read && column.support.ok()) options.scan.features.push_back(PlainProjection(column));
  }
  reads.features = options.scan.features.size();
  if (options.scan.features.empty()) return reads;
  DSI_ASSIGN_OR_RETURN(const DatasetPlan plan, dataset.Plan(options));
  reads.reads = plan.reads.reads;
  reads.bytes = plan.reads.bytes;
  return reads;
}

}  // namespace

Result<std::vector<JobReads>> CountJobReads(std::span<const FeatureUse> uses,
                                            const Dataset& dataset) {
  std::vector<JobReads> jobs;
  if (uses.empty()) return jobs;  // No directory need be read.
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset.Columns());
  for (const FeatureUse& use : uses.first(std::min(uses.size(), kMostJobs))) {
    DSI_ASSIGN_OR_RETURN(const JobReads reads, ReadsOf(use, dataset, columns));
    jobs.push_back(reads);
  }
  return jobs;
}

}  // namespace dsi::tools
