// A pipeline: a list of steps that make new features of those of a file, as C++ and as JSON with a
// version (spec/transforms.md), so that it travels with a job and a model.
//
//   Pipeline pipeline;
//   pipeline.steps.push_back({.output = "clicks", .op = TransformOp::kFirstX,
//                             .inputs = {"user.clicks"}, .n = 50});
//   pipeline.steps.push_back({.output = "clicks_hashed", .op = TransformOp::kSigridHash,
//                             .inputs = {"clicks"}, .salt = 7, .max = 1000000});
//   Result<TransformPlan> plan = pipeline.Resolve({{"user.clicks", {RowShape::kList}}});
//
// Thread safety: a value; const use from many threads is safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/transform/step.h"
#include "dsi/transform/transform_plan.h"

namespace dsi {

// Limits of a pipeline (T-004).
inline constexpr size_t kMaxPipelineBytes = size_t{1} << 26;
inline constexpr size_t kMaxTransformSteps = 65'536;
inline constexpr size_t kMaxTransformInputs = 64;
inline constexpr size_t kMaxTransformBorders = 65'536;
inline constexpr size_t kMaxTransformKeys = size_t{1} << 20;
inline constexpr int64_t kMaxTransformEntries = 1 << 20;  // n and limit.

class DSI_EXPORT Pipeline {
 public:
  std::vector<TransformStep> steps;
  // Which results are wanted; empty: those that no other step takes.
  std::vector<std::string> outputs;

  // kBadInput names the step, the member and what was expected.
  static Result<Pipeline> FromJson(std::string_view json);
  // As FromJson; kIo and kNotFound for the file.
  static Result<Pipeline> FromJsonFile(const std::string& path);
  // Stable: FromJson(*ToJson()) gives an equal pipeline. kInvalidArgument: it is none that Validate
  // accepts, or has a custom step. kResourceExhausted: it takes more than kMaxPipelineBytes.
  Result<std::string> ToJson() const;

  // Everything that can be said without the features: names, order, parameters, limits.
  // kInvalidArgument.
  Status Validate() const;

  // Names that steps take and none makes: the features to be read, each once, by first use.
  Result<std::vector<std::string>> Features() const;

  // The same with types: what is run in which order. Features that no step takes do no harm, and
  // an output hides one of its name.
  // kNotFound: a step takes a feature that is not there; kInvalidArgument: a type that its
  // operation does not take. Both name step, operation and feature.
  Result<TransformPlan> Resolve(const std::vector<TransformFeature>& features) const;
};

}  // namespace dsi
