// sigrid_hash and modulus against published vectors and loops that divide.
#include "dsi/tests/transform/chains.h"
#include "dsi/transform/residue_internal.h"

namespace dsi {
namespace {

using namespace test;

int64_t FlooredModulus(int64_t x, int64_t d) {
  const int64_t rest = x % d;
  return rest < 0 ? rest + d : rest;
}

TransformStep Hash(int64_t salt, int64_t max) {
  return {.op = TransformOp::kSigridHash, .salt = salt, .max = max};
}
TransformStep Modulus(int64_t max) { return {.op = TransformOp::kModulus, .max = max}; }

std::vector<int64_t> Divisors() {
  std::vector<int64_t> divisors = {1,         2,
                                   3,         5,
                                   7,         10,
                                   100,       1'000'000,
                                   INT32_MAX, int64_t{INT32_MAX} + 1,
                                   INT64_MAX, INT64_MAX - 1};
  std::mt19937_64 random(3);
  for (int shift = 2; shift < 63; shift += 3) {
    for (const int near : {-1, 0, 1}) divisors.push_back((int64_t{1} << shift) + near);
    divisors.push_back(static_cast<int64_t>(random() >> 1 >> shift) + 1);
  }
  return divisors;
}

TEST(TransformHashTest, T020PublishedVector) {
  std::vector<int64_t> ids(16);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i) + 1;
  const std::vector<int32_t> expected = {60, 54, 54, 9,  4,  91, 11, 67,
                                         79, 2,  25, 92, 98, 83, 66, 2};
  OnEveryTarget([&] { EXPECT_EQ((Apply<int32_t, int64_t>({Hash(0, 100)}, ids)), expected); });
  const std::vector<int32_t> narrow(ids.begin(), ids.end());
  OnEveryTarget([&] { EXPECT_EQ((Apply<int32_t, int32_t>({Hash(0, 100)}, narrow)), expected); });
}

TEST(TransformHashTest, T020T021ResiduesAreThoseOfDivision) {
  const std::vector<int64_t> values = Samples<int64_t>();
  for (const int64_t divisor : Divisors()) {
    const internal::Residue residue(divisor);
    std::vector<int64_t> moduli;
    std::vector<int64_t> hashes;
    for (const int64_t x : values) {
      ASSERT_EQ(residue.Of(x), FlooredModulus(x, divisor)) << x << " mod " << divisor;
      moduli.push_back(FlooredModulus(x, divisor));
      const uint64_t hash =
          internal::Hash128To64(uint64_t(-9), internal::TwangMix64(static_cast<uint64_t>(x)));
      hashes.push_back(FlooredModulus(static_cast<int64_t>(hash), divisor));
    }
    OnEveryTarget([&] {
      if (divisor <= INT32_MAX) {
        const std::vector<int32_t> narrow(moduli.begin(), moduli.end());
        const std::vector<int32_t> narrow_hashes(hashes.begin(), hashes.end());
        ASSERT_EQ((Apply<int32_t, int64_t>({Modulus(divisor)}, values) == narrow), true) << divisor;
        ASSERT_EQ((Apply<int32_t, int64_t>({Hash(-9, divisor)}, values) == narrow_hashes), true)
            << divisor;
      } else {
        ASSERT_EQ((Apply<int64_t, int64_t>({Modulus(divisor)}, values) == moduli), true) << divisor;
        ASSERT_EQ((Apply<int64_t, int64_t>({Hash(-9, divisor)}, values) == hashes), true)
            << divisor;
      }
    });
  }
}

TEST(TransformHashTest, T021Int32AndPositive) {
  const std::vector<int32_t> values = {-7, -1, 0, 1, 7, INT32_MIN, INT32_MAX};
  OnEveryTarget([&] {
    EXPECT_EQ((Apply<int32_t, int32_t>({Modulus(5)}, values)),
              (std::vector<int32_t>{3, 4, 0, 1, 2, 2, 2}));
    EXPECT_EQ((Apply<int64_t, int32_t>({Modulus(int64_t{1} << 40)}, values))[1],
              (int64_t{1} << 40) - 1);
  });
}

}  // namespace
}  // namespace dsi
