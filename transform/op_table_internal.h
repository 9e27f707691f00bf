// What each operation is called, takes and needs (T-010): one table for JSON, checks and plans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/step.h"

namespace dsi::internal {

// Parameters, by their names in JSON.
enum class Parameter : uint8_t {
  kSalt,
  kMax,
  kN,
  kLimit,
  kLow,
  kHigh,
  kValue,
  kBorders,
  kSide,
  kKeys,
  kValues,
  kDefault,
  kLambda1,
  kLambda2,
  kEpsilon,
  kType,
  kUnit,
  kOffset,
};
inline constexpr std::array<std::string_view, 18> kParameterNames = {
    "salt", "max",    "n",       "limit",   "low",     "high",    "value", "borders", "side",
    "keys", "values", "default", "lambda1", "lambda2", "epsilon", "type",  "unit",    "offset_s"};

template <typename... P>
constexpr uint32_t Parameters(P... parameters) {
  return ((uint32_t{1} << static_cast<unsigned>(parameters)) | ... | 0U);
}

enum class OpForm : uint8_t { kValues, kScores, kTruncation, kRows };

struct OpInfo {
  TransformOp op;
  std::string_view name;
  OpForm form;
  size_t min_inputs;
  size_t max_inputs;
  uint32_t required;  // Parameters.
  uint32_t optional;
  ElementwisePtr (*make)(const TransformStep&, Type);  // Of elementwise ones.
};

// Null: no operation has this number.
const OpInfo* FindOp(TransformOp op);
inline bool Takes(const OpInfo& info, Parameter parameter) {
  return ((info.required | info.optional) & Parameters(parameter)) != 0;
}

}  // namespace dsi::internal
