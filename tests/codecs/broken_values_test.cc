// One case per way to break a rule of the encoding that looks at what values mean: decimals.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/broken_nodes.h"

namespace dsi::internal {
namespace {

using namespace test;

TEST(BrokenValuesTest, Decimal) {  // E-120, E-002.
  // Exponent 2, exceptions at 0 and 9.
  const auto decimal = [](int exponent, uint64_t aux, const Bytes& payload, int width = 4,
                          size_t count = 10) {
    return HandMadeNode{.encoding = 13,
                        .width = width,
                        .param = exponent,
                        .count = count,
                        .aux = aux,
                        .payload = payload}
        .bytes();
  };
  const Bytes codes = Ones(1, 10);
  const Bytes exceptions = RawNode(4, {0, 9}) + Ones(4, 2);
  CheckSound(decimal(2, 2, Number(5) + codes + exceptions), 4, 10);
  CheckSound(decimal(10, 0, Number(0xFFFFFFFF) + codes), 4, 10);
  CheckSound(decimal(22, 0, Number(~uint64_t{0}) + Ones(8, 10), 8), 8, 10);
  const uint64_t wide = uint64_t{1} << 51;
  CheckSound(decimal(0, 0, Number((1 << 24) - 2) + codes), 4, 10);
  CheckSound(decimal(0, 0, Number(wide - 2) + codes, 8), 8, 10);
  CheckSound(decimal(0, 0, Number(uint64_t{0} - wide - 1) + codes, 8), 8, 10);
  CheckSound(decimal(0, 0, Number(0xFFFFFFFF - (1 << 24)) + codes), 4, 10);
  std::vector<uint64_t> late(3000, 1);
  late[2999] = uint64_t{1} << 24;
  Check({
      {"width 2", decimal(2, 0, Number(5) + codes, 2), 2, 10, "E-120"},
      {"width 1", decimal(2, 0, Number(5) + codes, 1), 1, 10, "E-120"},
      {"exponent 11 of float32", decimal(11, 0, Number(5) + codes), 4, 10, "E-120"},
      {"exponent 23 of float64", decimal(23, 0, Number(5) + codes, 8), 8, 10, "E-120"},
      {"exponent 255", decimal(255, 0, Number(5) + codes, 8), 8, 10, "E-120"},
      {"as many exceptions as values",
       decimal(2, 10, Number(5) + codes + RawNode(4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) + Ones(4, 10)),
       4, 10, "E-120"},
      {"4 billion exceptions", decimal(2, 0xFFFFFFFF, Number(5) + codes + exceptions), 4, 10,
       "E-120"},
      {"no base", decimal(2, 0, Number(5, 4)), 4, 10, "E-120"},
      {"base above the width", decimal(2, 0, Number(uint64_t{1} << 32) + codes), 4, 10, "E-120"},
      {"integer above 2^24 - 1", decimal(0, 0, Number((1 << 24) - 1) + codes), 4, 10, "E-120"},
      {"integer below -2^24", decimal(0, 0, Number(0xFFFFFFFE - (1 << 24)) + codes), 4, 10,
       "E-120"},
      {"integer above 2^51 - 1", decimal(0, 0, Number(wide - 1) + codes, 8), 8, 10, "E-120"},
      {"integer below -2^51", decimal(0, 0, Number(uint64_t{0} - wide - 2) + codes, 8), 8, 10,
       "E-120"},
      {"integer of 2^63", decimal(0, 0, Number((uint64_t{1} << 63) - 1) + codes, 8), 8, 10,
       "E-120"},
      {"integer out of range in a late block", decimal(0, 0, Number(0) + RawNode(4, late), 4, 3000),
       4, 3000, "E-120"},
      {"positions fall", decimal(2, 2, Number(5) + codes + RawNode(4, {9, 0}) + Ones(4, 2)), 4, 10,
       "E-120"},
      {"positions repeat", decimal(2, 2, Number(5) + codes + RawNode(4, {9, 9}) + Ones(4, 2)), 4,
       10, "E-120"},
      {"position equal to count",
       decimal(2, 2, Number(5) + codes + RawNode(4, {0, 10}) + Ones(4, 2)), 4, 10, "E-120"},
      {"codes wider than the node", decimal(2, 0, Number(5) + Ones(8, 10)), 4, 10, "E-002"},
      {"codes of another count", decimal(2, 0, Number(5) + Ones(1, 9)), 4, 10, "E-002"},
      {"positions of width 8", decimal(2, 2, Number(5) + codes + RawNode(8, {0, 9}) + Ones(4, 2)),
       4, 10, "E-002"},
      {"exceptions of width 8", decimal(2, 2, Number(5) + codes + RawNode(4, {0, 9}) + Ones(8, 2)),
       4, 10, "E-002"},
      {"exceptions missing", decimal(2, 2, Number(5) + codes), 4, 10, "E-001"},
      {"exceptions where aux is 0", decimal(2, 0, Number(5) + codes + exceptions), 4, 10, "E-001"},
  });
}

}  // namespace
}  // namespace dsi::internal
