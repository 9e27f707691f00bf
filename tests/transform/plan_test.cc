// Which stages a pipeline becomes, what they are given, and what is refused.
#include "dsi/tests/transform/test_rows.h"

namespace dsi {
namespace {

using namespace test;
using testing::Test;

const TransformType kIds = {RowShape::kList, Type::kInt64};
const TransformType kNumber = {RowShape::kNumber, Type::kFloat32};

TransformStep Step(std::string output, TransformOp op, std::vector<std::string> inputs) {
  TransformStep step;
  step.output = std::move(output);
  step.op = op;
  step.inputs = std::move(inputs);
  step.max = 100;
  step.n = 2;
  step.limit = 10;
  step.high = int64_t{9};
  return step;
}

Pipeline Clicks() {
  Pipeline pipeline;
  pipeline.steps = {Step("hashed", TransformOp::kSigridHash, {"clicks"}),
                    Step("short", TransformOp::kFirstX, {"hashed"}),
                    Step("clamped", TransformOp::kClamp, {"short"}),
                    Step("pairs", TransformOp::kCartesian, {"clamped", "items"}),
                    Step("log", TransformOp::kLog1p, {"age"})};
  return pipeline;
}
const std::vector<TransformFeature> kFeatures = {
    {"age", kNumber}, {"clicks", kIds}, {"items", kIds}};

TEST(TransformPlanTest, T050TruncationFirstThenOnePass) {
  const auto plan = Clicks().Resolve(kFeatures);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->Explain(),
            "read: \"age\" \"clicks\" \"items\"\n"
            "stage 0: truncate by firstx (short) of \"clicks\" -> list of int64\n"
            "stage 1: map (hashed, clamped) of stage 0 -> list of int32, 2 steps in one pass\n"
            "stage 2: rows by cartesian (pairs) of stage 1 and \"items\" -> list of int32, output "
            "\"pairs\"\n"
            "stage 3: map (log) of \"age\" -> number of type float32, output \"log\"\n");
  EXPECT_EQ(*Clicks().Features(), (std::vector<std::string>{"clicks", "items", "age"}));
}

TEST(TransformPlanTest, T050OutputsAndSharedStepsEndRuns) {
  Pipeline pipeline = Clicks();
  pipeline.outputs = {"short", "pairs", "hashed"};
  const auto plan = pipeline.Resolve(kFeatures);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->stages().size(), 4U);  // Without the logarithm, which nobody asked for.
  std::vector<std::string> names;
  for (const size_t stage : plan->outputs()) names.push_back(plan->stages()[stage].name);
  EXPECT_EQ(names, pipeline.outputs);
}

// The order of stages changes no bit of any output.
TEST(TransformPlanTest, T050ReorderingChangesNothing) {
  const RowsBuilder clicks = Build<int64_t>({{{1, 2, 3}}, std::nullopt, {{9}}});
  const RowsBuilder items = Build<int64_t>({{{4, 5}}, {{6}}, {{7, 8}}});
  const RowsBuilder age = Build<float>({{{1}}, std::nullopt, {{3}}}, RowShape::kNumber);
  const std::vector<RowsView> features = {age.View(), clicks.View(), items.View()};
  Pipeline apart = Clicks();
  apart.outputs = {"hashed", "short", "clamped", "pairs", "log"};
  Lists<int32_t> results[2];
  for (const bool fused : {true, false}) {
    const auto plan = (fused ? Clicks() : apart).Resolve(kFeatures);
    ASSERT_TRUE(plan.ok());
    std::vector<RowsBuilder> built;
    ASSERT_TRUE(plan->Run(features, &built).ok());
    for (size_t s = 0; s < built.size(); ++s) {
      if (plan->stages()[s].name == "pairs") results[fused] = ListsOf<int32_t>(built[s].View());
    }
  }
  ASSERT_EQ(results[0].size(), 3U);
  EXPECT_EQ(results[0][0]->size(), 4U);
  EXPECT_EQ(results[0], results[1]);
}

TEST(TransformPlanTest, T050EveryTruncationOfARunIsAStage) {
  Pipeline pipeline;
  pipeline.steps = {Step("a", TransformOp::kModulus, {"clicks"}),
                    Step("b", TransformOp::kLastX, {"a"}), Step("c", TransformOp::kFirstX, {"b"})};
  pipeline.steps[2].n = 1;
  const auto plan = pipeline.Resolve(kFeatures);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->stages().size(), 3U);
  EXPECT_EQ(plan->stages()[2].name, "c");
  EXPECT_TRUE(plan->stages()[2].elementwise);
  const RowsBuilder clicks = Build<int64_t>({{{1, 2, 103}}});
  std::vector<RowsBuilder> built;
  const RowsBuilder age = Build<float>({{{1}}}, RowShape::kNumber);
  ASSERT_TRUE(
      plan->Run(std::vector<RowsView>{age.View(), clicks.View(), clicks.View()}, &built).ok());
  EXPECT_EQ(ListsOf<int32_t>(built[2].View()), (Lists<int32_t>{{{2}}}));
}

void ExpectRefused(const TransformStep& step, const std::string& message,
                   StatusCode code = StatusCode::kInvalidArgument) {
  Pipeline pipeline;
  pipeline.steps = {step};
  const auto plan =
      pipeline.Resolve({{"age", kNumber},
                        {"clicks", kIds},
                        {"time", {RowShape::kNumber, Type::kInt64, TimeUnit::kMillis}},
                        {"name", {RowShape::kNumber, Type::kBytes}},
                        {"city", {RowShape::kList, Type::kBytes}},
                        {"topics", {RowShape::kScored, Type::kInt64}}});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().message(), message);
  EXPECT_EQ(plan.status().code(), code);
}

TEST(TransformPlanTest, RefusesTypes) {
  ExpectRefused(Step("x", TransformOp::kSigridHash, {"age"}),
                "steps[0] \"x\" (sigrid_hash): input \"age\" is a number of type float32, expected "
                "whole numbers; cast it first");
  ExpectRefused(Step("x", TransformOp::kSigridHash, {"name"}),
                "steps[0] \"x\" (sigrid_hash): input \"name\" is a number of type bytes, expected "
                "int32, int64, float32 or float64 (T-002)");
  ExpectRefused(Step("x", TransformOp::kSigridHash, {"city"}),
                "steps[0] \"x\" (sigrid_hash): input \"city\" is a string, expected numbers; "
                "id_of_text makes one of it (T-002)");
  ExpectRefused(Step("x", TransformOp::kFirstX, {"city"}),
                "steps[0] \"x\" (firstx): input \"city\" is a string, expected numbers; "
                "id_of_text makes one of it (T-002)");
  for (const char* const other : {"age", "name"}) {
    ExpectRefused(Step("x", TransformOp::kIdOfText, {other}),
                  std::string("steps[0] \"x\" (id_of_text): input \"") + other +
                      "\" is a number of type " + (other[0] == 'a' ? "float32" : "bytes") +
                      ", expected a string");
  }
  ExpectRefused(
      Step("x", TransformOp::kFirstX, {"age"}),
      "steps[0] \"x\" (firstx): input \"age\" is a number of type float32, expected a list");
  ExpectRefused(
      Step("x", TransformOp::kScoreAdd, {"clicks"}),
      "steps[0] \"x\" (score_add): input \"clicks\" is a list of int64, expected a scored "
      "list");
  ExpectRefused(Step("x", TransformOp::kOneHot, {"clicks"}),
                "steps[0] \"x\" (onehot): input \"clicks\" is a list of int64, expected a number");
  ExpectRefused(Step("x", TransformOp::kEnumerate, {"age"}),
                "steps[0] \"x\" (enumerate): input \"age\" is a number of type float32, expected a "
                "list");
  TransformStep step = Step("x", TransformOp::kClamp, {"clicks"});
  step.high = 9.5;
  ExpectRefused(step,
                "steps[0] \"x\" (clamp): \"high\" is 9.5, expected a whole number, for values are "
                "int64");
  step = Step("x", TransformOp::kLocalHour, {"time"});
  step.unit = TimeUnit::kSeconds;
  ExpectRefused(step, "steps[0] \"x\" (local_hour): \"unit\" is s, but \"time\" counts ms");
  step = Step("x", TransformOp::kBucketize, {"age"});
  step.borders = {1, 1 + 1e-12, 1 + 1e-11};
  ExpectRefused(step,
                "steps[0] \"x\" (bucketize): \"borders\": 1.00000000001 and the two before it are "
                "the same as float32; cast values to float64");
  ExpectRefused(Step("x", TransformOp::kModulus, {"click"}),
                "steps[0] \"x\" (modulus): no feature \"click\"; did you mean \"clicks\"?",
                StatusCode::kNotFound);
}

TEST(TransformPlanTest, RefusesTypesOfTwoInputs) {
  const auto refused = [](TransformOp op, const std::string& a, const std::string& b,
                          const std::string& message) {
    ExpectRefused(Step("x", op, {a, b}),
                  "steps[0] \"x\" (" + std::string(TransformOpName(op)) + "): input " + message);
  };
  refused(TransformOp::kDifference, "time", "clicks",
          "\"time\" is a number of type int64, expected a list");
  refused(TransformOp::kDifference, "clicks", "city",
          "\"city\" is a string, expected numbers; id_of_text makes one of it (T-002)");
  refused(TransformOp::kMaxCount, "clicks", "age",
          "\"age\" is a number of type float32, expected whole numbers; cast it first");
  for (const TransformOp op : {TransformOp::kScoreSum, TransformOp::kScoreMin,
                               TransformOp::kScoreMax, TransformOp::kCosine}) {
    refused(op, "clicks", "topics", "\"clicks\" is a list of int64, expected a scored list");
    refused(op, "topics", "age",
            "\"age\" is a number of type float32, expected whole numbers; cast it first");
    refused(op, "topics", "name",
            "\"name\" is a number of type bytes, expected int32, int64, float32 or float64 "
            "(T-002)");
  }
  refused(TransformOp::kCosine, "topics", "clicks",
          "\"clicks\" is a list of int64, expected a scored list");
}

// T-001: who asks for the name has the output, and a step that takes it takes the output.
TEST(TransformPlanTest, T001OutputHidesAFeatureOfItsName) {
  Pipeline pipeline;
  pipeline.steps = {Step("age", TransformOp::kFirstX, {"clicks"}),
                    Step("short", TransformOp::kLastX, {"age"})};
  pipeline.outputs = {"age", "short"};
  const auto plan = pipeline.Resolve(kFeatures);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  ASSERT_EQ(plan->stages().size(), 2U);
  EXPECT_EQ(plan->stages()[0].type, kIds);
  EXPECT_TRUE(plan->stages()[1].sources[0].is_stage);
  EXPECT_EQ(*pipeline.Features(), (std::vector<std::string>{"clicks"}));
}

TEST(TransformPlanTest, RefusesWrongInputs) {
  const auto plan = Clicks().Resolve(kFeatures);
  ASSERT_TRUE(plan.ok());
  const RowsBuilder ids = Build<int64_t>({{{1}}});
  const RowsInput input = {ids.View(), nullptr};
  RowsBuilder out;
  EXPECT_EQ(plan->RunStage(9, {&input, 1}, 1, &out).message(), "stage 9 of 4");
  EXPECT_EQ(plan->RunStage(2, {&input, 1}, 1, &out).message(),
            "stage 2 (cartesian): 1 inputs, expected 2");
  EXPECT_EQ(plan->RunStage(3, {&input, 1}, 1, &out).message(),
            "stage 3 (log1p): input 0 is a list of int64, expected a number of type float32");
  std::vector<RowsBuilder> built;
  EXPECT_FALSE(plan->Run({}, &built).ok());
}

TEST(TransformPlanTest, T002TypesOfColumns) {
  EXPECT_EQ(TransformTypeOf(Type::kBool), Type::kInt32);
  EXPECT_EQ(TransformTypeOf(Type::kUint16), Type::kInt32);
  EXPECT_EQ(TransformTypeOf(Type::kUint32), Type::kInt64);
  EXPECT_EQ(TransformTypeOf(Type::kUint64), Type::kInt64);
  EXPECT_EQ(TransformTypeOf(Type::kFloat64), Type::kFloat64);
  EXPECT_EQ(TransformTypeOf(Type::kBytes), Type::kBytes);
}

}  // namespace
}  // namespace dsi
