// Writes the JSON form of a pipeline, one step per line. Optional members that hold their default
// are left out and the order is fixed, so that equal pipelines give equal text. Long arrays of
// numbers have no blanks.
#include <fmt/format.h>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_text_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/transform/pipeline.h"
#include "dsi/transform/pipeline_version_internal.h"
#include "dsi/transform/step_place_internal.h"
#include "dsi/transform/step_text_internal.h"

namespace dsi {
namespace internal {
namespace {

std::string NumberText(double number) {
  std::string text = fmt::format("{}", number);
  // Without a point it would be read as a whole number.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string NumberText(const TransformNumber& number) {
  return number.index() == 0 ? fmt::format("{}", std::get<0>(number))
                             : NumberText(std::get<1>(number));
}

std::string ArrayText(const std::vector<double>& numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ',';
    text += NumberText(numbers[i]);
  }
  return text + "]";
}

std::string ArrayText(const std::vector<int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string ParameterText(const TransformStep& step, Parameter parameter) {
  switch (parameter) {
    case Parameter::kSalt:
      return fmt::format("{}", step.salt);
    case Parameter::kMax:
      return fmt::format("{}", step.max);
    case Parameter::kN:
      return fmt::format("{}", step.n);
    case Parameter::kLimit:
      return fmt::format("{}", step.limit);
    case Parameter::kLow:
      return NumberText(step.low);
    case Parameter::kHigh:
      return NumberText(step.high);
    case Parameter::kValue:
      return NumberText(step.value);
    case Parameter::kBorders:
      return ArrayText(step.borders);
    case Parameter::kSide:
      return step.side == BorderSide::kLeft ? "\"left\"" : "\"right\"";
    case Parameter::kKeys:
      return ArrayText(step.keys);
    case Parameter::kValues:
      return ArrayText(step.values);
    case Parameter::kDefault:
      return fmt::format("{}", step.fallback);
    case Parameter::kLambda1:
      return NumberText(step.lambda1);
    case Parameter::kLambda2:
      return NumberText(step.lambda2);
    case Parameter::kEpsilon:
      return NumberText(step.epsilon);
    case Parameter::kType:
      return fmt::format("\"{}\"", TypeName(step.type));
    case Parameter::kUnit:
      return fmt::format("\"{}\"", TimeUnitName(step.unit));
    case Parameter::kOffset:
      return fmt::format("{}", step.offset_s);
  }
  return {};
}

}  // namespace

void AppendParameter(const TransformStep& step, Parameter parameter, std::string* out) {
  *out += fmt::format("\"{}\": {}", kParameterNames[static_cast<size_t>(parameter)],
                      ParameterText(step, parameter));
}

}  // namespace internal

namespace {

void AppendNames(const std::vector<std::string>& names, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) *out += ", ";
    internal::AppendJsonString(names[i], out);
  }
  *out += ']';
}

void AppendStep(const TransformStep& step, std::string* out) {
  const internal::OpInfo& info = *internal::FindOp(step.op);
  *out += "{\"output\": ";
  internal::AppendJsonString(step.output, out);
  *out += fmt::format(", \"op\": \"{}\", \"inputs\": ", info.name);
  AppendNames(step.inputs, out);
  for (size_t p = 0; p < internal::kParameterNames.size(); ++p) {
    const auto parameter = static_cast<internal::Parameter>(p);
    if (!internal::Takes(info, parameter)) continue;
    // The one parameter that may be left out.
    if (parameter == internal::Parameter::kEpsilon && step.epsilon == TransformStep().epsilon) {
      continue;
    }
    *out += ", ";
    internal::AppendParameter(step, parameter, out);
  }
  *out += '}';
}

// T-004: what FromJson would refuse is not written.
Status CheckSize(const std::string& text) {
  if (text.size() <= kMaxPipelineBytes) return {};
  return internal::Error(StatusCode::kResourceExhausted,
                         "the JSON of the pipeline takes more than {} bytes", kMaxPipelineBytes);
}

Result<std::string> ToText(const Pipeline& pipeline) {
  DSI_RETURN_IF_ERROR(pipeline.Validate());
  std::string out =
      fmt::format("{{\n  \"version\": {},\n  \"steps\": [", internal::kPipelineVersion);
  for (size_t i = 0; i < pipeline.steps.size(); ++i) {
    const TransformStep& step = pipeline.steps[i];
    if (step.op == TransformOp::kCustom) {
      return internal::InvalidArgument("a callback has no JSON form")
          .At(internal::StepPlace(i, step));
    }
    out += i == 0 ? "\n    " : ",\n    ";
    AppendStep(step, &out);
    DSI_RETURN_IF_ERROR(CheckSize(out));
  }
  out += "\n  ]";
  if (!pipeline.outputs.empty()) {
    out += ",\n  \"outputs\": ";
    AppendNames(pipeline.outputs, &out);
  }
  out += "\n}\n";
  DSI_RETURN_IF_ERROR(CheckSize(out));
  return out;
}

}  // namespace

Result<std::string> Pipeline::ToJson() const {
  return internal::NoThrow([this] { return ToText(*this); });
}

}  // namespace dsi
