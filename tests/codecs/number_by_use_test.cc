// Numbers by use, against a plain sort (D-002, E-110).
#include "dsi/codecs/dictionary/number_by_use_internal.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace dsi::internal {
namespace {

std::vector<uint32_t> PlainOrder(const std::vector<uint32_t>& uses) {
  std::vector<uint32_t> order(uses.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  return order;
}

// Counts below, at and above the one from which numbers are sorted in another way.
TEST(NumberByUse, IsAStableSort) {
  std::mt19937 random(5);
  for (const uint32_t least : {0U, 1000U, 1020U, 1024U, 5000U}) {
    for (const uint32_t range : {1U, 2U, 30U, 5000U}) {
      for (const size_t count : {0, 1, 2, 700, 3000}) {
        std::vector<uint32_t> uses(count);
        for (uint32_t& n : uses) n = least + static_cast<uint32_t>(random() % range);
        const NumbersByUse numbers = NumberByUse(uses);
        ASSERT_EQ(numbers.order, PlainOrder(uses)) << least << " " << range << " " << count;
        ASSERT_EQ(numbers.number.size(), count);
        for (uint32_t n = 0; n < count; ++n) ASSERT_EQ(numbers.number[numbers.order[n]], n);
      }
    }
  }
}

TEST(NumberByUse, CodesAndEntriesKeepTheirMeaning) {
  const std::vector<uint32_t> uses = {1, 7, 0, 7, 2000};
  const NumbersByUse numbers = NumberByUse(uses);
  EXPECT_EQ(numbers.Reorder(std::vector<char>{'a', 'b', 'c', 'd', 'e'}),
            (std::vector<char>{'e', 'b', 'd', 'a', 'c'}));
  EXPECT_EQ(numbers.Renumber(std::vector<uint32_t>{0, 4, 3}), (std::vector<uint32_t>{3, 0, 2}));
}

}  // namespace
}  // namespace dsi::internal
