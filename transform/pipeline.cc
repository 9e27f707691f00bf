// What a pipeline is checked for without knowing features (T-001, T-004).
#include "dsi/transform/pipeline.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <unordered_map>
#include <unordered_set>

#include "dsi/base/error_internal.h"
#include "dsi/base/float_mode_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/limits.h"
#include "dsi/transform/check_step_internal.h"
#include "dsi/transform/step_place_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::QuoteForMessage;

// T-004, F-071.
Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes)
    return InvalidArgument("{} of {} bytes, expected 1 to {}", what, name.size(), kMaxNameBytes);
  if (name.find('\0') != std::string_view::npos)
    return InvalidArgument("{} with a NUL byte: {}", what, QuoteForMessage(name));
  if (simdjson::validate_utf8(name.data(), name.size())) return {};
  return InvalidArgument("{} that is not valid UTF-8", what);
}

using Names = std::unordered_map<std::string_view, size_t>;

Status CheckInputs(const TransformStep& step, size_t ordinal, const Names& outputs) {
  for (const std::string& input : step.inputs) {
    DSI_RETURN_IF_ERROR(CheckName("name of an input", input));
    const auto found = outputs.find(input);
    if (found == outputs.end() || found->second < ordinal) continue;
    if (found->second == ordinal) {
      return InvalidArgument("takes its own output {}", QuoteForMessage(input));
    }
    return InvalidArgument(
        "takes {}, which step {} makes later; steps stand in an order without cycles",
        QuoteForMessage(input), found->second);
  }
  return {};
}

Status CheckOutputs(const Pipeline& pipeline, const Names& made) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& output : pipeline.outputs) {
    if (made.count(output) == 0) {
      internal::NearNames near(output, 1);
      for (const TransformStep& step : pipeline.steps) near.Offer(step.output);
      return InvalidArgument("outputs: no step makes {}{}", QuoteForMessage(output), near.Advice());
    }
    if (!seen.insert(output).second) {
      return InvalidArgument("outputs: {} stands twice", QuoteForMessage(output));
    }
  }
  return {};
}

Status ValidateSteps(const Pipeline& pipeline) {
  if (pipeline.steps.empty() || pipeline.steps.size() > kMaxTransformSteps) {
    return InvalidArgument("{} steps, expected 1 to {}", pipeline.steps.size(), kMaxTransformSteps);
  }
  Names made;
  for (size_t i = 0; i < pipeline.steps.size(); ++i) {
    const TransformStep& step = pipeline.steps[i];
    DSI_RETURN_IF_ERROR(CheckName("name of an output", step.output).At(internal::StepPlace(i)));
    const auto [at, is_new] = made.emplace(step.output, i);
    if (is_new) continue;
    return InvalidArgument("output {} is that of step {} too; rename one",
                           QuoteForMessage(step.output), at->second)
        .At(internal::StepPlace(i, step));
  }
  for (size_t i = 0; i < pipeline.steps.size(); ++i) {
    const TransformStep& step = pipeline.steps[i];
    DSI_RETURN_IF_ERROR(internal::CheckStep(step).At(internal::StepPlace(i, step)));
    DSI_RETURN_IF_ERROR(CheckInputs(step, i, made).At(internal::StepPlace(i, step)));
  }
  return CheckOutputs(pipeline, made);
}

Result<std::vector<std::string>> FeaturesOf(const Pipeline& pipeline) {
  DSI_RETURN_IF_ERROR(ValidateSteps(pipeline));
  std::unordered_set<std::string_view> known;
  for (const TransformStep& step : pipeline.steps) known.insert(step.output);
  std::vector<std::string> features;
  for (const TransformStep& step : pipeline.steps) {
    for (const std::string& input : step.inputs) {
      if (known.insert(input).second) features.push_back(input);
    }
  }
  return features;
}

}  // namespace

Status Pipeline::Validate() const {
  const internal::DefaultFloats floats;  // T-005: of parameters, too.
  return internal::NoThrow([this] { return ValidateSteps(*this); });
}

Result<std::vector<std::string>> Pipeline::Features() const {
  return internal::NoThrow([this] { return FeaturesOf(*this); });
}

}  // namespace dsi
