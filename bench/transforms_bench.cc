// Kernels of transforms beside a straightforward loop per value that does the same, and prints how
// many times as fast each is (target 3).
//   build/release/bin/transforms_bench
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "dsi/transform/pipeline.h"

namespace {

// Values of the lists of a batch of unique rows.
constexpr size_t kValues = 1 << 16;

struct Inputs {
  std::vector<int64_t> ids;
  std::vector<float> floats;
  Inputs() {
    std::mt19937_64 random(1);
    for (size_t i = 0; i < kValues; ++i) {
      ids.push_back(static_cast<int64_t>(random()));
      floats.push_back(std::exp(static_cast<float>(random() % 100000) / 1e4F));
    }
  }
};
const Inputs& Shared() {
  static const Inputs inputs;
  return inputs;
}

std::vector<double> Borders(int64_t count) {
  std::vector<double> borders;
  for (int64_t i = 1; i <= count; ++i) {
    borders.push_back(std::exp(10.0 * static_cast<double>(i) / static_cast<double>(count + 1)));
  }
  return borders;
}

dsi::TransformPlan Plan(std::vector<dsi::TransformStep> steps, dsi::Type type) {
  dsi::Pipeline pipeline;
  std::string input = "in";
  for (dsi::TransformStep& step : steps) {
    step.inputs = {input};
    step.output = input = input + "'";
    pipeline.steps.push_back(step);
  }
  const auto plan = pipeline.Resolve({{"in", {dsi::RowShape::kList, type}}});
  if (!plan.ok()) std::abort();
  return *plan;
}

uint64_t Mix(uint64_t k) {
  k = ~k + (k << 21);
  k ^= k >> 24;
  k = k + (k << 3) + (k << 8);
  k ^= k >> 14;
  k = k + (k << 2) + (k << 4);
  k ^= k >> 28;
  return k + (k << 31);
}

int32_t HashOne(int64_t x, int64_t salt, int64_t max) {
  constexpr uint64_t kMultiplier = 0x9ddfea08eb382d69;
  uint64_t a = (Mix(static_cast<uint64_t>(x)) ^ static_cast<uint64_t>(salt)) * kMultiplier;
  a ^= a >> 47;
  uint64_t b = (static_cast<uint64_t>(salt) ^ a) * kMultiplier;
  b ^= b >> 47;
  const int64_t rest = static_cast<int64_t>(b * kMultiplier) % max;
  return static_cast<int32_t>(rest < 0 ? rest + max : rest);
}

template <typename Work>
double SecondsOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Both in alternation; the time that counts is the kernel's.
template <typename Kernel, typename Loop>
void Compare(benchmark::State& state, const Kernel& kernel, const Loop& loop) {
  std::vector<double> ratios;
  for (auto _ : state) {
    const double fast = SecondsOf(kernel);
    state.SetIterationTime(fast);
    ratios.push_back(SecondsOf(loop) / fast);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<long>(ratios.size() / 2),
                   ratios.end());
  state.counters["times_as_fast"] = ratios[ratios.size() / 2];
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kValues));
}

void SigridHash(benchmark::State& state) {
  const int64_t max = state.range(0);
  const dsi::TransformPlan plan =
      Plan({{.op = dsi::TransformOp::kSigridHash, .salt = 7, .max = max}}, dsi::Type::kInt64);
  std::vector<int32_t> out(kValues);
  const std::vector<int64_t>& in = Shared().ids;
  Compare(
      state, [&] { plan.values_of(0).Apply(in.data(), kValues, out.data()); },
      [&] {
        for (size_t i = 0; i < kValues; ++i) out[i] = HashOne(in[i], 7, max);
        benchmark::DoNotOptimize(out.data());
      });
}
BENCHMARK(SigridHash)->Arg(1'000'000)->UseManualTime();

void Bucketize(benchmark::State& state) {
  const std::vector<double> borders = Borders(state.range(0));
  const std::vector<float> narrow(borders.begin(), borders.end());
  const dsi::TransformPlan plan =
      Plan({{.op = dsi::TransformOp::kBucketize, .borders = borders}}, dsi::Type::kFloat32);
  std::vector<int32_t> out(kValues);
  const std::vector<float>& in = Shared().floats;
  Compare(
      state, [&] { plan.values_of(0).Apply(in.data(), kValues, out.data()); },
      [&] {
        for (size_t i = 0; i < kValues; ++i) {
          const auto found = std::lower_bound(narrow.begin(), narrow.end(), in[i]);
          out[i] = static_cast<int32_t>(found - narrow.begin());
        }
        benchmark::DoNotOptimize(out.data());
      });
}
BENCHMARK(Bucketize)->Arg(10)->Arg(100)->Arg(1024)->Arg(4096)->UseManualTime();

void Log(benchmark::State& state) {
  const dsi::TransformPlan plan = Plan({{.op = dsi::TransformOp::kLog1p}}, dsi::Type::kFloat32);
  std::vector<float> out(kValues);
  const std::vector<float>& in = Shared().floats;
  Compare(
      state, [&] { plan.values_of(0).Apply(in.data(), kValues, out.data()); },
      [&] {
        for (size_t i = 0; i < kValues; ++i) {
          out[i] = static_cast<float>(std::log(static_cast<double>(in[i]) + 1));
        }
        benchmark::DoNotOptimize(out.data());
      });
}
BENCHMARK(Log)->UseManualTime();

// The three in a chain, in one pass, against three loops.
void Chain(benchmark::State& state) {
  const std::vector<double> borders = Borders(1024);
  const std::vector<float> narrow(borders.begin(), borders.end());
  const dsi::TransformPlan plan =
      Plan({{.op = dsi::TransformOp::kLog1p},
            {.op = dsi::TransformOp::kBucketize, .borders = borders},
            {.op = dsi::TransformOp::kSigridHash, .salt = 7, .max = 100'000}},
           dsi::Type::kFloat32);
  std::vector<int32_t> out(kValues);
  std::vector<float> logs(kValues);
  const std::vector<float>& in = Shared().floats;
  Compare(
      state, [&] { plan.values_of(0).Apply(in.data(), kValues, out.data()); },
      [&] {
        for (size_t i = 0; i < kValues; ++i) {
          logs[i] = static_cast<float>(std::log(static_cast<double>(in[i]) + 1));
        }
        for (size_t i = 0; i < kValues; ++i) {
          const auto found = std::lower_bound(narrow.begin(), narrow.end(), logs[i]);
          out[i] = static_cast<int32_t>(found - narrow.begin());
        }
        for (size_t i = 0; i < kValues; ++i) out[i] = HashOne(out[i], 7, 100'000);
        benchmark::DoNotOptimize(out.data());
      });
}
BENCHMARK(Chain)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
