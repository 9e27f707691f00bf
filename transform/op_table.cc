#include "dsi/transform/op_table_internal.h"

#include "dsi/transform/pipeline.h"

namespace dsi {
namespace internal {
namespace {

using enum Parameter;
using Op = TransformOp;

constexpr OpInfo kOps[] = {
    {Op::kSigridHash, "sigrid_hash", OpForm::kValues, 1, 1, Parameters(kSalt, kMax), 0,
     MakeSigridHash},
    {Op::kModulus, "modulus", OpForm::kValues, 1, 1, Parameters(kMax), 0, MakeModulus},
    {Op::kClamp, "clamp", OpForm::kValues, 1, 1, Parameters(kLow, kHigh), 0, MakeClamp},
    {Op::kBucketize, "bucketize", OpForm::kValues, 1, 1, Parameters(kBorders, kSide), 0,
     MakeBucketize},
    {Op::kMapId, "map_id", OpForm::kValues, 1, 1, Parameters(kKeys, kValues, kDefault), 0,
     MakeMapId},
    {Op::kLogit, "logit", OpForm::kValues, 1, 1, 0, Parameters(kEpsilon), MakeLogit},
    {Op::kBoxCox, "boxcox", OpForm::kValues, 1, 1, Parameters(kLambda1, kLambda2), 0, MakeBoxCox},
    {Op::kLog1p, "log1p", OpForm::kValues, 1, 1, 0, 0, MakeLog1p},
    {Op::kCast, "cast", OpForm::kValues, 1, 1, Parameters(kType), 0, MakeCast},
    {Op::kLocalHour, "local_hour", OpForm::kValues, 1, 1, Parameters(kUnit, kOffset), 0,
     MakeLocalHour},
    {Op::kScoreAdd, "score_add", OpForm::kScores, 1, 1, Parameters(kValue), 0, MakeScoreAdd},
    {Op::kScoreMultiply, "score_multiply", OpForm::kScores, 1, 1, Parameters(kValue), 0,
     MakeScoreMultiply},
    {Op::kScoreClamp, "score_clamp", OpForm::kScores, 1, 1, Parameters(kLow, kHigh), 0, MakeClamp},
    {Op::kFirstX, "firstx", OpForm::kTruncation, 1, 1, Parameters(kN), 0, nullptr},
    {Op::kLastX, "lastx", OpForm::kTruncation, 1, 1, Parameters(kN), 0, nullptr},
    {Op::kFill, "fill", OpForm::kRows, 1, 1, Parameters(kValue), 0, nullptr},
    {Op::kOneHot, "onehot", OpForm::kRows, 1, 1, Parameters(kN), 0, nullptr},
    {Op::kEnumerate, "enumerate", OpForm::kRows, 1, 1, 0, 0, nullptr},
    {Op::kNGram, "ngram", OpForm::kRows, 1, kMaxTransformInputs, Parameters(kN, kSalt, kMax), 0,
     nullptr},
    {Op::kCartesian, "cartesian", OpForm::kRows, 2, 2, Parameters(kSalt, kMax, kLimit), 0, nullptr},
    {Op::kIntersection, "intersection", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kDifference, "difference", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kHasOverlap, "has_overlap", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kOverlapCount, "overlap_count", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kMaxCount, "max_count", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kJaccard, "jaccard", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kScoreSum, "score_sum", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kScoreMin, "score_min", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kScoreMax, "score_max", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kCosine, "cosine", OpForm::kRows, 2, 2, 0, 0, nullptr},
    {Op::kIdOfText, "id_of_text", OpForm::kRows, 1, 1, 0, 0, nullptr},
    {Op::kCustom, "custom", OpForm::kRows, 1, kMaxTransformInputs, 0, 0, nullptr},
};

}  // namespace

const OpInfo* FindOp(TransformOp op) {
  for (const OpInfo& info : kOps) {
    if (info.op == op) return &info;
  }
  return nullptr;
}

}  // namespace internal

std::string_view TransformOpName(TransformOp op) {
  const internal::OpInfo* const info = internal::FindOp(op);
  return info == nullptr ? std::string_view() : info->name;
}

bool ParseTransformOp(std::string_view name, TransformOp* op) {
  for (const internal::OpInfo& info : internal::kOps) {
    if (info.name != name) continue;
    *op = info.op;
    return true;
  }
  return false;
}

}  // namespace dsi
