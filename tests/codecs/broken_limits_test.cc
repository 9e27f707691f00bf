// Sizes that no page reaches and no kernel takes. They are refused by what headers say: the memory
// that decoding them would need is never there.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

constexpr uint64_t kTwo31 = uint64_t{1} << 31;

std::string MessageOf(const HandMadeNode& node, size_t entries = 0) {
  DecodeScratch scratch;
  uint64_t word = 0;
  const Status status = DecodeNode(node.bytes(), node.width, node.count,
                                   {&word, entries, node.width}, &scratch, &word);
  EXPECT_FALSE(TookMemory(&scratch));
  return status.message();
}

TEST(BrokenLimitsTest, Dictionary) {  // E-050.
  HandMadeNode node = {
      .encoding = 5, .width = 1, .count = 0xFFFFFFFF, .aux = kTwo31, .payload = RawNode(1, {7})};
  EXPECT_EQ(MessageOf(node), "node: 1 values of width 1, expected 2147483648 of width 1 (E-002)");
  node.aux = kTwo31 + 1;
  EXPECT_EQ(MessageOf(node), "dictionary: 2147483649 entries, expected 1 to 2147483648 (E-050)");
}

TEST(BrokenLimitsTest, SharedDictionary) {  // E-051.
  const HandMadeNode node = {.encoding = 6, .width = 4, .count = 2, .payload = RawNode(1, {0})};
  EXPECT_EQ(MessageOf(node, kTwo31 - 1),
            "node: 1 values of width 1, expected 2 of width at most 4 (E-002)");
  const std::string refused =
      "shared dictionary: 2147483648 entries, expected below 2147483648 (E-051)";
  EXPECT_EQ(MessageOf(node, kTwo31), refused);
  DecodeScratch scratch;
  uint32_t codes[2];
  EXPECT_EQ(DecodeSharedCodes(node.bytes(), 4, 2, kTwo31, &scratch, codes).message(), refused);
}

}  // namespace
}  // namespace dsi::internal
