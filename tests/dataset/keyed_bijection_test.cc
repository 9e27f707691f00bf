#include "dsi/dataset/order/keyed_bijection_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <vector>

namespace dsi::internal {
namespace {

std::vector<uint64_t> All(const KeyedBijection& bijection) {
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < bijection.size(); ++i) all.push_back(bijection.At(i));
  return all;
}

// Distance of counts from equal ones in standard deviations of the chi-square distribution.
double ChiSquare(const std::vector<uint64_t>& counts, double expected) {
  double sum = 0;
  for (const uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(KeyedBijection, IsAPermutationOfAnySize) {
  for (uint64_t n = 0; n <= 2000; ++n) {
    for (const uint64_t key : {0ULL, 1ULL, ~0ULL}) {
      const KeyedBijection bijection(key, n);
      std::vector<bool> seen(n, false);
      for (uint64_t i = 0; i < n; ++i) {
        const uint64_t at = bijection.At(i);
        ASSERT_LT(at, n);
        ASSERT_FALSE(seen[at]) << "DO-003: " << n;
        seen[at] = true;
        ASSERT_EQ(bijection.Inverse(at), i);
      }
    }
  }
}

TEST(KeyedBijection, GoesThereAndBackAtAnySize) {
  for (const uint64_t n :
       std::initializer_list<uint64_t>{(1ULL << 24) + 1, (1ULL << 32) - 1, 10'000'000'000ULL,
                                       KeyedBijection::kMaxSize - 1, KeyedBijection::kMaxSize}) {
    const KeyedBijection bijection(7, n);
    for (uint64_t k = 0; k < 1000; ++k) {
      const uint64_t i = k < 500 ? k : n - 1 - (k - 500);
      const uint64_t at = bijection.At(i);
      ASSERT_LT(at, n);
      ASSERT_EQ(bijection.Inverse(at), i);
    }
  }
}

// Of few units all orders come, equally often.
TEST(KeyedBijection, ReachesAllOrdersOfFew) {
  for (uint64_t n = 2; n <= 8; ++n) {
    std::map<std::vector<uint64_t>, uint64_t> seen;
    uint64_t orders = 1;
    for (uint64_t i = 2; i <= n; ++i) orders *= i;
    const uint64_t each = n < 7 ? 100 : 7;
    for (uint64_t epoch = 0; epoch < orders * each; ++epoch) {
      const uint64_t key = OrderKey(OrderPurpose::kUnits, {.epoch = epoch}, 5, 0);
      ++seen[All(KeyedBijection(key, n))];
    }
    std::vector<uint64_t> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    counts.resize(orders);  // Those that never came.
    EXPECT_LT(ChiSquare(counts, static_cast<double>(each)), 5) << n;
  }
}

// Where each unit goes is even over epochs, also of sizes that are no squares or powers.
TEST(KeyedBijection, PutsEachEverywhere) {
  for (const uint64_t n : {7ULL, 16ULL, 37ULL, 100ULL, 257ULL}) {
    const uint64_t each = 100;
    std::vector<uint64_t> counts(n * n);
    for (uint64_t epoch = 0; epoch < n * each; ++epoch) {
      const KeyedBijection bijection(OrderKey(OrderPurpose::kUnits, {.epoch = epoch}, 0, 0), n);
      for (uint64_t i = 0; i < n; ++i) ++counts[i * n + bijection.At(i)];
    }
    EXPECT_LT(std::abs(ChiSquare(counts, each)), 5) << n;
  }
}

// So are pairs, at the least sizes of few and of many rounds.
TEST(KeyedBijection, PutsPairsEverywhere) {
  for (const uint64_t n : {17ULL, 255ULL, 256ULL, 301ULL}) {
    const uint64_t epochs = n * n * 5;
    for (const uint64_t step : {1ULL, 16ULL}) {  // 16: the same remainder, where low is 16.
      std::vector<uint64_t> counts(n * n);
      for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
        const KeyedBijection bijection(OrderKey(OrderPurpose::kUnits, {.epoch = epoch}, 0, 0), n);
        ++counts[bijection.At(0) * n + bijection.At(step)];
      }
      std::erase(counts, 0U);  // Pairs of one place.
      counts.resize(n * (n - 1));
      EXPECT_LT(std::abs(ChiSquare(counts, double(epochs) / double(n * (n - 1)))), 5) << n;
    }
  }
}

// Of a permutation at random one pair of neighbours in n/2 stays together.
TEST(KeyedBijection, PartsNeighbours) {
  const uint64_t n = 1000;
  std::vector<uint64_t> differences(n);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const KeyedBijection bijection(OrderKey(OrderPurpose::kUnits, {.seed = seed}, 0, 0), n);
    for (uint64_t i = 0; i + 1 < n; ++i) {
      ++differences[(bijection.At(i + 1) + n - bijection.At(i)) % n];
    }
  }
  EXPECT_EQ(differences[0], 0U);
  differences.erase(differences.begin());
  EXPECT_LT(std::abs(ChiSquare(differences, 200.0)), 5);
}

// Another bit of any part of the key, and half of the bits of places are others.
TEST(KeyedBijection, EveryBitOfTheKeyCounts) {
  const uint64_t n = 1 << 16;
  const auto place = [&](const OrderOptions& options, uint64_t snapshot, uint64_t index) {
    return KeyedBijection(OrderKey(OrderPurpose::kWindow, options, snapshot, index), n).At(12345);
  };
  uint64_t flipped = 0;
  uint64_t asked = 0;
  for (int bit = 0; bit < 64; ++bit) {
    for (uint64_t base = 0; base < 50; ++base) {
      const uint64_t other = base ^ (1ULL << bit);
      for (const uint64_t change :
           {place({.seed = base}, 1, 2) ^ place({.seed = other}, 1, 2),
            place({.epoch = base}, 1, 2) ^ place({.epoch = other}, 1, 2),
            place({}, base, 2) ^ place({}, other, 2), place({}, 1, base) ^ place({}, 1, other)}) {
        flipped += static_cast<uint64_t>(std::popcount(change));
        asked += 16;
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(flipped) / static_cast<double>(asked), 0.5, 0.01);
  const OrderOptions swapped{.seed = 2, .epoch = 1};
  EXPECT_NE(place({.seed = 1, .epoch = 2}, 1, 2), place(swapped, 1, 2)) << "DO-002";
}

// The first numbers of a SplitMix64 generator begun at 1234567, as published with it.
TEST(KeyedBijection, MixesAsSplitMix64) {
  EXPECT_EQ(SplitMix64(1234567, 1), 6457827717110365317ULL) << "DO-001";
  EXPECT_EQ(SplitMix64(1234567, 2), 3203168211198807973ULL);
  EXPECT_EQ(SplitMix64(1234567, 3), 9817491932198370423ULL);
}

}  // namespace
}  // namespace dsi::internal
