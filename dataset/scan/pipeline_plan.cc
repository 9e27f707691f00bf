#include "dsi/dataset/scan/pipeline_plan_internal.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/transform/step_place_internal.h"

namespace dsi::internal {
namespace {

constexpr std::string_view kIds = ".ids";
constexpr std::string_view kWeights = ".weights";

bool HasStep(const Pipeline& pipeline, std::string_view output) {
  return std::ranges::any_of(pipeline.steps,
                             [&](const TransformStep& step) { return step.output == output; });
}

// Every value of the first has one of the second, but for the rounding of floats.
bool CanWiden(Type from, Type to) {
  return IsFloat(to) || (from == Type::kInt32 && to == Type::kInt64);
}

Kind KindOf(const TransformType& type) {
  if (type.shape == RowShape::kScored) return Kind::kWeighted;
  if (type.shape == RowShape::kList) return Kind::kList;
  if (type.unit != TimeUnit::kNone) return Kind::kTimestamp;
  return IsFloat(type.type) ? Kind::kDense : Kind::kKey;
}

}  // namespace

std::vector<TakenEntries> TakenEntriesOf(const TransformPlan& plan) {
  std::vector<TakenEntries> taken(plan.features().size());
  std::vector<bool> whole(taken.size());
  for (const TransformStage& stage : plan.stages()) {
    const Keep keep = stage.op == TransformOp::kLastX ? Keep::kLast : Keep::kFirst;
    for (const TransformSource& source : stage.sources) {
      if (source.is_stage) continue;
      TakenEntries& of = taken[source.index];
      whole[source.index] =
          whole[source.index] || stage.cut == 0 || (of.count != 0 && of.keep != keep);
      of = {std::max(of.count, stage.cut), keep};
    }
  }
  for (size_t i = 0; i < taken.size(); ++i) {
    if (whole[i]) taken[i] = {};
  }
  return taken;
}

Result<PipelinePlan> ResolvePipeline(const Pipeline& pipeline, const SchemaView& view,
                                     size_t first_pattern) {
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> names, pipeline.Features());
  std::vector<TransformFeature> features;
  std::vector<PipelineFeature> columns_of;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::vector<uint32_t>& columns = view.of_pattern()[first_pattern + i];
    const ColumnInfo& first = view.columns()[columns.front()];
    const bool is_scored = first.kind == Kind::kWeighted && columns.size() == 2;
    if (columns.size() != 1 && !is_scored) {
      return InvalidArgument("pipeline: \"{}\" stands for {} columns; name one of them", names[i],
                             columns.size());
    }
    const bool is_list = HasLengths(first.kind, first.type) || first.kind == Kind::kEmbedding;
    TransformFeature& feature = features.emplace_back();
    feature.name = names[i];
    feature.type.type = TransformTypeOf(first.type);
    feature.type.unit = first.time_unit;
    feature.type.shape = is_scored ? RowShape::kScored
                         : is_list ? RowShape::kList
                                   : RowShape::kNumber;
    columns_of.push_back({columns[0], is_scored ? columns[1] : kNone32});
  }
  DSI_ASSIGN_OR_RETURN(TransformPlan plan, pipeline.Resolve(features));
  return PipelinePlan{std::move(plan), std::move(columns_of)};
}

Result<PipelinePlan> ResolvePipeline(const Pipeline& pipeline, const DatasetFiles& files) {
  DSI_ASSIGN_OR_RETURN(std::vector<std::string> features, pipeline.Features());
  const auto view = MakeView(files, std::move(features));
  if (!view.ok()) {
    DSI_RETURN_IF_ERROR(CheckFeatures(pipeline, files));
    return view.status();
  }
  return ResolvePipeline(pipeline, **view, 0);
}

Status CheckFeatures(const Pipeline& pipeline, const DatasetFiles& files) {
  std::unordered_set<std::string_view> known;
  for (size_t i = 0; i < pipeline.steps.size(); ++i) {
    const TransformStep& step = pipeline.steps[i];
    for (const std::string& input : step.inputs) {
      if (!known.insert(input).second) continue;
      const Status status = MakeView(files, {input}).status();
      if (status.code() != StatusCode::kNotFound) continue;
      NearNames near(input, 2);
      for (size_t k = 0; k < i; ++k) near.Offer(pipeline.steps[k].output);
      const std::string advice = near.Advice();
      if (advice.empty()) return status.At(StepPlace(i, step));
      return Error(StatusCode::kNotFound,
                   "no feature of the dataset is called {}, and no step before makes it{}",
                   QuoteForMessage(input), advice)
          .At(StepPlace(i, step));
    }
    known.insert(step.output);
  }
  return {};
}

std::optional<MadeName> FindMade(const std::string& name, const Pipeline& pipeline) {
  if (HasStep(pipeline, name)) return MadeName{name, true, true, false};
  for (const std::string_view part : {kIds, kWeights}) {
    if (!name.ends_with(part)) continue;
    std::string output = name.substr(0, name.size() - part.size());
    if (HasStep(pipeline, output))
      return MadeName{std::move(output), part == kIds, part == kWeights, true};
  }
  return std::nullopt;
}

Result<std::string> StageOf(const MadeName& name, const TransformType& made,
                            const Projection& asked) {
  if (name.is_part && made.shape != RowShape::kScored) {
    return Error(StatusCode::kNotFound, "{}: the pipeline makes \"{}\", which is no scored list",
                 asked.name, name.output);
  }
  const Type type = name.values ? made.type : Type::kFloat32;
  if (!asked.dtype.has_value() || *asked.dtype == type) return name.output;
  if (!name.values || !CanWiden(type, *asked.dtype)) {
    return InvalidArgument("{}: the pipeline makes {}, {} asked for; a step of cast changes that",
                           asked.name, TypeName(type), TypeName(*asked.dtype));
  }
  return fmt::format("{} as {}", name.output, TypeName(*asked.dtype));
}

Result<std::optional<TransformPlan>> PlanOfAsked(const Pipeline& pipeline,
                                                 const TransformPlan& whole,
                                                 std::span<const Projection> asked) {
  Pipeline wanted = {.steps = pipeline.steps, .outputs = {}};
  for (const Projection& projection : asked) {
    const std::optional<MadeName> name = FindMade(projection.name, pipeline);
    if (!name.has_value()) continue;
    const TransformType* const made = FindOutput(whole, name->output);
    if (made == nullptr) {
      return InvalidArgument(
          "{}: the pipeline makes it on the way and does not keep it; name it in "
          "Pipeline::outputs",
          projection.name);
    }
    DSI_ASSIGN_OR_RETURN(std::string stage, StageOf(*name, *made, projection));
    if (std::ranges::find(wanted.outputs, stage) != wanted.outputs.end()) continue;
    if (stage != name->output) {
      wanted.steps.push_back({.output = stage,
                              .op = TransformOp::kCast,
                              .inputs = {name->output},
                              .type = *projection.dtype});
    }
    wanted.outputs.push_back(std::move(stage));
  }
  if (wanted.outputs.empty()) return std::optional<TransformPlan>();
  const auto features = whole.features();
  DSI_ASSIGN_OR_RETURN(TransformPlan plan, wanted.Resolve({features.begin(), features.end()}));
  return std::optional(std::move(plan));
}

const TransformType* FindOutput(const TransformPlan& plan, std::string_view name) {
  for (const size_t stage : plan.outputs()) {
    if (plan.stages()[stage].name == name) return &plan.stages()[stage].type;
  }
  return nullptr;
}

std::vector<ColumnInfo> ColumnsOfPlan(const TransformPlan& plan) {
  std::vector<ColumnInfo> columns;
  const auto add = [&](const TransformStage& stage, std::string_view part, Type type) {
    ColumnInfo& column = columns.emplace_back();
    column.ordinal = static_cast<uint32_t>(columns.size() - 1);
    column.name = stage.name + std::string(part);
    column.feature = stage.name;
    column.is_made = true;
    column.kind = KindOf(stage.type);
    column.type = type;
    if (MayBeTime(column.kind, type)) column.time_unit = stage.type.unit;
  };
  for (const size_t output : plan.outputs()) {
    const TransformStage& stage = plan.stages()[output];
    const bool is_scored = stage.type.shape == RowShape::kScored;
    add(stage, is_scored ? kIds : "", stage.type.type);
    if (is_scored) add(stage, kWeights, Type::kFloat32);
  }
  return columns;
}

}  // namespace dsi::internal
