// sigrid_hash and modulus (T-020, T-021), with vectors where they have 64-bit multiplication and
// conversion (AVX-512), and where four of them make up for lacking both (AVX2).
//
// With AVX-512 the quotient is estimated in floating point, twice. For d >= 2 the first estimate is
// off by at most 2^-51 of |x / d| and one more, so what it leaves is below (2^12 + 2) d; the second
// one is off by less than one.
//
// With AVX2 it is long division by d <= 2^31, in base 2^32. The upper digit, which has the sign,
// goes through floating point exactly: (upper + 1/2) / d is 1/2d from any whole number, and what is
// computed is off by 2^-21 / d. Of y = rest * 2^32 + lower, below 2^32 d, the quotient is estimated
// from below, by less than 2^-16, so that it is right or one too small.
#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/residue_internal.h"

#include <cstring>

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/transform/hash_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

using D = hn::ScalableTag<int64_t>;
using DU = hn::ScalableTag<uint64_t>;
using DF = hn::ScalableTag<double>;

#if HWY_TARGET <= HWY_AVX3

class Divisor {
 public:
  explicit Divisor(int64_t divisor)
      : divisor_(hn::Set(D(), divisor)),
        inverse_(hn::Set(DF(), 1.0 / static_cast<double>(divisor))) {}
  static bool Takes(int64_t divisor) { return divisor != 1; }

  HWY_INLINE hn::Vec<D> Residue(hn::Vec<D> x) const {
    const D d;
    const DF df;
    const auto zero = hn::Zero(d);
    for (int i = 0; i < 2; ++i) {
      const auto quotient = hn::ConvertTo(d, hn::Mul(hn::ConvertTo(df, x), inverse_));
      x = hn::Sub(x, hn::Mul(quotient, divisor_));
    }
    x = hn::Add(x, hn::IfThenElseZero(hn::Lt(x, zero), divisor_));
    x = hn::Add(x, hn::IfThenElseZero(hn::Lt(x, zero), divisor_));
    return hn::Sub(x, hn::IfThenZeroElse(hn::Lt(x, divisor_), divisor_));
  }

 private:
  hn::Vec<D> divisor_;
  hn::Vec<DF> inverse_;
};

HWY_INLINE hn::Vec<DU> TimesMultiplier(hn::Vec<DU> a) {
  return hn::Mul(a, hn::Set(DU(), kHashMultiplier));
}

#else

constexpr double kTwo52 = 0x1p52;
constexpr uint64_t kBitsOfTwo52 = 0x4330000000000000;  // Whole numbers below stand in the low bits.

// Of the low halves of 64 bits.
HWY_INLINE hn::Vec<DU> TimesLow(hn::Vec<DU> a, hn::Vec<DU> b) {
  const hn::Repartition<uint32_t, DU> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
}

HWY_INLINE hn::Vec<DU> TimesMultiplier(hn::Vec<DU> a) {
  const auto low = hn::Set(DU(), kHashMultiplier & UINT32_MAX);
  const auto high = hn::Set(DU(), kHashMultiplier >> 32);
  const auto middle = hn::Add(TimesLow(a, high), TimesLow(hn::ShiftRight<32>(a), low));
  return hn::Add(TimesLow(a, low), hn::ShiftLeft<32>(middle));
}

class Divisor {
 public:
  explicit Divisor(int64_t divisor)
      : divisor_(hn::Set(DU(), static_cast<uint64_t>(divisor))),
        real_(hn::Set(DF(), static_cast<double>(divisor))),
        inverse_(hn::Set(DF(), 1.0 / static_cast<double>(divisor))),
        from_below_(hn::Set(DF(), (1.0 - 0x1p-49) / static_cast<double>(divisor))) {}
  static bool Takes(int64_t divisor) { return divisor <= int64_t{1} << 31; }

  HWY_INLINE hn::Vec<D> Residue(hn::Vec<D> x) const {
    const DU du;
    const DF df;
    const hn::Repartition<uint32_t, DU> d32;
    const auto bits = hn::BitCast(du, x);
    const auto two52 = hn::Set(df, kTwo52);
    const auto bits52 = hn::Set(du, kBitsOfTwo52);
    const auto signed_bits = hn::Set(du, kBitsOfTwo52 | uint64_t{1} << 31);
    const auto upper = hn::Sub(hn::BitCast(df, hn::Xor(hn::ShiftRight<32>(bits), signed_bits)),
                               hn::Set(df, kTwo52 + 0x1p31));
    const auto lower = hn::And(bits, hn::Set(du, UINT32_MAX));
    const auto half = hn::Mul(hn::Set(df, 0.5), inverse_);
    const auto rest = hn::NegMulAdd(hn::Floor(hn::MulAdd(upper, inverse_, half)), real_, upper);
    const auto y = hn::MulAdd(rest, hn::Set(df, 0x1p32),
                              hn::Sub(hn::BitCast(df, hn::Or(lower, bits52)), two52));
    const auto quotient = hn::Floor(hn::Mul(y, from_below_));
    const auto whole = [&](hn::Vec<DF> v) { return hn::BitCast(du, hn::Add(v, two52)); };
    const auto exact = hn::Or(hn::ShiftLeft<32>(whole(rest)), lower);
    const auto left = hn::Sub(exact, TimesLow(whole(quotient), divisor_));  // Below 2 d.
    const auto less = hn::Sub(left, divisor_);
    return hn::BitCast(D(), hn::Min(hn::BitCast(d32, left), hn::BitCast(d32, less)));
  }

 private:
  hn::Vec<DU> divisor_;
  hn::Vec<DF> real_, inverse_, from_below_;
};

#endif

HWY_INLINE hn::Vec<D> HashVector(hn::Vec<DU> salt, hn::Vec<D> x) {
  auto k = hn::BitCast(DU(), x);
  k = hn::Add(hn::Not(k), hn::ShiftLeft<21>(k));
  k = hn::Xor(k, hn::ShiftRight<24>(k));
  k = hn::Add(k, hn::Add(hn::ShiftLeft<3>(k), hn::ShiftLeft<8>(k)));
  k = hn::Xor(k, hn::ShiftRight<14>(k));
  k = hn::Add(k, hn::Add(hn::ShiftLeft<2>(k), hn::ShiftLeft<4>(k)));
  k = hn::Xor(k, hn::ShiftRight<28>(k));
  k = hn::Add(k, hn::ShiftLeft<31>(k));
  auto a = TimesMultiplier(hn::Xor(k, salt));
  a = hn::Xor(a, hn::ShiftRight<47>(a));
  auto b = TimesMultiplier(hn::Xor(salt, a));
  b = hn::Xor(b, hn::ShiftRight<47>(b));
  return hn::BitCast(D(), TimesMultiplier(b));
}

template <bool kHash>
size_t RunVectors(const int64_t* in, size_t n, uint64_t salt, int64_t divisor, int64_t* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (!Divisor::Takes(divisor)) return 0;
  const Divisor divides(divisor);
  const auto salts = hn::Set(DU(), salt);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto x = hn::LoadU(d, in + i);
    if constexpr (kHash) x = HashVector(salts, x);
    hn::StoreU(divides.Residue(x), d, out + i);
  }
  return i;
}

#else

template <bool kHash>
size_t RunVectors(const int64_t*, size_t, uint64_t, int64_t, int64_t*) {
  return 0;
}

#endif

template <bool kHash>
void Run(const int64_t* in, size_t n, uint64_t salt, const Residue& residue, int64_t* out) {
  for (size_t i = RunVectors<kHash>(in, n, salt, residue.divisor(), out); i < n; ++i) {
    auto x = static_cast<uint64_t>(in[i]);
    if constexpr (kHash) x = Hash128To64(salt, TwangMix64(x));
    out[i] = residue.Of(static_cast<int64_t>(x));
  }
}

template <typename In, typename Out>
void Convert(const In* in, size_t n, Out* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<Out>(in[i]);
}

// int32 or int64 in and out, by way of int64.
void RunResidues(const void* in, bool narrow_in, size_t n, bool hash, uint64_t salt,
                 const Residue& residue, bool narrow_out, void* out) {
  alignas(64) int64_t wide_in[kTransformBlock];
  alignas(64) int64_t wide_out[kTransformBlock];
  const auto* from = static_cast<const int64_t*>(in);
  if (narrow_in) {
    Convert(static_cast<const int32_t*>(in), n, wide_in);
    from = wide_in;
  }
  auto* const to = narrow_out ? wide_out : static_cast<int64_t*>(out);
  if (hash) {
    Run<true>(from, n, salt, residue, to);
  } else {
    Run<false>(from, n, salt, residue, to);
  }
  if (narrow_out) Convert(wide_out, n, static_cast<int32_t*>(out));
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {
namespace {

HWY_EXPORT(RunResidues);

class ResidueOp : public ElementwiseOp {
 public:
  ResidueOp(Type input, bool hash, int64_t salt, int64_t max)
      : ElementwiseOp(input, TypeOfResidues(max)),
        hash_(hash),
        salt_(static_cast<uint64_t>(salt)),
        residue_(max) {}

  void Run(const void* in, size_t n, void* out) const override {
    HWY_DYNAMIC_DISPATCH(RunResidues)
    (in, input() == Type::kInt32, n, hash_, salt_, residue_, output() == Type::kInt32, out);
  }

 private:
  bool hash_;
  uint64_t salt_;
  Residue residue_;
};

}  // namespace

ElementwisePtr MakeSigridHash(const TransformStep& step, Type input) {
  return std::make_shared<ResidueOp>(input, true, step.salt, step.max);
}

ElementwisePtr MakeModulus(const TransformStep& step, Type input) {
  return std::make_shared<ResidueOp>(input, false, 0, step.max);
}

}  // namespace dsi::internal
#endif
