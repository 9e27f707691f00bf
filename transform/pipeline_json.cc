// Reads the JSON form of a pipeline (T-001). Writing is in pipeline_to_json.cc.
#include "dsi/base/float_mode_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/transform/op_table_internal.h"
#include "dsi/transform/pipeline.h"
#include "dsi/transform/pipeline_version_internal.h"
#include "dsi/transform/step_place_internal.h"

namespace dsi {
namespace {

namespace dom = simdjson::dom;
using internal::BadInput;
using internal::Expected;
using internal::OpInfo;
using internal::Parameter;
using internal::QuoteForMessage;
using internal::ReadMembers;
using internal::ReadString;

Status ReadInt(std::string_view name, dom::element value, int64_t* out) {
  if (value.is_int64() && value.get(*out) == simdjson::SUCCESS) return {};
  return Expected(name, "a whole number that fits int64");
}

// Whole numbers are meant exactly (T-010), so none may be rounded.
Status ReadDouble(std::string_view name, dom::element value, double* out) {
  bool fits = true;
  switch (value.type()) {
    case dom::element_type::INT64:
      fits = internal::ConvertWhole(int64_t(value), out);
      break;
    case dom::element_type::UINT64:
      fits = internal::ConvertWhole(uint64_t(value), out);
      break;
    case dom::element_type::DOUBLE:
      *out = double(value);
      break;
    default:
      return Expected(name, "a number");
  }
  return fits ? Status::Ok() : Expected(name, "a number that float64 holds exactly");
}

// The type is looked at: a whole number beyond int64 could be had as a double, rounded.
Status ReadNumber(std::string_view name, dom::element value, TransformNumber* out) {
  if (value.is_int64()) return ReadInt(name, value, &out->emplace<0>());
  if (value.type() == dom::element_type::DOUBLE) return ReadDouble(name, value, &out->emplace<1>());
  return Expected(name, "a number; whole ones fit int64");
}

template <typename T, typename Read>
Status ReadArray(std::string_view name, dom::element value, size_t most, Read read,
                 std::vector<T>* out) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Expected(name, "an array of numbers");
  for (const dom::element item : array) {
    if (out->size() >= most) return BadInput("{}: more than {}", QuoteForMessage(name), most);
    DSI_RETURN_IF_ERROR(read(name, item, &out->emplace_back()));
  }
  return {};
}

Status ReadSide(std::string_view name, dom::element value, BorderSide* side) {
  std::string text;
  DSI_RETURN_IF_ERROR(ReadString(name, value, &text));
  if (text != "left" && text != "right") return Expected(name, "\"left\" or \"right\"");
  *side = text == "left" ? BorderSide::kLeft : BorderSide::kRight;
  return {};
}

Status ReadType(std::string_view name, dom::element value, Type* type) {
  std::string text;
  DSI_RETURN_IF_ERROR(ReadString(name, value, &text));
  if (ParseType(text, type)) return {};
  return Expected(name, "one of int32, int64, float32, float64");
}

Status ReadUnit(std::string_view name, dom::element value, TimeUnit* unit) {
  std::string text;
  DSI_RETURN_IF_ERROR(ReadString(name, value, &text));
  if (ParseTimeUnit(text, unit)) return {};
  return Expected(name, "one of s, ms, us, ns");
}

Status ReadParameter(Parameter parameter, std::string_view name, dom::element value,
                     TransformStep* step) {
  switch (parameter) {
    case Parameter::kSalt:
      return ReadInt(name, value, &step->salt);
    case Parameter::kMax:
      return ReadInt(name, value, &step->max);
    case Parameter::kN:
      return ReadInt(name, value, &step->n);
    case Parameter::kLimit:
      return ReadInt(name, value, &step->limit);
    case Parameter::kLow:
      return ReadNumber(name, value, &step->low);
    case Parameter::kHigh:
      return ReadNumber(name, value, &step->high);
    case Parameter::kValue:
      return ReadNumber(name, value, &step->value);
    case Parameter::kBorders:
      return ReadArray(name, value, kMaxTransformBorders, ReadDouble, &step->borders);
    case Parameter::kSide:
      return ReadSide(name, value, &step->side);
    case Parameter::kKeys:
      return ReadArray(name, value, kMaxTransformKeys, ReadInt, &step->keys);
    case Parameter::kValues:
      return ReadArray(name, value, kMaxTransformKeys, ReadInt, &step->values);
    case Parameter::kDefault:
      return ReadInt(name, value, &step->fallback);
    case Parameter::kLambda1:
      return ReadDouble(name, value, &step->lambda1);
    case Parameter::kLambda2:
      return ReadDouble(name, value, &step->lambda2);
    case Parameter::kEpsilon:
      return ReadDouble(name, value, &step->epsilon);
    case Parameter::kType:
      return ReadType(name, value, &step->type);
    case Parameter::kUnit:
      return ReadUnit(name, value, &step->unit);
    case Parameter::kOffset:
      return ReadInt(name, value, &step->offset_s);
  }
  return {};
}

Status UnknownMember(std::string_view member) {
  internal::NearNames near(member, 1);
  for (const std::string_view known : {"version", "steps", "outputs", "output", "op", "inputs"}) {
    near.Offer(known);
  }
  for (const std::string_view known : internal::kParameterNames) near.Offer(known);
  return BadInput("unknown member {}{}", QuoteForMessage(member), near.Advice());
}

Status ReadOp(dom::element value, TransformStep* step) {
  std::string name;
  DSI_RETURN_IF_ERROR(ReadString("op", value, &name));
  if (name == "custom") {
    return BadInput("\"op\": a custom step is a callback in C++ and has no JSON form");
  }
  if (ParseTransformOp(name, &step->op)) return {};
  internal::NearNames near(name, 2);
  for (int op = 0; op < static_cast<int>(TransformOp::kCustom); ++op) {
    near.Offer(TransformOpName(static_cast<TransformOp>(op)));
  }
  return BadInput("\"op\": unknown operation {}{}", QuoteForMessage(name), near.Advice());
}

// Which parameters the operation lacks, and which it does not take.
Status CheckGiven(const OpInfo& info, uint32_t given) {
  for (size_t p = 0; p < internal::kParameterNames.size(); ++p) {
    const uint32_t bit = uint32_t{1} << p;
    if ((given & bit) == 0 && (info.required & bit) != 0) {
      return BadInput("{} needs \"{}\"", info.name, internal::kParameterNames[p]);
    }
    if ((given & bit) != 0 && ((info.required | info.optional) & bit) == 0) {
      return BadInput("{} takes no \"{}\"", info.name, internal::kParameterNames[p]);
    }
  }
  return {};
}

Status ReadStep(dom::element value, TransformStep* step) {
  bool has_op = false;
  uint32_t given = 0;
  DSI_RETURN_IF_ERROR(ReadMembers(value, [&](std::string_view name, dom::element member) -> Status {
    if (name == "output") return ReadString(name, member, &step->output);
    if (name == "inputs")
      return internal::ReadStrings(name, member, kMaxTransformInputs, &step->inputs);
    if (name == "op") {
      has_op = true;
      return ReadOp(member, step);
    }
    for (size_t p = 0; p < internal::kParameterNames.size(); ++p) {
      if (name != internal::kParameterNames[p]) continue;
      given |= uint32_t{1} << p;
      return ReadParameter(static_cast<Parameter>(p), name, member, step);
    }
    return UnknownMember(name);
  }));
  if (!has_op) return BadInput("expected an \"op\"");
  return CheckGiven(*internal::FindOp(step->op), given);
}

Status ReadSteps(dom::element value, std::vector<TransformStep>* steps) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Expected("steps", "an array of objects");
  for (const dom::element item : array) {
    const std::string where = internal::StepPlace(steps->size());
    if (steps->size() >= kMaxTransformSteps)
      return BadInput("more than {} steps", kMaxTransformSteps);
    DSI_RETURN_IF_ERROR(ReadStep(item, &steps->emplace_back()).At(where));
  }
  return {};
}

Status ReadVersion(dom::element value) {
  int64_t version = 0;
  DSI_RETURN_IF_ERROR(ReadInt("version", value, &version));
  if (version == internal::kPipelineVersion) return {};
  return internal::Error(
      version > internal::kPipelineVersion ? StatusCode::kUnsupported : StatusCode::kBadInput,
      "\"version\" is {}, this build reads {}{}", version, internal::kPipelineVersion,
      version > internal::kPipelineVersion ? "; use a newer one" : "");
}

Status ReadPipeline(dom::element root, Pipeline* pipeline) {
  // Members of a newer version may have other meanings, so it is looked at first.
  dom::element version;
  if (root.is_object()) {
    if (root["version"].get(version) != simdjson::SUCCESS) {
      return BadInput("expected a \"version\"; this build reads {}", internal::kPipelineVersion);
    }
    DSI_RETURN_IF_ERROR(ReadVersion(version));
  }
  return ReadMembers(root, [pipeline](std::string_view name, dom::element value) -> Status {
    if (name == "version") return {};
    if (name == "steps") return ReadSteps(value, &pipeline->steps);
    if (name == "outputs")
      return internal::ReadStrings(name, value, kMaxTransformSteps, &pipeline->outputs);
    return UnknownMember(name);
  });
}

Result<Pipeline> ParsePipeline(std::string_view json) {
  const internal::DefaultFloats floats;  // T-005: of parameters, too.
  dom::parser parser;
  DSI_ASSIGN_OR_RETURN(const dom::element root,
                       internal::ParseJson(json, kMaxPipelineBytes, "pipeline", &parser));
  Pipeline pipeline;
  DSI_RETURN_IF_ERROR(ReadPipeline(root, &pipeline).At("pipeline"));
  const Status status = pipeline.Validate();
  // What is a caller's mistake in a pipeline built in code is bad input in a text.
  if (!status.ok()) {
    const bool bad = status.code() == StatusCode::kInvalidArgument;
    return Status(bad ? StatusCode::kBadInput : status.code(), "pipeline: " + status.message());
  }
  return pipeline;
}

}  // namespace

Result<Pipeline> Pipeline::FromJson(std::string_view json) {
  return internal::NoThrow([&] { return ParsePipeline(json); });
}

Result<Pipeline> Pipeline::FromJsonFile(const std::string& path) {
  return internal::NoThrow([&]() -> Result<Pipeline> {
    DSI_ASSIGN_OR_RETURN(const std::string text, internal::ReadTextFile(path, kMaxPipelineBytes));
    Result<Pipeline> pipeline = ParsePipeline(text);
    if (!pipeline.ok()) return pipeline.status().At(path);
    return pipeline;
  });
}

}  // namespace dsi
