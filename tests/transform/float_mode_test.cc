// T-005: results do not depend on how a thread rounds, nor on what it makes of subnormal numbers.
#include <cfenv>

#include "dsi/tests/support/flush_floats.h"
#include "dsi/tests/transform/chains.h"
#include "dsi/tests/transform/test_rows.h"

namespace dsi {
namespace {

using namespace test;

constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr double kTinyDouble = std::numeric_limits<double>::denorm_min();

class FloatModeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kCanFlushFloats) GTEST_SKIP() << "no such mode on this machine";
  }
};

TransformStep Bucketize(std::vector<double> borders, BorderSide side) {
  return {.op = TransformOp::kBucketize, .borders = std::move(borders), .side = side};
}

template <typename Work>
void OnEveryTargetFlushed(const Work& work) {
  OnEveryTarget([&] {
    const FlushedFloats flushed;
    work();
    EXPECT_TRUE(FlushedFloats::AreOn());  // The thread's own mode is given back.
  });
}

TEST_F(FloatModeTest, T005T023Bucketize) {
  OnEveryTargetFlushed([] {
    const std::vector<float> values = {-1, 0, -0.0F, 1, kTiny, -kTiny};
    EXPECT_EQ((Apply<int32_t, float>({Bucketize({0}, BorderSide::kRight)}, values)),
              (std::vector<int32_t>{0, 1, 1, 1, 1, 0}));
    EXPECT_EQ((Apply<int32_t, float>({Bucketize({0}, BorderSide::kLeft)}, values)),
              (std::vector<int32_t>{0, 0, 0, 1, 1, 0}));
    EXPECT_EQ((Apply<int32_t, double>({Bucketize({0, kTinyDouble}, BorderSide::kRight)},
                                      {-1, 0, -0.0, 1, kTinyDouble, -kTinyDouble})),
              (std::vector<int32_t>{0, 1, 1, 2, 2, 0}));
  });
}

TEST_F(FloatModeTest, T005T022T029ClampAndCast) {
  const TransformStep cast = {.op = TransformOp::kCast, .type = Type::kFloat32};
  const TransformStep clamp = {.op = TransformOp::kClamp, .low = 0.0, .high = 1e-39};
  OnEveryTargetFlushed([&] {
    const auto narrow = Apply<float, double>({cast}, {1e-40, -1e-45, 1});
    EXPECT_TRUE(SameBits(narrow, {1e-40F, -1e-45F, 1}));
    const auto clamped = Apply<float, float>({clamp}, {1e-38F, 1e-40F, -1e-40F});
    EXPECT_TRUE(SameBits(clamped, {1e-39F, 1e-40F, 0}));
  });
}

// The same where rows are given: a parameter is rounded to the type of the values.
TEST_F(FloatModeTest, T005T041Fill) {
  const FlushedFloats flushed;
  const TransformStep step = {
      .output = "x", .op = TransformOp::kFill, .inputs = {"a"}, .value = 1e-40};
  const RowsBuilder rows = Build<float>({std::nullopt, {{2}}}, RowShape::kNumber);
  Pipeline pipeline;
  pipeline.steps = {step};
  const auto plan = pipeline.Resolve({{"a", {RowShape::kNumber, Type::kFloat32}}});
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  std::vector<RowsBuilder> built;
  ASSERT_TRUE(plan->Run(std::vector<RowsView>{rows.View()}, &built).ok());
  const auto* const values = static_cast<const float*>(built[0].View().values);
  EXPECT_TRUE(SameBits<float>({values, values + 2}, {1e-40F, 2}));
  EXPECT_TRUE(FlushedFloats::AreOn());
}

// Parameters that subnormal numbers tell apart.
TEST_F(FloatModeTest, T005ChecksOfParameters) {
  const FlushedFloats flushed;
  const auto check = [](const char* step) {
    return Pipeline::FromJson(std::string(R"({"version": 1, "steps": [{"output": "x", )"
                                          R"("inputs": ["a"], )") +
                              step + "}]}")
        .status()
        .message();
  };
  EXPECT_EQ(check(R"("op": "bucketize", "side": "left", "borders": [-1e-310, 0, 1e-310])"), "");
  EXPECT_NE(check(R"("op": "clamp", "low": 1e-310, "high": 0.0)"), "");
}

// Rounding is a mode of its own, which every machine has.
TEST(RoundingModeTest, T005RoundsToNearest) {
  const std::vector<double> values = {0.1, 1e10 / 3, -0.1};
  const TransformStep cast = {.op = TransformOp::kCast, .type = Type::kFloat32};
  const std::vector<TransformStep> log = {{.op = TransformOp::kLog1p}};
  const auto expected = Apply<float, double>({cast}, values);
  const std::vector<double> samples = Samples<double>();
  const auto expected_log = Apply<float, double>(log, samples);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const auto found = Apply<float, double>({cast}, values);
    const auto found_log = Apply<float, double>(log, samples);
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(SameBits(found, expected)) << mode;
    EXPECT_TRUE(SameBits(found_log, expected_log)) << mode;
  }
}

}  // namespace
}  // namespace dsi
