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

// Where an estimate of a quotient would be one off.
TEST(TransformHashTest, T021AroundMultiplesOfTheDivisor) {
  std::mt19937_64 random(11);
  std::vector<int64_t> divisors = Divisors();
  for (int i = 0; i < 100; ++i) divisors.push_back(static_cast<int64_t>(random() >> 33) + 1);
  for (const int64_t divisor : divisors) {
    const int64_t most = INT64_MAX / divisor - 1;
    std::vector<int64_t> values;
    for (int i = 0; i < 500; ++i) {
      const auto any = static_cast<int64_t>(random() >> random() % 63);
      int64_t multiple = most <= 0 ? 0 : any % most * divisor;
      if (i < 8) multiple = (i < 4 ? most : -most) * divisor;  // The greatest and the least.
      if (i % 3 == 0) multiple = multiple >> 32 << 32;         // Of which the upper half is one.
      for (const int64_t near : {-1, 0, 1}) {
        if (near < 0 && multiple == INT64_MIN) continue;
        values.push_back(multiple + near);
      }
    }
    std::vector<int64_t> moduli;
    for (const int64_t x : values) moduli.push_back(FlooredModulus(x, divisor));
    OnEveryTarget([&] {
      if (divisor <= INT32_MAX) {
        const std::vector<int32_t> narrow(moduli.begin(), moduli.end());
        ASSERT_EQ((Apply<int32_t, int64_t>({Modulus(divisor)}, values) == narrow), true) << divisor;
      } else {
        ASSERT_EQ((Apply<int64_t, int64_t>({Modulus(divisor)}, values) == moduli), true) << divisor;
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
