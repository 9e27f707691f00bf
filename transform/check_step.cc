#include "dsi/transform/check_step_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/transform/op_table_internal.h"
#include "dsi/transform/pipeline.h"

namespace dsi::internal {
namespace {

Status CheckRange(std::string_view name, int64_t value, int64_t most) {
  if (value >= 1 && value <= most) return {};
  return InvalidArgument("\"{}\" is {}, expected 1 to {}", name, value, most);
}

Status CheckFinite(std::string_view name, double value) {
  if (std::isfinite(value)) return {};
  return InvalidArgument("\"{}\" is {}, expected a finite number", name, value);
}

// T-023.
Status CheckBorders(const std::vector<double>& borders) {
  if (borders.empty() || borders.size() > kMaxTransformBorders) {
    return InvalidArgument("\"borders\" has {} numbers, expected 1 to {}", borders.size(),
                           kMaxTransformBorders);
  }
  for (size_t i = 0; i < borders.size(); ++i) {
    DSI_RETURN_IF_ERROR(CheckFinite("borders", borders[i]));
    if (i > 0 && borders[i] < borders[i - 1]) {
      return InvalidArgument("\"borders\": {} after {}; sort them", borders[i], borders[i - 1]);
    }
    if (i > 1 && borders[i] == borders[i - 2]) {
      return InvalidArgument("\"borders\": {} stands three times, expected twice at most",
                             borders[i]);
    }
  }
  return {};
}

// T-024.
Status CheckTable(const TransformStep& step) {
  if (step.keys.size() != step.values.size() || step.keys.size() > kMaxTransformKeys) {
    return InvalidArgument("{} \"keys\" and {} \"values\", expected as many, at most {}",
                           step.keys.size(), step.values.size(), kMaxTransformKeys);
  }
  std::vector<int64_t> keys = step.keys;
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return {};
  return InvalidArgument("\"keys\": {} stands twice", *twice);
}

Status CheckBounds(const TransformStep& step) {
  DSI_RETURN_IF_ERROR(CheckFinite("low", AsDouble(step.low)));
  DSI_RETURN_IF_ERROR(CheckFinite("high", AsDouble(step.high)));
  const bool whole = step.low.index() == 0 && step.high.index() == 0;
  const bool wrong = whole ? std::get<0>(step.high) < std::get<0>(step.low)
                           : AsDouble(step.high) < AsDouble(step.low);
  if (!wrong) return {};
  return InvalidArgument("\"high\" is {}, below \"low\", which is {}", AsDouble(step.high),
                         AsDouble(step.low));
}

bool IsText(const TransformType& type) {
  return type.shape == RowShape::kList && type.type == Type::kBytes;
}

bool IsWorkType(Type type) { return type == Type::kInt32 || type == Type::kInt64 || IsFloat(type); }

// A number of the step, as the type of the values.
Status CheckFits(std::string_view name, const TransformNumber& number, Type type) {
  if (type == Type::kFloat32 && std::abs(AsDouble(number)) > std::numeric_limits<float>::max()) {
    return InvalidArgument("\"{}\" is {}, which float32 does not hold", name, AsDouble(number));
  }
  if (IsFloat(type)) return {};
  if (number.index() != 0) {
    return InvalidArgument("\"{}\" is {}, expected a whole number, for values are {}", name,
                           std::get<1>(number), TypeName(type));
  }
  const int64_t whole = std::get<0>(number);
  if (type == Type::kInt32 && whole != static_cast<int32_t>(whole)) {
    return InvalidArgument("\"{}\" is {}, which int32 does not hold", name, whole);
  }
  return {};
}

// Borders that only float64 tells apart (T-023).
Status CheckBordersFit(const std::vector<double>& borders, Type type) {
  if (type != Type::kFloat32) return {};
  for (size_t i = 0; i < borders.size(); ++i) {
    DSI_RETURN_IF_ERROR(CheckFits("borders", borders[i], type));
    if (i > 1 && static_cast<float>(borders[i]) == static_cast<float>(borders[i - 2])) {
      return InvalidArgument(
          "\"borders\": {} and the two before it are the same as float32; cast values to float64",
          borders[i]);
    }
  }
  return {};
}

Status Refused(const TransformStep& step, size_t input, const TransformType& type,
               std::string_view expected) {
  return InvalidArgument("input {} is a {}, expected {}", QuoteForMessage(step.inputs[input]),
                         TypeText(type), expected);
}

Result<Type> ValueOutput(const TransformStep& step, const TransformType& in) {
  switch (step.op) {
    case TransformOp::kSigridHash:
    case TransformOp::kModulus:
      return TypeOfResidues(step.max);
    case TransformOp::kClamp:
      DSI_RETURN_IF_ERROR(CheckFits("low", step.low, in.type));
      DSI_RETURN_IF_ERROR(CheckFits("high", step.high, in.type));
      return in.type;
    case TransformOp::kBucketize:
      DSI_RETURN_IF_ERROR(CheckBordersFit(step.borders, in.type));
      return Type::kInt32;
    case TransformOp::kMapId:
      return Type::kInt64;
    case TransformOp::kLocalHour:
      if (in.unit != TimeUnit::kNone && in.unit != step.unit) {
        return InvalidArgument("\"unit\" is {}, but {} counts {}", TimeUnitName(step.unit),
                               QuoteForMessage(step.inputs[0]), TimeUnitName(in.unit));
      }
      return Type::kInt32;
    case TransformOp::kCast:
      return step.type;
    default:
      return Type::kFloat32;
  }
}

bool TakesWholeNumbersOnly(TransformOp op) {
  switch (op) {
    case TransformOp::kSigridHash:
    case TransformOp::kModulus:
    case TransformOp::kMapId:
    case TransformOp::kLocalHour:
    case TransformOp::kOneHot:
    case TransformOp::kNGram:
    case TransformOp::kCartesian:
    case TransformOp::kIntersection:
    case TransformOp::kDifference:
    case TransformOp::kHasOverlap:
    case TransformOp::kOverlapCount:
    case TransformOp::kMaxCount:
    case TransformOp::kJaccard:
    case TransformOp::kScoreSum:
    case TransformOp::kScoreMin:
    case TransformOp::kScoreMax:
    case TransformOp::kCosine:
      return true;
    default:
      return false;
  }
}

// How many of the inputs, from the first, are scored lists, whatever the others are.
size_t NumScoredInputs(const OpInfo& info) {
  switch (info.op) {
    case TransformOp::kScoreSum:
    case TransformOp::kScoreMin:
    case TransformOp::kScoreMax:
      return 1;
    case TransformOp::kCosine:
      return 2;
    default:
      return info.form == OpForm::kScores ? 1 : 0;
  }
}

Result<TransformType> RowOutput(const TransformStep& step, const TransformType& in) {
  const bool number = in.shape == RowShape::kNumber;
  switch (step.op) {
    case TransformOp::kFirstX:
    case TransformOp::kLastX:
    case TransformOp::kIntersection:
    case TransformOp::kDifference:
      if (number) return Refused(step, 0, in, "a list");
      return in;
    case TransformOp::kFill:
      if (in.shape == RowShape::kScored) return Refused(step, 0, in, "a number or a list");
      DSI_RETURN_IF_ERROR(CheckFits("value", step.value, in.type));
      return in;
    case TransformOp::kOneHot:
      if (!number) return Refused(step, 0, in, "a number");
      return TransformType{RowShape::kList, Type::kFloat32};
    case TransformOp::kEnumerate:
      if (number) return Refused(step, 0, in, "a list");
      return TransformType{RowShape::kScored, in.type};
    case TransformOp::kNGram:
    case TransformOp::kCartesian:
      return TransformType{RowShape::kList, TypeOfResidues(step.max)};
    case TransformOp::kIdOfText:
      return TransformType{RowShape::kNumber, Type::kInt64};
    case TransformOp::kCustom:
      return step.custom_type;
    default:
      return TransformType{RowShape::kNumber, Type::kFloat32};
  }
}

}  // namespace

std::string TypeText(const TransformType& type) {
  if (IsText(type)) return "string";
  switch (type.shape) {
    case RowShape::kNumber:
      return fmt::format("number of type {}", TypeName(type.type));
    case RowShape::kList:
      return fmt::format("list of {}", TypeName(type.type));
    default:
      return fmt::format("scored list of {}", TypeName(type.type));
  }
}

Status CheckStep(const TransformStep& step) {
  const OpInfo* const info = FindOp(step.op);
  if (info == nullptr) return InvalidArgument("unknown operation {}", static_cast<int>(step.op));
  const size_t count = step.inputs.size();
  if (count < info->min_inputs || count > info->max_inputs) {
    return InvalidArgument("{} inputs, expected {}", count,
                           info->min_inputs == info->max_inputs
                               ? fmt::format("{}", info->min_inputs)
                               : fmt::format("{} to {}", info->min_inputs, info->max_inputs));
  }
  const auto takes = [info](Parameter parameter) { return Takes(*info, parameter); };
  if (takes(Parameter::kMax)) DSI_RETURN_IF_ERROR(CheckRange("max", step.max, INT64_MAX));
  if (takes(Parameter::kN)) DSI_RETURN_IF_ERROR(CheckRange("n", step.n, kMaxTransformEntries));
  if (takes(Parameter::kLimit)) {
    DSI_RETURN_IF_ERROR(CheckRange("limit", step.limit, kMaxTransformEntries));
  }
  if (takes(Parameter::kLow)) DSI_RETURN_IF_ERROR(CheckBounds(step));
  if (takes(Parameter::kValue)) DSI_RETURN_IF_ERROR(CheckFinite("value", AsDouble(step.value)));
  if (takes(Parameter::kBorders)) DSI_RETURN_IF_ERROR(CheckBorders(step.borders));
  if (takes(Parameter::kKeys)) DSI_RETURN_IF_ERROR(CheckTable(step));
  if (takes(Parameter::kLambda1)) {
    DSI_RETURN_IF_ERROR(CheckFinite("lambda1", step.lambda1));
    DSI_RETURN_IF_ERROR(CheckFinite("lambda2", step.lambda2));
  }
  if (takes(Parameter::kEpsilon) && !(step.epsilon >= 1e-12 && step.epsilon < 0.5)) {
    return InvalidArgument("\"epsilon\" is {}, expected 1e-12 to below 0.5", step.epsilon);
  }
  if (takes(Parameter::kType) && !IsWorkType(step.type)) {
    return InvalidArgument("\"type\" is {}, expected int32, int64, float32 or float64",
                           TypeName(step.type));
  }
  if (takes(Parameter::kUnit) && step.unit == TimeUnit::kNone) {
    return InvalidArgument("\"unit\" is not given, expected s, ms, us or ns");
  }
  constexpr int64_t kDay = 86400;
  if (takes(Parameter::kOffset) && (step.offset_s < -kDay || step.offset_s > kDay)) {
    return InvalidArgument("\"offset_s\" is {}, expected seconds, -86400 to 86400", step.offset_s);
  }
  if (step.op == TransformOp::kCustom && (!step.custom || !IsWorkType(step.custom_type.type))) {
    return InvalidArgument("expected a callback, and as its type int32, int64, float32 or float64");
  }
  return {};
}

Result<TransformType> StepType(const TransformStep& step, std::span<const TransformType> inputs) {
  const OpInfo& info = *FindOp(step.op);
  for (size_t k = 0; k < inputs.size(); ++k) {
    const bool is_text = IsText(inputs[k]);
    if (step.op == TransformOp::kIdOfText) {
      if (!is_text) return Refused(step, k, inputs[k], "a string");
      continue;
    }
    if (!IsWorkType(inputs[k].type)) {
      return Refused(step, k, inputs[k],
                     is_text ? "numbers; id_of_text makes one of it (T-002)"
                             : "int32, int64, float32 or float64 (T-002)");
    }
    if (TakesWholeNumbersOnly(step.op) && IsFloat(inputs[k].type)) {
      return Refused(step, k, inputs[k], "whole numbers; cast it first");
    }
    if (k < NumScoredInputs(info) && inputs[k].shape != RowShape::kScored) {
      return Refused(step, k, inputs[k], "a scored list");
    }
  }
  const TransformType& in = inputs[0];
  if (info.form == OpForm::kScores) {
    if (step.op == TransformOp::kScoreClamp) {
      DSI_RETURN_IF_ERROR(CheckFits("low", step.low, Type::kFloat32));
      DSI_RETURN_IF_ERROR(CheckFits("high", step.high, Type::kFloat32));
    } else {
      DSI_RETURN_IF_ERROR(CheckFits("value", step.value, Type::kFloat32));
    }
    return in;
  }
  if (info.form != OpForm::kValues) return RowOutput(step, in);
  DSI_ASSIGN_OR_RETURN(const Type type, ValueOutput(step, in));
  const bool keeps_unit = step.op == TransformOp::kClamp || step.op == TransformOp::kCast;
  return TransformType{in.shape, type, keeps_unit ? in.unit : TimeUnit::kNone};
}

}  // namespace dsi::internal
