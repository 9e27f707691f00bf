// sigrid_hash and modulus (T-020, T-021). Where vectors have 64-bit multiplication and conversion
// (AVX-512) they do both; elsewhere the multiplication of the CPU is faster than theirs.
//
// With vectors the quotient is estimated in floating point, twice. For d >= 2 the first estimate is
// off by at most 2^-51 of |x / d| and one more, so what it leaves is below (2^12 + 2) d; the second
// one is off by less than one.
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

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

using D = hn::ScalableTag<int64_t>;
using DU = hn::ScalableTag<uint64_t>;
using DF = hn::ScalableTag<double>;

HWY_INLINE hn::Vec<D> HashVector(hn::Vec<DU> salt, hn::Vec<D> x) {
  const DU du;
  auto k = hn::BitCast(du, x);
  const auto multiplier = hn::Set(du, kHashMultiplier);
  k = hn::Add(hn::Not(k), hn::ShiftLeft<21>(k));
  k = hn::Xor(k, hn::ShiftRight<24>(k));
  k = hn::Add(k, hn::Add(hn::ShiftLeft<3>(k), hn::ShiftLeft<8>(k)));
  k = hn::Xor(k, hn::ShiftRight<14>(k));
  k = hn::Add(k, hn::Add(hn::ShiftLeft<2>(k), hn::ShiftLeft<4>(k)));
  k = hn::Xor(k, hn::ShiftRight<28>(k));
  k = hn::Add(k, hn::ShiftLeft<31>(k));
  auto a = hn::Mul(hn::Xor(k, salt), multiplier);
  a = hn::Xor(a, hn::ShiftRight<47>(a));
  auto b = hn::Mul(hn::Xor(salt, a), multiplier);
  b = hn::Xor(b, hn::ShiftRight<47>(b));
  return hn::BitCast(D(), hn::Mul(b, multiplier));
}

HWY_INLINE hn::Vec<D> ResidueVector(hn::Vec<D> x, hn::Vec<D> divisor, hn::Vec<DF> inverse) {
  const D d;
  const DF df;
  const auto zero = hn::Zero(d);
  for (int i = 0; i < 2; ++i) {
    const auto quotient = hn::ConvertTo(d, hn::Mul(hn::ConvertTo(df, x), inverse));
    x = hn::Sub(x, hn::Mul(quotient, divisor));
  }
  x = hn::Add(x, hn::IfThenElseZero(hn::Lt(x, zero), divisor));
  x = hn::Add(x, hn::IfThenElseZero(hn::Lt(x, zero), divisor));
  return hn::Sub(x, hn::IfThenZeroElse(hn::Lt(x, divisor), divisor));
}

template <bool kHash>
size_t RunVectors(const int64_t* in, size_t n, uint64_t salt, int64_t divisor, int64_t* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const auto salts = hn::Set(DU(), salt);
  const auto divisors = hn::Set(d, divisor);
  const auto inverse = hn::Set(DF(), 1.0 / static_cast<double>(divisor));
  if (divisor == 1) return 0;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto x = hn::LoadU(d, in + i);
    if constexpr (kHash) x = HashVector(salts, x);
    hn::StoreU(ResidueVector(x, divisors, inverse), d, out + i);
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
