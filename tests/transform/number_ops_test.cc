// clamp, cast, map_id, local_hour and scores against plain loops.
#include <algorithm>
#include <cmath>

#include "dsi/tests/transform/chains.h"

namespace dsi {
namespace {

using namespace test;

template <typename T, typename Bound>
void CheckClamp(Bound low, Bound high) {
  const std::vector<T> values = Samples<T>();
  std::vector<T> expected;
  for (const T value : values) {
    expected.push_back(std::clamp(value, static_cast<T>(low), static_cast<T>(high)));
  }
  const TransformStep step = {.op = TransformOp::kClamp, .low = low, .high = high};
  OnEveryTarget([&] { EXPECT_EQ(SameBits(Apply<T, T>({step}, values), expected), true); });
}

TEST(TransformNumberTest, T022Clamp) {
  CheckClamp<int32_t>(int64_t{-5}, int64_t{1000});
  CheckClamp<int64_t>(int64_t{INT64_MIN}, int64_t{1} << 40);
  CheckClamp<int64_t>(int64_t{3}, int64_t{3});
  CheckClamp<float>(-1.5, 0.0);
  CheckClamp<float>(int64_t{0}, int64_t{1});
  CheckClamp<double>(-1e300, 2.0);
}

template <typename To, typename From>
To Saturated(From value) {
  const auto wide = static_cast<long double>(value);
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    if (std::isnan(wide)) return 0;
    if (wide >= static_cast<long double>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    if (wide <= static_cast<long double>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    return static_cast<To>(value);
  }
}

template <typename To, typename From>
void CheckCast() {
  const std::vector<From> values = Samples<From>();
  const TransformStep step = {.op = TransformOp::kCast, .type = TypeFor<To>()};
  OnEveryTarget([&] {
    const std::vector<To> found = Apply<To, From>({step}, values);
    for (size_t i = 0; i < values.size(); ++i) {
      const To expected = Saturated<To, From>(values[i]);
      ASSERT_TRUE(found[i] == expected || (expected != expected && found[i] != found[i]))
          << values[i];
    }
  });
}

TEST(TransformNumberTest, T029Cast) {
  CheckCast<int32_t, int64_t>();
  CheckCast<int64_t, int32_t>();
  CheckCast<float, int64_t>();
  CheckCast<double, int64_t>();
  CheckCast<int32_t, float>();
  CheckCast<int64_t, float>();
  CheckCast<int32_t, double>();
  CheckCast<int64_t, double>();
  CheckCast<float, double>();
  CheckCast<double, float>();
}

TEST(TransformNumberTest, T024MapId) {
  TransformStep step = {.op = TransformOp::kMapId, .fallback = -7};
  std::mt19937_64 random(5);
  for (int64_t i = 0; i < 3000; ++i) {
    step.keys.push_back(i % 2 == 0 ? i : static_cast<int64_t>(random()));
    step.values.push_back(i * i);
  }
  std::vector<int64_t> ids = step.keys;
  std::vector<int64_t> expected = step.values;
  for (const int64_t other : {int64_t{1}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    ids.push_back(other);
    expected.push_back(-7);
  }
  EXPECT_EQ((Apply<int64_t, int64_t>({step}, ids)), expected);
  EXPECT_EQ((Apply<int64_t, int32_t>({step}, {4, 5, -1})), (std::vector<int64_t>{16, -7, -7}));
  step.keys.clear();
  step.values.clear();
  EXPECT_EQ((Apply<int64_t, int64_t>({step}, {1, 2})), (std::vector<int64_t>{-7, -7}));
}

TEST(TransformNumberTest, T030LocalHour) {
  const auto hours = [](TimeUnit unit, int64_t offset_s, std::vector<int64_t> times) {
    const TransformStep step = {.op = TransformOp::kLocalHour, .unit = unit, .offset_s = offset_s};
    return Apply<int32_t, int64_t>({step}, times);
  };
  // 2009-02-13 23:31:30 UTC.
  const int64_t second = 1234567890;
  EXPECT_EQ(hours(TimeUnit::kSeconds, 0, {second, 0, -1, 3599, 3600, INT64_MIN, INT64_MAX}),
            (std::vector<int32_t>{23, 0, 23, 0, 1, 8, 15}));
  EXPECT_EQ(hours(TimeUnit::kSeconds, 3600, {second, -1}), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(hours(TimeUnit::kSeconds, -19800, {second, 0}), (std::vector<int32_t>{18, 18}));
  EXPECT_EQ(hours(TimeUnit::kMillis, 0, {second * 1000 + 999, -1}), (std::vector<int32_t>{23, 23}));
  EXPECT_EQ(hours(TimeUnit::kMicros, 0, {second * 1000000}), (std::vector<int32_t>{23}));
  EXPECT_EQ(hours(TimeUnit::kNanos, 86400, {second * 1000000000}), (std::vector<int32_t>{23}));
}

TEST(TransformNumberTest, T031Scores) {
  const TransformPlan plan = PlanOf({{.op = TransformOp::kScoreMultiply, .value = 0.1},
                                     {.op = TransformOp::kSigridHash, .salt = 1, .max = 50},
                                     {.op = TransformOp::kScoreAdd, .value = int64_t{1}},
                                     {.op = TransformOp::kScoreClamp, .low = 1.0, .high = 1.5}},
                                    {RowShape::kScored, Type::kInt64});
  ASSERT_EQ(plan.stages().size(), 1U);
  const std::vector<float> scores = {0, 1, 2.5F, 100, NAN};
  std::vector<float> expected;
  for (const float score : scores) {
    const float sum = score * 0.1F + 1.0F;
    expected.push_back(std::clamp(sum, 1.0F, 1.5F));
  }
  OnEveryTarget([&] {
    std::vector<float> out(scores.size());
    plan.scores_of(0).Apply(scores.data(), scores.size(), out.data());
    EXPECT_EQ(SameBits(out, expected), true);
  });
}

// T-005: of numbers the NaN of every CPU; one that was there stays.
TEST(TransformNumberTest, T005ScoresMakeOneNan) {
  const TransformPlan plan = PlanOf({{.op = TransformOp::kScoreMultiply, .value = int64_t{0}}},
                                    {RowShape::kScored, Type::kInt64});
  const float inf = std::numeric_limits<float>::infinity();
  const auto other = std::bit_cast<float>(0xFFC01234U);
  const std::vector<float> scores = {inf, -inf, other, 2, -2};
  OnEveryTarget([&] {
    std::vector<uint32_t> out(scores.size());
    plan.scores_of(0).Apply(scores.data(), scores.size(), reinterpret_cast<float*>(out.data()));
    EXPECT_EQ(out, (std::vector<uint32_t>{0x7FC00000, 0x7FC00000, 0xFFC01234, 0, 0x80000000}));
  });
}

// T-005: the chain in one pass gives the bits of its steps one by one, however it is divided.
TEST(TransformNumberTest, T005FusionChangesNothing) {
  const std::vector<std::vector<TransformStep>> chains = {
      {{.op = TransformOp::kLog1p},
       {.op = TransformOp::kClamp, .low = 0.5, .high = 9.0},
       {.op = TransformOp::kBucketize, .borders = {1, 2, 3, 4, 5}, .side = BorderSide::kRight},
       {.op = TransformOp::kSigridHash, .salt = 4, .max = 1000},
       {.op = TransformOp::kCast, .type = Type::kInt64}}};
  const std::vector<float> values = Samples<float>();
  for (const auto& steps : chains) {
    const auto fused = Apply<int64_t, float>(steps, values);
    const auto a = Apply<float, float>({steps[0]}, values);
    const auto b = Apply<float, float>({steps[1]}, a);
    const auto c = Apply<int32_t, float>({steps[2]}, b);
    const auto d = Apply<int32_t, int32_t>({steps[3]}, c);
    EXPECT_EQ((Apply<int64_t, int32_t>({steps[4]}, d)), fused);
    for (const size_t size : {1, 3, 511, 512, 513, 1025}) {
      const std::vector<float> part(values.begin() + 5,
                                    values.begin() + 5 + static_cast<long>(size));
      const auto result = Apply<int64_t, float>(steps, part);
      EXPECT_TRUE(std::equal(result.begin(), result.end(), fused.begin() + 5)) << size;
    }
  }
}

}  // namespace
}  // namespace dsi
