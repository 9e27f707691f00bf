// A pipeline over the columns of a dataset: what it takes of them, what it makes, and what of that
// a scan was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/scan_options.h"
#include "dsi/transform/pipeline.h"

namespace dsi::internal {

// Columns of a view that a feature of a pipeline is.
struct PipelineFeature {
  uint32_t values = kNone32;
  uint32_t scores = kNone32;  // Of scored lists.
};

struct PipelinePlan {
  TransformPlan plan;
  std::vector<PipelineFeature> features;  // By feature of the plan.
};

// Which entries of a feature's lists a plan looks at: so many at one end; 0: all.
struct TakenEntries {
  uint32_t count = 0;
  Keep keep = Keep::kLast;
};
// By feature of the plan: where all stages that take it cut it first, at the same end.
std::vector<TakenEntries> TakenEntriesOf(const TransformPlan& plan);

// `view`: its patterns from `first_pattern` on are pipeline.Features(), in their order.
Result<PipelinePlan> ResolvePipeline(const Pipeline& pipeline, const SchemaView& view,
                                     size_t first_pattern);
// The same over a view of its own.
Result<PipelinePlan> ResolvePipeline(const Pipeline& pipeline, const DatasetFiles& files);

// kNotFound names the first step that takes a feature which no file has. For when a view with the
// pipeline's features could not be made: it looks at one after the other.
Status CheckFeatures(const Pipeline& pipeline, const DatasetFiles& files);

// What a name stands for of what a step makes.
struct MadeName {
  std::string output;    // Of the step.
  bool values = true;    // The number, the list, or the ids of a scored list.
  bool weights = false;  // Of a scored list.
  // It is "output.ids" or "output.weights", so it must be a scored list; else its weights are meant
  // as well where it is one.
  bool is_part = false;
};
// None: no step makes it.
std::optional<MadeName> FindMade(const std::string& name, const Pipeline& pipeline);

// The name of the stage that makes what a projection asks for: the step's output or, where a wider
// type is asked for, a cast of it. `made`: what the step makes. kInvalidArgument: no cast of no
// loss gives that type; kNotFound: ids or weights of what is no scored list.
Result<std::string> StageOf(const MadeName& name, const TransformType& made,
                            const Projection& asked);

// What projections ask for and no more; none: nothing that a step makes. `whole`: the plan of
// the pipeline. kInvalidArgument: a step whose result is not kept.
Result<std::optional<TransformPlan>> PlanOfAsked(const Pipeline& pipeline,
                                                 const TransformPlan& whole,
                                                 std::span<const Projection> asked);

// Null: no output of the plan has this name.
const TransformType* FindOutput(const TransformPlan& plan, std::string_view name);

// Outputs of a plan as columns.
std::vector<ColumnInfo> ColumnsOfPlan(const TransformPlan& plan);

}  // namespace dsi::internal
