// map_id (T-024) of keys that a multiplication puts into one corner of a table: every key has its
// value, others the default. Where a table or its look-ups go through all keys, these tests take
// hours.
#include <unordered_set>

#include "dsi/tests/transform/chains.h"

namespace dsi {
namespace {

using namespace test;

// Those of the table, in the order in which they are tried.
constexpr uint64_t kMultipliers[] = {0x9DDFEA08EB382D69, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F,
                                     0xD6E8FEB86659FD93};

uint64_t Product(int64_t key, uint64_t multiplier) {
  const auto bits = static_cast<uint64_t>(key);
  return (bits ^ (bits >> 32)) * multiplier;
}

// The key of this product.
int64_t KeyOf(uint64_t product, uint64_t multiplier) {
  uint64_t inverse = multiplier;  // Right in 3 bits, in twice as many after each round.
  for (int i = 0; i < 5; ++i) inverse *= 2 - multiplier * inverse;
  const uint64_t bits = product * inverse;
  return static_cast<int64_t>(bits ^ (bits >> 32));
}

// Maps all keys and values beside them.
void Check(const std::vector<int64_t>& keys, const std::vector<int64_t>& others) {
  TransformStep step = {.op = TransformOp::kMapId, .keys = keys, .fallback = -7};
  std::vector<int64_t> ids = keys;
  std::vector<int64_t> expected;
  for (size_t i = 0; i < keys.size(); ++i) step.values.push_back(static_cast<int64_t>(i * i));
  expected = step.values;
  const std::unordered_set<int64_t> known(keys.begin(), keys.end());
  for (const int64_t other : others) {
    if (known.contains(other)) continue;
    ids.push_back(other);
    expected.push_back(-7);
  }
  const auto found = Apply<int64_t, int64_t>({step}, ids);
  EXPECT_TRUE(found == expected);
}

TEST(MapIdTest, T024KeysOfOneCorner) {
  constexpr uint64_t kKeys = kMaxTransformKeys;
  std::vector<int64_t> keys;
  std::vector<int64_t> others;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const uint64_t corner = uint64_t{5} << 60;
    keys.push_back(KeyOf(corner | (i * 7919 + 1), kMultipliers[0]));
    others.push_back(KeyOf(corner | (i * 7919 + 2), kMultipliers[0]));
  }
  Check(keys, others);
}

// Each key has its own slot, but they are all in a row, which a value that is no key goes through.
TEST(MapIdTest, T024KeysInARow) {
  constexpr uint64_t kKeys = kMaxTransformKeys;
  std::vector<int64_t> keys;
  std::vector<int64_t> others;
  for (uint64_t i = 0; i < kKeys; ++i) {
    keys.push_back(KeyOf(i << 42, kMultipliers[0]));
    others.push_back(KeyOf(i << 42 | 1, kMultipliers[0]));
  }
  Check(keys, others);
}

// Runs that go around the end of the table.
TEST(MapIdTest, T024KeysAroundTheEnd) {
  std::vector<int64_t> keys;
  std::vector<int64_t> others;
  for (uint64_t i = 0; i < 1000; ++i) {
    keys.push_back(KeyOf(~(i << 20), kMultipliers[0]));
    others.push_back(KeyOf(i << 20, kMultipliers[0]));
  }
  Check(keys, others);
  keys.resize(100);  // Few enough for one run.
  Check(keys, others);
}

// Keys that no multiplier tells apart are searched.
TEST(MapIdTest, T024KeysOfOneCornerOfEveryTable) {
  std::mt19937_64 random(3);
  std::vector<int64_t> keys;
  std::vector<int64_t> others;
  while (keys.size() < 600) {
    const int64_t key = KeyOf(random() >> 3, kMultipliers[0]);
    bool all = true;
    for (const uint64_t multiplier : kMultipliers) all = all && Product(key, multiplier) >> 61 == 0;
    (all ? keys : others).push_back(key);
  }
  others.push_back(INT64_MIN);
  others.push_back(INT64_MAX);
  Check(keys, others);
}

}  // namespace
}  // namespace dsi
