// A plan in words.
#include <fmt/format.h>

#include "dsi/base/json_position_internal.h"
#include "dsi/transform/check_step_internal.h"
#include "dsi/transform/op_table_internal.h"
#include "dsi/transform/plan_state_internal.h"

namespace dsi {
namespace {

using internal::PlanState;
using internal::QuoteForMessage;

std::string SourceText(const PlanState& state, const TransformSource& source) {
  if (source.is_stage) return fmt::format("stage {}", source.index);
  return QuoteForMessage(state.features[source.index].name);
}

std::string_view Phase(const TransformStage& stage) {
  if (stage.elementwise) return "map";
  const bool truncates = internal::FindOp(stage.op)->form == internal::OpForm::kTruncation;
  return truncates ? "truncate" : "rows";
}

std::string StageText(const PlanState& state, size_t number) {
  const TransformStage& stage = state.stages[number];
  std::string text = fmt::format("stage {}: {}", number, Phase(stage));
  if (!stage.elementwise) text += fmt::format(" by {}", TransformOpName(stage.op));
  text += " (";
  for (size_t i = 0; i < stage.steps.size(); ++i) {
    if (i > 0) text += ", ";
    text += stage.steps[i];
  }
  text += ") of ";
  for (size_t k = 0; k < stage.sources.size(); ++k) {
    if (k > 0) text += " and ";
    text += SourceText(state, stage.sources[k]);
  }
  text += fmt::format(" -> {}", internal::TypeText(stage.type));
  if (stage.steps.size() > 1) text += fmt::format(", {} steps in one pass", stage.steps.size());
  if (stage.is_output) text += fmt::format(", output {}", QuoteForMessage(stage.name));
  text += '\n';
  return text;
}

}  // namespace

std::string TransformPlan::Explain() const {
  const PlanState& state = *state_;
  std::vector<uint8_t> used(state.features.size());
  for (const TransformStage& stage : state.stages) {
    for (const TransformSource& source : stage.sources) {
      if (!source.is_stage) used[source.index] = 1;
    }
  }
  std::string text = "read:";
  for (size_t f = 0; f < used.size(); ++f) {
    if (used[f] != 0) text += fmt::format(" {}", QuoteForMessage(state.features[f].name));
  }
  text += '\n';
  for (size_t s = 0; s < state.stages.size(); ++s) text += StageText(state, s);
  return text;
}

}  // namespace dsi
