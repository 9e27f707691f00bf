// Rows from their owners against plain loops, on every Highway target of this machine.

#include "dsi/dedup/owner_rows_internal.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

class OwnerRowsTest : public test::SimdTest {};

TEST_P(OwnerRowsTest, AsPlainLoops) {
  test::FastRandom random;
  for (size_t count = 0; count < 100; ++count) {
    const size_t num_owners = 1 + random.Below(40);
    std::vector<uint32_t> codes(num_owners);
    for (uint32_t& code : codes) code = static_cast<uint32_t>(random()) >> random.Below(32);
    std::vector<uint32_t> owners(count);
    for (uint32_t& owner : owners) owner = static_cast<uint32_t>(random.Below(num_owners));
    std::vector<uint32_t> taken(count);
    std::vector<uint32_t> added(count, 7);
    TakeOfOwners(codes, owners, taken.data());
    AddOfOwners(codes, owners, added.data());
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(taken[i], codes[owners[i]]);
      ASSERT_EQ(added[i], codes[owners[i]] + 7);
    }
    uint32_t bits = 0;
    for (const uint32_t code : taken) bits |= code;
    ASSERT_EQ(BitsOfCodes(taken), bits);
    ASSERT_EQ(GreatestCode(taken), count == 0 ? 0 : *std::max_element(taken.begin(), taken.end()));
  }
}

DSI_ON_EVERY_SIMD_TARGET(OwnerRowsTest);

}  // namespace
}  // namespace dsi::internal
