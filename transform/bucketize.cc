// bucketize (T-023): the number of borders below a value. Few borders are all compared with every
// value of a block; many are searched without a branch, several values at a time.
#include "dsi/transform/bucketize_internal.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "dsi/transform/elementwise_internal.h"

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/transform/bucketize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

constexpr size_t kMostCompared = 24;
constexpr size_t kAtOnce = 16;

template <typename T>
void Compare(const Borders<T>& borders, const T* in, size_t n, int32_t* out) {
  for (size_t i = 0; i < n; ++i) out[i] = borders.below_all;
  for (size_t b = 0; b < borders.count; ++b) {
    const T border = borders.sorted[b];
    for (size_t i = 0; i < n; ++i) out[i] += border < in[i] ? 1 : 0;
  }
}

// Borders are padded to 2^k - 1 by ones that are below nothing.
template <typename T, size_t kCount>
HWY_INLINE void Search(const Borders<T>& borders, const T* in, int32_t* out) {
  const T* const sorted = borders.sorted.data();
  uint32_t at[kCount] = {};
  for (auto half = static_cast<uint32_t>((borders.sorted.size() + 1) / 2); half > 0; half /= 2) {
    for (size_t i = 0; i < kCount; ++i) {
      at[i] += half & -static_cast<uint32_t>(sorted[at[i] + half - 1] < in[i]);
    }
  }
  for (size_t i = 0; i < kCount; ++i) out[i] = static_cast<int32_t>(at[i]) + borders.below_all;
}

template <typename T>
void Run(const Borders<T>& borders, const T* in, size_t n, int32_t* out) {
  if (borders.count <= kMostCompared) return Compare(borders, in, n, out);
  size_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) Search<T, kAtOnce>(borders, in + i, out + i);
  for (; i < n; ++i) Search<T, 1>(borders, in + i, out + i);
}

void RunFloat(const Borders<float>& borders, const float* in, size_t n, int32_t* out) {
  Run(borders, in, n, out);
}
void RunDouble(const Borders<double>& borders, const double* in, size_t n, int32_t* out) {
  Run(borders, in, n, out);
}
void RunInt64(const Borders<int64_t>& borders, const int64_t* in, size_t n, int32_t* out) {
  Run(borders, in, n, out);
}
void RunInt32(const Borders<int64_t>& borders, const int32_t* in, size_t n, int32_t* out) {
  alignas(64) int64_t wide[kTransformBlock];
  for (size_t i = 0; i < n; ++i) wide[i] = in[i];
  Run(borders, wide, n, out);
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(RunFloat);
HWY_EXPORT(RunDouble);
HWY_EXPORT(RunInt64);
HWY_EXPORT(RunInt32);

namespace {

// The next number below a finite one, by its bits alone.
template <typename T>
T Before(T border) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const auto bits = std::bit_cast<Bits>(border);
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  if ((bits & ~kSign) == 0) return std::bit_cast<T>(static_cast<Bits>(kSign | 1));
  return std::bit_cast<T>((bits & kSign) == 0 ? bits - 1 : bits + 1);
}

// Adds the value c for which border < x (left) or border <= x (right) is c < x.
template <typename T>
void AddBorder(double border, bool including, Borders<T>* borders) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rounded = static_cast<T>(border);
    borders->sorted.push_back(including ? Before(rounded) : rounded);
  } else {
    const double whole = including ? std::ceil(border) : std::floor(border);
    if (whole < -0x1p63 || (including && whole == -0x1p63)) {
      ++borders->below_all;
    } else if (whole >= 0x1p63) {
      borders->sorted.push_back(std::numeric_limits<T>::max());
    } else {
      borders->sorted.push_back(static_cast<T>(whole) - (including ? 1 : 0));
    }
  }
}

}  // namespace

template <typename T>
Borders<T> MakeBorders(const std::vector<double>& given, BorderSide side) {
  Borders<T> borders;
  const auto same = [&](size_t a, size_t b) {
    if (a >= given.size() || b >= given.size()) return false;
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(given[a]) == static_cast<T>(given[b]);
    } else {
      // Between whole numbers there is no value that could have a bucket of its own.
      return given[a] == given[b] && std::floor(given[a]) == given[a];
    }
  };
  for (size_t i = 0; i < given.size(); ++i) {
    // Of a border that stands twice the first is below the value itself, the second is not.
    const bool including =
        same(i, i + 1) || (side == BorderSide::kRight && !(i > 0 && same(i - 1, i)));
    AddBorder(given[i], including, &borders);
  }
  borders.count = borders.sorted.size();
  size_t padded = 1;
  while (padded - 1 < borders.count) padded *= 2;
  using Limits = std::numeric_limits<T>;
  borders.sorted.resize(padded - 1, Limits::has_infinity ? Limits::infinity() : Limits::max());
  return borders;
}

template Borders<float> MakeBorders<float>(const std::vector<double>&, BorderSide);
template Borders<double> MakeBorders<double>(const std::vector<double>&, BorderSide);
template Borders<int64_t> MakeBorders<int64_t>(const std::vector<double>&, BorderSide);

namespace {

template <typename T>
class BucketizeOp : public ElementwiseOp {
 public:
  BucketizeOp(Type input, Borders<T> borders)
      : ElementwiseOp(input, Type::kInt32), borders_(std::move(borders)) {}
  void Run(const void* in, size_t n, void* to) const override {
    auto* const out = static_cast<int32_t*>(to);
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(RunFloat)(borders_, static_cast<const float*>(in), n, out);
    } else if constexpr (std::is_same_v<T, double>) {
      HWY_DYNAMIC_DISPATCH(RunDouble)(borders_, static_cast<const double*>(in), n, out);
    } else if (input() == Type::kInt64) {
      HWY_DYNAMIC_DISPATCH(RunInt64)(borders_, static_cast<const int64_t*>(in), n, out);
    } else {
      HWY_DYNAMIC_DISPATCH(RunInt32)(borders_, static_cast<const int32_t*>(in), n, out);
    }
  }

 private:
  Borders<T> borders_;
};

}  // namespace

ElementwisePtr MakeBucketize(const TransformStep& step, Type input) {
  return OfTransformType(input, [&](auto type) -> ElementwisePtr {
    using Own = decltype(type);
    using T = std::conditional_t<std::is_floating_point_v<Own>, Own, int64_t>;
    return std::make_shared<BucketizeOp<T>>(input, MakeBorders<T>(step.borders, step.side));
  });
}

}  // namespace dsi::internal
#endif
