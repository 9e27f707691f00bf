// The usual unique row of each owner, and refusing early where none can be usual enough (D-001).

#include "dsi/dedup/find_parents_internal.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dsi::internal {
namespace {

// Rows that must be exceptions, whichever code each owner is given.
size_t FewestExceptions(const std::vector<uint32_t>& inverse, const std::vector<uint32_t>& owners,
                        uint32_t num_owners) {
  std::vector<std::map<uint32_t, size_t>> counts(num_owners);
  for (size_t row = 0; row < inverse.size(); ++row) ++counts[owners[row]][inverse[row]];
  size_t usual = 0;
  for (const auto& of_owner : counts) {
    size_t most = 0;
    for (const auto& [code, count] : of_owner) most = std::max(most, count);
    usual += most;
  }
  return inverse.size() - usual;
}

TEST(UsualCodes, RefuseOnlyWhatHasMoreExceptions) {
  std::mt19937 random(5);
  size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    const uint32_t num_owners = 1 + random() % 20;
    const uint32_t noise = random() % 100;
    std::vector<uint32_t> owners(1 + random() % 400), inverse(owners.size());
    for (size_t row = 0; row < owners.size(); ++row) {
      owners[row] = random() % num_owners;
      inverse[row] = random() % 100 < noise ? random() % 6 : owners[row] % 6;
    }
    const size_t fewest = FewestExceptions(inverse, owners, num_owners);
    const std::vector<uint32_t> whole = UsualCodes(inverse, owners, num_owners);
    ASSERT_EQ(whole.size(), num_owners);
    for (const size_t most : {size_t{0}, fewest / 2, fewest, fewest + 1, owners.size() / 32}) {
      const std::vector<uint32_t> found = UsualCodes(inverse, owners, num_owners, most);
      if (found.empty()) {
        ++refused;
        EXPECT_GT(fewest, most);
      } else {
        EXPECT_EQ(found, whole);
      }
    }
  }
  EXPECT_GT(refused, 200U);
}

// Every second row of an owner is another one: nothing is usual.
TEST(UsualCodes, AreRefusedBeforeAllRowsAreLookedAt) {
  std::vector<uint32_t> owners(1000, 0), inverse(1000);
  for (uint32_t row = 0; row < 1000; ++row) inverse[row] = row % 2;
  EXPECT_TRUE(UsualCodes(inverse, owners, 1, 499).empty());
  EXPECT_FALSE(UsualCodes(inverse, owners, 1, 500).empty());
}

}  // namespace
}  // namespace dsi::internal
