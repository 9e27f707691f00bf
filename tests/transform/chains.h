// Single elementwise steps as chains, random and extreme values, every Highway target.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "dsi/codecs/simd_internal.h"
#include "dsi/transform/pipeline.h"

namespace dsi::test {

template <typename T>
constexpr Type TypeFor() {
  if constexpr (std::is_same_v<T, int32_t>) return Type::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return Type::kInt64;
  if constexpr (std::is_same_v<T, float>) return Type::kFloat32;
  return Type::kFloat64;
}

// The plan of steps that each take the output of the one before, the first "in".
inline TransformPlan PlanOf(std::vector<TransformStep> steps, TransformType in) {
  Pipeline pipeline;
  std::string input = "in";
  for (TransformStep& step : steps) {
    step.inputs = {input};
    step.output = "s" + std::to_string(pipeline.steps.size());
    input = step.output;
    pipeline.steps.push_back(std::move(step));
  }
  Result<TransformPlan> plan = pipeline.Resolve({{"in", in}});
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return *plan;
}

template <typename Out, typename In>
std::vector<Out> Apply(const std::vector<TransformStep>& steps, const std::vector<In>& values) {
  const TransformPlan plan = PlanOf(steps, {RowShape::kList, TypeFor<In>()});
  EXPECT_EQ(plan.stages().size(), 1U);
  const ElementwiseChain& chain = plan.values_of(0);
  EXPECT_EQ(chain.output_type(), TypeFor<Out>());
  std::vector<Out> out(values.size());
  chain.Apply(values.data(), values.size(), out.data());
  return out;
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Ends of the type, numbers around powers of two, and random ones of every size; a length that no
// vector divides.
template <typename T>
std::vector<T> Samples() {
  std::vector<T> values;
  std::mt19937_64 random(7);
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    values = {0,
              -T{0},
              1,
              -1,
              T(0.5),
              Limits::infinity(),
              -Limits::infinity(),
              Limits::quiet_NaN(),
              -Limits::quiet_NaN(),
              Limits::max(),
              Limits::lowest(),
              Limits::min(),
              Limits::denorm_min(),
              -Limits::denorm_min(),
              Limits::epsilon(),
              T(0x1p31),
              T(0x1p63),
              T(-0x1p31),
              T(-0x1p63),
              T(1e-6),
              T(1 - 1e-6),
              T(1) - Limits::epsilon()};
    for (int i = 0; i < 20000; ++i) {
      const auto bits = random();
      T number = 0;
      std::memcpy(&number, &bits, sizeof(T));
      values.push_back(number);
      values.push_back(static_cast<T>(static_cast<double>(bits) * 0x1p-64));
      values.push_back(static_cast<T>(static_cast<double>(bits % 100000) / 16));
    }
  } else {
    for (int shift = 0; shift < std::numeric_limits<T>::digits; ++shift) {
      for (const int64_t near : {-2, -1, 0, 1, 2}) {
        const auto power = static_cast<uint64_t>(1) << shift;
        values.push_back(static_cast<T>(power + static_cast<uint64_t>(near)));
        values.push_back(static_cast<T>(0 - power + static_cast<uint64_t>(near)));
      }
    }
    values.push_back(std::numeric_limits<T>::min());
    values.push_back(std::numeric_limits<T>::max());
    for (int i = 0; i < 20000; ++i)
      values.push_back(static_cast<T>(random()) >>
                       (random() % 60 % std::numeric_limits<T>::digits));
  }
  values.push_back(3);
  if (values.size() % 2 == 0) values.push_back(5);
  return values;
}

// Runs work under every target that this CPU has.
template <typename Work>
void OnEveryTarget(const Work& work) {
  for (const int64_t target : internal::RunnableSimdTargets()) {
    internal::ForceSimdTarget(target);
    SCOPED_TRACE(internal::SimdTargetName(target));
    work();
    if (testing::Test::HasFatalFailure()) break;
  }
  internal::ForceSimdTarget(0);
}

}  // namespace dsi::test
