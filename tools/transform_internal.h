// What dsictl transform does with a pipeline once its names are settled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/transform/pipeline.h"

namespace dsi::tools {

// Immutable but for the options of scans.
struct TransformJob {
  const Dataset* dataset = nullptr;
  Pipeline pipeline;                    // Its outputs are those asked for.
  std::vector<std::string> shown = {};  // Those, and columns of the files, in the order asked for.
  std::vector<ColumnInfo> columns;      // Of the dataset, but those that this build cannot read.
  TransformPlan plan;                   // Over the features that the pipeline takes.
  std::vector<std::string> where;       // As given.
  double sample = 1;
  ScanOptions scan = {};  // Filter, batch size and threads.
};

// A pipeline as a file has it; where it breaks a rule the console gets a hint.
Result<Pipeline> ReadPipeline(const std::string& path, Console* console);

// The plan over those columns that the pipeline takes. Errors name the step; a feature that is not
// there is kInvalidArgument.
Result<TransformPlan> ResolveOver(const Pipeline& pipeline, const std::vector<ColumnInfo>& columns);

// The first rows as JSON Lines, named as the columns of a batch are.
Status PrintTransformed(const TransformJob& job, uint64_t num_rows, Console* console);

// In which order things run.
Status ExplainTransform(const TransformJob& job, Console* console);

// The pipeline on unique rows, against the same steps on expanded rows. Of `repeat` rounds the best
// counts; each takes at least num_rows rows, or all.
Status BenchTransform(const TransformJob& job, uint64_t num_rows, uint32_t repeat,
                      Console* console);

}  // namespace dsi::tools
