// clamp, cast, local_hour, and arithmetic on scores (T-022, T-029, T-030, T-031): loops that the
// compiler makes vectors of, once per target.
#include "dsi/transform/elementwise_internal.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/transform/number_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

template <typename T>
void ClampOf(const T* in, size_t n, T low, T high, T* out) {
  for (size_t i = 0; i < n; ++i) {
    const T raised = in[i] < low ? low : in[i];
    out[i] = high < raised ? high : raised;
  }
}

void RunClamp(Type type, const void* in, size_t n, const TransformNumber& low,
              const TransformNumber& high, void* out) {
  OfTransformType(type, [&](auto number) {
    using T = decltype(number);
    ClampOf(static_cast<const T*>(in), n, NumberAs<T>(low), NumberAs<T>(high),
            static_cast<T*>(out));
  });
}

template <typename To, typename From>
To CastOne(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // Ends of the type are powers of two, which floats hold.
    constexpr From kEnd = std::is_same_v<To, int32_t> ? From(0x1p31) : From(0x1p63);
    if (value >= kEnd) return Limits::max();
    if (value < -kEnd) return Limits::min();
    return value == value ? static_cast<To>(value) : To{0};
  } else {
    if (int64_t{value} > int64_t{Limits::max()}) return Limits::max();
    if (int64_t{value} < int64_t{Limits::min()}) return Limits::min();
    return static_cast<To>(value);
  }
}

void RunCast(Type from_type, const void* in, size_t n, Type to_type, void* out) {
  OfTransformType(from_type, [&](auto from_number) {
    using From = decltype(from_number);
    OfTransformType(to_type, [&](auto to_number) {
      using To = decltype(to_number);
      for (size_t i = 0; i < n; ++i) {
        static_cast<To*>(out)[i] = CastOne<To, From>(static_cast<const From*>(in)[i]);
      }
    });
  });
}

void RunScores(const float* in, size_t n, float number, bool add, float* out) {
  if (add) {
    for (size_t i = 0; i < n; ++i) out[i] = in[i] + number;
  } else {
    // Of infinity and 0 the NaN of T-005, which is not that of every CPU; one that came in stays.
    constexpr uint32_t kNan = 0x7FC00000;
    for (size_t i = 0; i < n; ++i) {
      const float product = in[i] * number;
      const bool is_new = product != product && in[i] == in[i];
      out[i] = is_new ? std::bit_cast<float>(kNan) : product;
    }
  }
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(RunClamp);
HWY_EXPORT(RunCast);
HWY_EXPORT(RunScores);

class ClampOp : public ElementwiseOp {
 public:
  ClampOp(Type input, TransformNumber low, TransformNumber high)
      : ElementwiseOp(input, input), low_(low), high_(high) {}
  void Run(const void* in, size_t n, void* out) const override {
    HWY_DYNAMIC_DISPATCH(RunClamp)(input(), in, n, low_, high_, out);
  }

 private:
  TransformNumber low_;
  TransformNumber high_;
};

class CastOp : public ElementwiseOp {
 public:
  using ElementwiseOp::ElementwiseOp;
  void Run(const void* in, size_t n, void* out) const override {
    HWY_DYNAMIC_DISPATCH(RunCast)(input(), in, n, output(), out);
  }
};

class ScoreOp : public ElementwiseOp {
 public:
  ScoreOp(float number, bool add)
      : ElementwiseOp(Type::kFloat32, Type::kFloat32), number_(number), add_(add) {}
  void Run(const void* in, size_t n, void* out) const override {
    HWY_DYNAMIC_DISPATCH(RunScores)
    (static_cast<const float*>(in), n, number_, add_, static_cast<float*>(out));
  }

 private:
  float number_;
  bool add_;
};

constexpr int64_t FlooredDivide(int64_t x, int64_t d) { return x / d - (x % d < 0 ? 1 : 0); }
constexpr int64_t FlooredModulus(int64_t x, int64_t d) { return (x % d + d) % d; }

template <typename T, int64_t kUnitsPerSecond>
void LocalHours(const T* in, size_t n, int64_t offset_s, int32_t* out) {
  constexpr int64_t kDay = 86400;
  const int64_t offset = FlooredModulus(offset_s, kDay);
  for (size_t i = 0; i < n; ++i) {
    const int64_t second = FlooredModulus(FlooredDivide(in[i], kUnitsPerSecond), kDay);
    out[i] = static_cast<int32_t>((second + offset) % kDay / 3600);
  }
}

class LocalHourOp : public ElementwiseOp {
 public:
  LocalHourOp(Type input, TimeUnit unit, int64_t offset_s)
      : ElementwiseOp(input, Type::kInt32), unit_(unit), offset_s_(offset_s) {}
  void Run(const void* in, size_t n, void* out) const override {
    if (input() == Type::kInt32) return Of(static_cast<const int32_t*>(in), n, out);
    Of(static_cast<const int64_t*>(in), n, out);
  }

 private:
  template <typename T>
  void Of(const T* in, size_t n, void* to) const {
    auto* const out = static_cast<int32_t*>(to);
    switch (unit_) {
      case TimeUnit::kNanos:
        return LocalHours<T, 1'000'000'000>(in, n, offset_s_, out);
      case TimeUnit::kMicros:
        return LocalHours<T, 1'000'000>(in, n, offset_s_, out);
      case TimeUnit::kMillis:
        return LocalHours<T, 1'000>(in, n, offset_s_, out);
      default:
        return LocalHours<T, 1>(in, n, offset_s_, out);
    }
  }

  TimeUnit unit_;
  int64_t offset_s_;
};

}  // namespace

ElementwisePtr MakeClamp(const TransformStep& step, Type input) {
  return std::make_shared<ClampOp>(input, step.low, step.high);
}

ElementwisePtr MakeCast(const TransformStep& step, Type input) {
  return std::make_shared<CastOp>(input, step.type);
}

ElementwisePtr MakeLocalHour(const TransformStep& step, Type input) {
  return std::make_shared<LocalHourOp>(input, step.unit, step.offset_s);
}

ElementwisePtr MakeScoreAdd(const TransformStep& step, Type) {
  return std::make_shared<ScoreOp>(NumberAs<float>(step.value), true);
}

ElementwisePtr MakeScoreMultiply(const TransformStep& step, Type) {
  return std::make_shared<ScoreOp>(NumberAs<float>(step.value), false);
}

}  // namespace dsi::internal
#endif
