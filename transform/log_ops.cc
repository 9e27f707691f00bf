// ln (T-025), log1p (T-026), logit (T-027) and boxcox (T-028): in float64 by operations that IEEE
// 754 rounds in one way, in one order, without fused multiply-add, so that every target gives the
// same bits.
#include "dsi/transform/elementwise_internal.h"

#include <cstring>
#include <limits>

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/transform/log_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef DSI_TRANSFORM_LOG_OPS_ONCE
#define DSI_TRANSFORM_LOG_OPS_ONCE
namespace dsi::internal {

enum class LogForm : uint8_t { kLog1p, kLogit, kBoxCox };
struct LogJob {
  LogForm form = LogForm::kLog1p;
  double a = 0;  // logit: epsilon; boxcox: lambda1.
  double b = 0;  // boxcox: lambda2.
};

}  // namespace dsi::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using DU = hn::ScalableTag<uint64_t>;
using V = hn::Vec<D>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;  // Bits of the square root of 1/2.
constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;
constexpr uint64_t kTwoTo52 = 0x4330000000000000;  // Bits of 2^52, whose last bit is 1.

// T-025: of no subnormals.
HWY_INLINE V Ln(V x) {
  const D d;
  const DU du;
  const auto one = hn::Set(d, 1.0);
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)).
  const auto shifted =
      hn::Add(hn::BitCast(du, x), hn::Set(du, (uint64_t{1023} << 52) - kRootOfHalf));
  const auto e = hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<52>(shifted), hn::Set(du, kTwoTo52))),
                         hn::Set(d, 0x1p52 + 1023));
  const auto m =
      hn::BitCast(d, hn::Add(hn::And(shifted, hn::Set(du, kMantissa)), hn::Set(du, kRootOfHalf)));
  // ln m = 2 (s + s^3 / 3 + s^5 / 5 + …) with s = (m - 1) / (m + 1), at most 0.172.
  const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const auto z = hn::Mul(s, s);
  auto sum = hn::Set(d, 2.0 / 17);
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 15));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 13));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 11));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 9));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 7));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 5));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0 / 3));
  sum = hn::Add(hn::Mul(sum, z), hn::Set(d, 2.0));
  auto ln = hn::Add(hn::Mul(e, hn::Set(d, 0.6931471805599453)), hn::Mul(s, sum));
  const auto zero = hn::Zero(d);
  ln = hn::IfThenElse(hn::Eq(x, hn::Set(d, kInfinity)), x, ln);
  ln = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -kInfinity), ln);
  return hn::IfThenElse(hn::Ge(x, zero), ln, hn::Set(d, kNan));
}

// T-028: 2^x for |x| up to 1022, clamped beyond.
HWY_INLINE V Exp2(V x) {
  const D d;
  const DU du;
  const auto nan = hn::IsNaN(x);  // Ne is ordered on some targets.
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, 1022.0)), x, hn::Set(d, 1022.0));
  x = hn::IfThenElse(hn::Gt(x, hn::Set(d, -1022.0)), x, hn::Set(d, -1022.0));
  // Adding 1.5 * 2^52 rounds to whole numbers, which are then the last bits.
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto rounded = hn::Add(x, magic);
  const auto y = hn::Mul(hn::Sub(x, hn::Sub(rounded, magic)), hn::Set(d, 0.6931471805599453));
  // Taylor's series, |y| up to ln(2) / 2.
  auto sum = hn::Set(d, 1.0 / 6227020800.0);
  for (const double factor :
       {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0, 1.0}) {
    sum = hn::Add(hn::Mul(sum, y), hn::Set(d, factor));
  }
  const auto scale = hn::BitCast(
      d, hn::ShiftLeft<52>(hn::Add(hn::BitCast(du, rounded), hn::Set(du, uint64_t{1023}))));
  return hn::IfThenElse(nan, hn::Set(d, kNan), hn::Mul(sum, scale));
}

HWY_INLINE V Log1p(const LogJob&, V x) { return Ln(hn::Add(x, hn::Set(D(), 1.0))); }

HWY_INLINE V Logit(const LogJob& job, V x) {
  const D d;
  const auto low = hn::Set(d, job.a);
  const auto high = hn::Set(d, 1.0 - job.a);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  x = hn::IfThenElse(hn::Gt(x, high), high, x);
  return Ln(hn::Div(x, hn::Sub(hn::Set(d, 1.0), x)));
}

HWY_INLINE V BoxCox(const LogJob& job, V x) {
  const D d;
  const auto least = hn::Set(d, 1e-6);
  x = hn::Add(x, hn::Set(d, job.b));
  x = hn::IfThenElse(hn::Lt(x, least), least, x);
  const auto ln = Ln(x);
  if (job.a == 0) return ln;
  const auto power = Exp2(hn::Mul(hn::Mul(ln, hn::Set(d, 1.4426950408889634)), hn::Set(d, job.a)));
  return hn::Div(hn::Sub(power, hn::Set(d, 1.0)), hn::Set(d, job.a));
}

template <typename T, V (*kFunction)(const LogJob&, V)>
void RunForm(const LogJob& job, const T* in, size_t n, float* out) {
  const D d;
  alignas(64) double block[kTransformBlock];
  for (size_t i = 0; i < n; ++i) block[i] = static_cast<double>(in[i]);
  const size_t lanes = hn::Lanes(d);
  const size_t end = (n + lanes - 1) / lanes * lanes;
  for (size_t i = n; i < end; ++i) block[i] = 0;
  for (size_t i = 0; i < end; i += lanes) {
    hn::StoreU(kFunction(job, hn::LoadU(d, block + i)), d, block + i);
  }
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(block[i]);
}

template <typename T>
void RunOf(const LogJob& job, const T* in, size_t n, float* out) {
  switch (job.form) {
    case LogForm::kLog1p:
      return RunForm<T, Log1p>(job, in, n, out);
    case LogForm::kLogit:
      return RunForm<T, Logit>(job, in, n, out);
    case LogForm::kBoxCox:
      return RunForm<T, BoxCox>(job, in, n, out);
  }
}

void RunLog(const LogJob& job, const void* in, Type type, size_t n, float* out) {
  switch (type) {
    case Type::kInt32:
      return RunOf(job, static_cast<const int32_t*>(in), n, out);
    case Type::kInt64:
      return RunOf(job, static_cast<const int64_t*>(in), n, out);
    case Type::kFloat32:
      return RunOf(job, static_cast<const float*>(in), n, out);
    default:
      return RunOf(job, static_cast<const double*>(in), n, out);
  }
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(RunLog);

class LogOp : public ElementwiseOp {
 public:
  LogOp(Type input, LogJob job) : ElementwiseOp(input, Type::kFloat32), job_(job) {}
  void Run(const void* in, size_t n, void* out) const override {
    HWY_DYNAMIC_DISPATCH(RunLog)(job_, in, input(), n, static_cast<float*>(out));
  }

 private:
  LogJob job_;
};

}  // namespace

ElementwisePtr MakeLog1p(const TransformStep&, Type input) {
  return std::make_shared<LogOp>(input, LogJob{LogForm::kLog1p});
}

ElementwisePtr MakeLogit(const TransformStep& step, Type input) {
  return std::make_shared<LogOp>(input, LogJob{LogForm::kLogit, step.epsilon});
}

ElementwisePtr MakeBoxCox(const TransformStep& step, Type input) {
  return std::make_shared<LogOp>(input, LogJob{LogForm::kBoxCox, step.lambda1, step.lambda2});
}

}  // namespace dsi::internal
#endif
