// The JSON form: round trip, and every mistake with its message.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dsi/transform/pipeline.h"

namespace dsi {
namespace {

const char kAll[] = R"({
  "version": 1,
  "steps": [
    {"output": "a", "op": "sigrid_hash", "inputs": ["clicks"], "salt": -9223372036854775808, "max": 9223372036854775807},
    {"output": "b", "op": "modulus", "inputs": ["clicks"], "max": 7},
    {"output": "c", "op": "clamp", "inputs": ["age"], "low": -1, "high": 2.0},
    {"output": "d", "op": "bucketize", "inputs": ["age"], "borders": [-1.5,0.0,0.1,1e+300], "side": "right"},
    {"output": "e", "op": "map_id", "inputs": ["clicks"], "keys": [1,-2], "values": [3,4], "default": 0},
    {"output": "f", "op": "logit", "inputs": ["age"]},
    {"output": "g", "op": "logit", "inputs": ["age"], "epsilon": 0.01},
    {"output": "h", "op": "boxcox", "inputs": ["age"], "lambda1": 0.5, "lambda2": 1.0},
    {"output": "i", "op": "log1p", "inputs": ["age"]},
    {"output": "j", "op": "cast", "inputs": ["age"], "type": "float64"},
    {"output": "k", "op": "local_hour", "inputs": ["time"], "unit": "ms", "offset_s": -3600},
    {"output": "l", "op": "score_add", "inputs": ["topics"], "value": 1},
    {"output": "m", "op": "score_multiply", "inputs": ["topics"], "value": 0.5},
    {"output": "n", "op": "score_clamp", "inputs": ["topics"], "low": 0.0, "high": 1.0},
    {"output": "o", "op": "firstx", "inputs": ["clicks"], "n": 5},
    {"output": "p", "op": "lastx", "inputs": ["clicks"], "n": 5},
    {"output": "q", "op": "fill", "inputs": ["age"], "value": -1},
    {"output": "r", "op": "onehot", "inputs": ["k"], "n": 24},
    {"output": "s", "op": "enumerate", "inputs": ["clicks"]},
    {"output": "t", "op": "ngram", "inputs": ["clicks", "o"], "salt": 0, "max": 100, "n": 2},
    {"output": "u", "op": "cartesian", "inputs": ["clicks", "o"], "salt": 0, "max": 100, "limit": 50},
    {"output": "v", "op": "intersection", "inputs": ["clicks", "o"]},
    {"output": "w", "op": "has_overlap", "inputs": ["clicks", "o"]},
    {"output": "x", "op": "overlap_count", "inputs": ["clicks", "o"]},
    {"output": "y \"\n", "op": "jaccard", "inputs": ["clicks", "o"]},
    {"output": "z", "op": "id_of_text", "inputs": ["city"]},
    {"output": "aa", "op": "difference", "inputs": ["clicks", "o"]},
    {"output": "ab", "op": "max_count", "inputs": ["clicks", "o"]},
    {"output": "ac", "op": "score_sum", "inputs": ["topics", "clicks"]},
    {"output": "ad", "op": "score_min", "inputs": ["topics", "clicks"]},
    {"output": "ae", "op": "score_max", "inputs": ["topics", "clicks"]},
    {"output": "af", "op": "cosine", "inputs": ["topics", "s"]}
  ],
  "outputs": ["a", "y \"\n"]
}
)";

TEST(PipelineJsonTest, T001T010RoundTripOfEveryOperation) {
  const Result<Pipeline> pipeline = Pipeline::FromJson(kAll);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().ToString();
  std::set<TransformOp> ops;
  for (const TransformStep& step : pipeline->steps) ops.insert(step.op);
  EXPECT_EQ(ops.size(), static_cast<size_t>(TransformOp::kCustom));
  EXPECT_EQ(*pipeline->ToJson(), kAll);
  EXPECT_EQ(pipeline->steps[0].salt, INT64_MIN);
  EXPECT_EQ(std::get<0>(pipeline->steps[2].low), -1);
  EXPECT_EQ(std::get<1>(pipeline->steps[2].high), 2.0);
  EXPECT_EQ(pipeline->steps[5].epsilon, 1e-6);
  for (size_t op = 0; op <= static_cast<size_t>(TransformOp::kCustom); ++op) {
    TransformOp parsed = TransformOp::kClamp;
    ASSERT_TRUE(ParseTransformOp(TransformOpName(static_cast<TransformOp>(op)), &parsed));
    EXPECT_EQ(static_cast<size_t>(parsed), op);
  }
}

void ExpectText(const std::string& json, const std::string& message,
                StatusCode code = StatusCode::kBadInput) {
  const Result<Pipeline> pipeline = Pipeline::FromJson(json);
  ASSERT_FALSE(pipeline.ok()) << json;
  EXPECT_EQ(pipeline.status().message(), "pipeline: " + message);
  EXPECT_EQ(pipeline.status().code(), code);
}

void ExpectStep(const std::string& step, const std::string& message) {
  ExpectText(R"({"version": 1, "steps": [)" + step + "]}", message);
}

TEST(PipelineJsonTest, T001VersionAndMembers) {
  ExpectText("", "malformed JSON at line 1, column 1: the text ends early, expected a value");
  ExpectText("[]", "expected an object");
  ExpectText("{}", "expected a \"version\"; this build reads 1");
  ExpectText(R"({"version": 2, "stages": []})",
             "\"version\" is 2, this build reads 1; use a newer one", StatusCode::kUnsupported);
  ExpectText(R"({"version": 0})", "\"version\" is 0, this build reads 1");
  ExpectText(R"({"version": "1"})", "\"version\": expected a whole number that fits int64");
  ExpectText(R"({"version": 1, "version": 1})", "\"version\" stands twice");
  ExpectText(R"({"version": 1, "step": []})", "unknown member \"step\"; did you mean \"steps\"?");
  ExpectText(R"({"version": 1, "steps": {}})", "\"steps\": expected an array of objects");
  ExpectText(R"({"version": 1, "steps": []})", "0 steps, expected 1 to 65536");
}

TEST(PipelineJsonTest, T010StepsThatAreWrong) {
  ExpectStep("1", "steps[0]: expected an object");
  ExpectStep(R"({"output": "a"})", "steps[0]: expected an \"op\"");
  ExpectStep(R"({"op": "sigrid_hsh"})",
             "steps[0]: \"op\": unknown operation \"sigrid_hsh\"; did you mean \"sigrid_hash\"?");
  ExpectStep(R"({"op": "custom"})",
             "steps[0]: \"op\": a custom step is a callback in C++ and has no JSON form");
  ExpectStep(R"({"op": "log1p", "input": ["a"]})",
             "steps[0]: unknown member \"input\"; did you mean \"inputs\"?");
  ExpectStep(R"({"op": "log1p", "inputs": "a"})",
             "steps[0]: \"inputs\": expected an array of strings");
  ExpectStep(R"({"op": "modulus"})", "steps[0]: modulus needs \"max\"");
  ExpectStep(R"({"op": "log1p", "max": 1})", "steps[0]: log1p takes no \"max\"");
  ExpectStep(R"({"op": "modulus", "max": 1.5})",
             "steps[0]: \"max\": expected a whole number that fits int64");
  ExpectStep(R"({"op": "modulus", "max": 9223372036854775808})",
             "steps[0]: \"max\": expected a whole number that fits int64");
  ExpectStep(R"({"op": "fill", "value": "0"})",
             "steps[0]: \"value\": expected a number; whole ones fit int64");
  ExpectStep(R"({"op": "boxcox", "lambda1": "0"})", "steps[0]: \"lambda1\": expected a number");
  ExpectStep(R"({"op": "bucketize", "borders": [1, 9007199254740993]})",
             "steps[0]: \"borders\": expected a number that float64 holds exactly");
  ExpectStep(R"({"op": "bucketize", "borders": 1})",
             "steps[0]: \"borders\": expected an array of numbers");
  ExpectStep(R"({"op": "bucketize", "borders": [true]})",
             "steps[0]: \"borders\": expected a number");
  ExpectStep(R"({"op": "bucketize", "borders": [1], "side": "up"})",
             "steps[0]: \"side\": expected \"left\" or \"right\"");
  ExpectStep(R"({"op": "bucketize", "borders": [1]})", "steps[0]: bucketize needs \"side\"");
  ExpectStep(R"({"op": "cast", "type": "int"})",
             "steps[0]: \"type\": expected one of int32, int64, float32, float64");
  ExpectStep(R"({"op": "local_hour", "unit": "h"})",
             "steps[0]: \"unit\": expected one of s, ms, us, ns");
  ExpectStep(R"({"output": "", "op": "log1p", "inputs": ["a"]})",
             "steps[0]: name of an output of 0 bytes, expected 1 to 4095");
}

// A step "x" over "a" with these parameters.
void ExpectParameters(const std::string& op, const std::string& parameters,
                      const std::string& message) {
  ExpectStep(R"({"output": "x", "inputs": ["a"], "op": ")" + op + "\", " + parameters + "}",
             "steps[0] \"x\" (" + op + "): " + message);
}

TEST(PipelineJsonTest, T004ParametersOutOfRange) {
  ExpectParameters("modulus", R"("max": 0)", "\"max\" is 0, expected 1 to 9223372036854775807");
  ExpectParameters("firstx", R"("n": -1)", "\"n\" is -1, expected 1 to 1048576");
  ExpectParameters("clamp", R"("low": 2, "high": 1)", "\"high\" is 1, below \"low\", which is 2");
  ExpectParameters("bucketize", R"("borders": [], "side": "left")",
                   "\"borders\" has 0 numbers, expected 1 to 65536");
  ExpectParameters("bucketize", R"("borders": [2, 1], "side": "left")",
                   "\"borders\": 1 after 2; sort them");
  ExpectParameters("bucketize", R"("borders": [1, 1, 1], "side": "left")",
                   "\"borders\": 1 stands three times, expected twice at most");
  ExpectParameters("map_id", R"("keys": [1, 2], "values": [1], "default": 0)",
                   "2 \"keys\" and 1 \"values\", expected as many, at most 1048576");
  ExpectParameters("map_id", R"("keys": [1, 1], "values": [1, 2], "default": 0)",
                   "\"keys\": 1 stands twice");
  ExpectParameters("logit", R"("epsilon": 0.5)", "\"epsilon\" is 0.5, expected 1e-12 to below 0.5");
  ExpectParameters("cast", R"("type": "uint8")",
                   "\"type\" is uint8, expected int32, int64, float32 or float64");
  ExpectParameters("local_hour", R"("unit": "s", "offset_s": 86401)",
                   "\"offset_s\" is 86401, expected seconds, -86400 to 86400");
  ExpectParameters("cartesian", R"("salt": 0, "max": 1, "limit": 1)", "1 inputs, expected 2");
  for (const char* const op : {"difference", "max_count", "score_sum", "cosine"}) {
    ExpectStep(std::string(R"({"output": "x", "inputs": ["a"], "op": ")") + op + "\"}",
               std::string("steps[0] \"x\" (") + op + "): 1 inputs, expected 2");
  }
  std::string borders = "0";
  for (size_t i = 0; i < kMaxTransformBorders; ++i) borders += ",0";
  ExpectStep(R"({"op": "bucketize", "borders": [)" + borders + "]}",
             "steps[0]: \"borders\": more than 65536");
}

// T-010: none is rounded, those between 2^63 and 2^64 neither.
TEST(PipelineJsonTest, T010WholeNumbersStayWhole) {
  const std::string beyond = "9223372036854775808";
  for (const std::string& number : {beyond, std::string("18446744073709551615")}) {
    const std::string said = ": expected a number; whole ones fit int64";
    ExpectStep(R"({"op": "clamp", "low": )" + number + "}", "steps[0]: \"low\"" + said);
    ExpectStep(R"({"op": "clamp", "high": )" + number + "}", "steps[0]: \"high\"" + said);
    ExpectStep(R"({"op": "fill", "value": )" + number + "}", "steps[0]: \"value\"" + said);
  }
  for (const char* const name : {"lambda1", "lambda2", "epsilon", "borders"}) {
    const bool many = std::string_view(name) == "borders";
    for (const char* const number :
         {"9007199254740993", "-9007199254740993", "18446744073709551615"}) {
      const std::string value = many ? std::string("[") + number + "]" : number;
      ExpectStep(
          std::string("{\"") + name + "\": " + value + "}",
          std::string("steps[0]: \"") + name + "\": expected a number that float64 holds exactly");
    }
  }
  const auto exact = Pipeline::FromJson(
      R"({"version": 1, "steps": [{"output": "x", "op": "boxcox", "inputs": ["a"], )"
      R"("lambda1": 2, "lambda2": 9223372036854775808}]})");
  ASSERT_TRUE(exact.ok()) << exact.status().ToString();
  EXPECT_EQ(exact->steps[0].lambda1, 2);
  EXPECT_EQ(exact->steps[0].lambda2, 0x1p63);
}

// Many texts are refused before they take much more memory than the text.
TEST(PipelineJsonTest, T004TooManyNames) {
  std::string names = "\"\"";
  for (size_t i = 0; i < kMaxTransformInputs; ++i) names += ",\"\"";
  ExpectStep(R"({"op": "log1p", "inputs": [)" + names + "]}", "steps[0]: \"inputs\": more than 64");
  names = "\"\"";
  for (size_t i = 0; i < kMaxTransformSteps; ++i) names += ",\"\"";
  ExpectText(R"({"version": 1, "outputs": [)" + names + "]}", "\"outputs\": more than 65536");
}

// F-071: JSON could not say these.
TEST(PipelineJsonTest, T004NamesThatAreNoText) {
  const auto refused = [](const std::string& output, const std::string& input) {
    Pipeline pipeline;
    pipeline.steps = {{.output = output, .op = TransformOp::kLog1p, .inputs = {input}}};
    EXPECT_EQ(pipeline.ToJson().status().ToString(), pipeline.Validate().ToString());
    return pipeline.Validate().message();
  };
  EXPECT_EQ(refused("a\xff", "b"), "steps[0]: name of an output that is not valid UTF-8");
  EXPECT_EQ(refused("a", "b\xc3"),
            "steps[0] \"a\" (log1p): name of an input that is not valid UTF-8");
  const std::string said = "with a NUL byte: \"a\\x00\"";
  EXPECT_EQ(refused(std::string("a\0", 2), "b"), "steps[0]: name of an output " + said);
  EXPECT_EQ(refused("b", std::string("a\0", 2)),
            "steps[0] \"b\" (log1p): name of an input " + said);
  ExpectStep(R"({"output": "a\u0000", "op": "log1p", "inputs": ["b"]})",
             "steps[0]: name of an output " + said);
  EXPECT_EQ(refused("h\xc3\xa4user", "\xe2\x82\xac"), "");
}

// Keys are whole multiples of the buckets that a table of so many has in libstdc++, so that all of
// them would stand in one.
TEST(PipelineJsonTest, T024KeysThatAHashPutsTogether) {
  Pipeline pipeline;
  TransformStep step = {.output = "x", .op = TransformOp::kMapId, .inputs = {"a"}};
  for (int64_t i = 0; i < (1 << 17); ++i) step.keys.push_back(i * 172'933 * 85'229);
  step.values.resize(step.keys.size());
  pipeline.steps = {step};
  EXPECT_TRUE(pipeline.Validate().ok());
  pipeline.steps[0].keys.back() = 0;
  EXPECT_EQ(pipeline.Validate().message(), "steps[0] \"x\" (map_id): \"keys\": 0 stands twice");
}

TEST(PipelineJsonTest, T001NamesAndOrder) {
  const auto two = [](const std::string& out, const std::string& first, const std::string& second) {
    return R"({"version": 1, "steps": [{"output": "x", "op": "log1p", "inputs": [")" + first +
           R"("]}, {"output": ")" + out + R"(", "op": "log1p", "inputs": [")" + second + "\"]}]}";
  };
  ExpectText(two("x", "a", "a"),
             "steps[1] \"x\" (log1p): output \"x\" is that of step 0 too; rename one");
  ExpectText(two("y", "x", "a"), "steps[0] \"x\" (log1p): takes its own output \"x\"");
  ExpectText(
      two("y", "y", "x"),
      "steps[0] \"x\" (log1p): takes \"y\", which step 1 makes later; steps stand in an order "
      "without cycles");
  std::string json = two("yy", "a", "b");
  json.insert(json.size() - 1, R"(, "outputs": ["yyy"])");
  ExpectText(json, "outputs: no step makes \"yyy\"; did you mean \"yy\"?");
  json = two("yy", "a", "b");
  json.insert(json.size() - 1, R"(, "outputs": ["x", "x"])");
  ExpectText(json, "outputs: \"x\" stands twice");
}

TEST(PipelineJsonTest, T004TextTooLong) {
  EXPECT_EQ(Pipeline::FromJson(std::string(kMaxPipelineBytes + 1, ' ')).status().message(),
            "pipeline of 67108865 bytes, expected at most 67108864");
  EXPECT_EQ(Pipeline::FromJsonFile("no such file").status().code(), StatusCode::kNotFound);
}

// What ToJson writes FromJson reads.
TEST(PipelineJsonTest, T004TextThatWouldBeTooLong) {
  Pipeline pipeline;
  TransformStep step = {.output = "x", .op = TransformOp::kMapId, .inputs = {"a"}};
  for (size_t i = 0; i < kMaxTransformKeys; ++i) step.keys.push_back(static_cast<int64_t>(i));
  step.values.resize(step.keys.size());
  step.inputs = {"in"};
  for (int i = 0; i < 7; ++i) {
    step.output = std::string(1, static_cast<char>('a' + i));
    pipeline.steps.push_back(step);
  }
  // 7 steps of 2^20 keys, most of 6 digits: blanks behind commas would make them too long.
  const auto text = pipeline.ToJson();
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_GT(text->size() + 14 * kMaxTransformKeys, kMaxPipelineBytes);
  EXPECT_LE(text->size(), kMaxPipelineBytes);
  step.output = "h";
  pipeline.steps.push_back(step);
  EXPECT_EQ(pipeline.ToJson().status().ToString(),
            "resource exhausted: the JSON of the pipeline takes more than 67108864 bytes");
}

TEST(PipelineJsonTest, T048CustomHasNoJson) {
  Pipeline pipeline;
  pipeline.steps = {{.output = "x", .op = TransformOp::kCustom, .inputs = {"a"}}};
  EXPECT_EQ(
      pipeline.ToJson().status().message(),
      "steps[0] \"x\" (custom): expected a callback, and as its type int32, int64, float32 or "
      "float64");
  pipeline.steps[0].custom = [](const std::vector<RowsView>&, RowsBuilder*) { return Status(); };
  EXPECT_EQ(pipeline.ToJson().status().message(),
            "steps[0] \"x\" (custom): a callback has no JSON form");
  pipeline.steps[0] = {.output = "x", .op = TransformOp::kFill, .inputs = {"a"}, .value = NAN};
  EXPECT_EQ(pipeline.ToJson().status().message(),
            "steps[0] \"x\" (fill): \"value\" is nan, expected a finite number");
}

}  // namespace
}  // namespace dsi
