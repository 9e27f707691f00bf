// The bytes of packed blocks, computed bit by bit from the words of the spec and not by the code
// under test.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

void SetBit(Bytes* bytes, size_t byte, size_t bit, bool value) {
  if (value) (*bytes)[byte] |= static_cast<std::byte>(1U << bit);
}

// E-021: number i is number i / L of lane i mod L; word w of lane j stands at byte (w * L + j) *
// width.
Bytes NaiveFullBlock(const std::vector<uint64_t>& numbers, size_t bits, size_t width) {
  Bytes block(128 * bits);
  const size_t t = 8 * width;
  const size_t lanes = 1024 / t;
  for (size_t i = 0; i < 1024; ++i) {
    const size_t lane = i % lanes;
    for (size_t k = 0; k < bits; ++k) {
      const size_t in_lane = i / lanes * bits + k;
      const size_t word = in_lane / t;
      const size_t in_word = in_lane % t;
      SetBit(&block, (word * lanes + lane) * width + in_word / 8, in_word % 8,
             (numbers[i] >> k & 1) != 0);
    }
  }
  return block;
}

// E-022: number i occupies bits i * b and up of a little-endian bit stream, padded to 8 bytes.
Bytes NaiveShortBlock(const std::vector<uint64_t>& numbers, size_t bits) {
  Bytes block(AlignUp((numbers.size() * bits + 7) / 8, 8));
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t k = 0; k < bits; ++k) {
      SetBit(&block, (i * bits + k) / 8, (i * bits + k) % 8, (numbers[i] >> k & 1) != 0);
    }
  }
  return block;
}

uint64_t Mask(size_t bits) { return bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits); }

// E-020: bases if any, bit widths, blocks.
Bytes NaivePacked(const std::vector<std::vector<uint64_t>>& blocks, const std::vector<size_t>& bits,
                  const std::vector<uint64_t>& bases, int width) {
  HandMadeNode node{.encoding = 2, .width = width, .flags = bases.empty() ? 0 : 1, .count = 0};
  for (const uint64_t base : bases)
    node.payload = node.payload + Number(base, static_cast<size_t>(width));
  PadTo(&node.payload, 8);
  for (const size_t b : bits) node.payload.push_back(static_cast<std::byte>(b));
  PadTo(&node.payload, 8);
  for (size_t i = 0; i < blocks.size(); ++i) {
    node.count += blocks[i].size();
    node.payload =
        node.payload + (blocks[i].size() == 1024
                            ? NaiveFullBlock(blocks[i], bits[i], static_cast<size_t>(width))
                            : NaiveShortBlock(blocks[i], bits[i]));
  }
  return node.bytes();
}

TEST(BitLayoutTest, EveryBitWidthBothWays) {
  std::mt19937_64 random(1);
  for (const int width : {1, 2, 4, 8}) {
    for (size_t bits = 0; bits <= 8 * static_cast<size_t>(width); ++bits) {
      for (const size_t count :
           {size_t{1}, size_t{7}, size_t{64}, size_t{1023}, size_t{1024}, size_t{1100}}) {
        std::vector<std::vector<uint64_t>> blocks;
        std::vector<uint64_t> all;
        for (size_t left = count; left != 0;) {
          std::vector<uint64_t> block(std::min<size_t>(left, 1024));
          for (uint64_t& number : block) number = random() & Mask(bits);
          // One number takes all bits, so that a writer has no smaller width; zero keeps it from
          // using a base.
          block[0] = Mask(bits);
          if (block.size() > 1) block[1] = 0;
          left -= block.size();
          all.insert(all.end(), block.begin(), block.end());
          blocks.push_back(std::move(block));
        }
        const Bytes expected =
            NaivePacked(blocks, std::vector<size_t>(blocks.size(), bits), {}, width);
        const Array array(width, all);
        std::vector<uint8_t> decoded;
        const Status status = Decode(expected, width, count, &decoded);
        ASSERT_TRUE(status.ok()) << status.ToString();
        ASSERT_TRUE(SameBytes(decoded, array))
            << "E-021, E-022: width " << width << " bits " << bits;
        // A lone number, or a signed range that is smaller, may be written with a base instead.
        const Bytes written = Encode(array, Plan(Encoding::kPacked));
        const bool follows_plan = written[0] == std::byte{2} && written[3] == std::byte{0};
        if (follows_plan) {
          ASSERT_EQ(written, expected) << "E-021, E-022: width " << width << " bits " << bits;
        }
        if (count >= 64 && bits < 8 * static_cast<size_t>(width)) {
          EXPECT_TRUE(follows_plan) << bits << ' ' << count;
        }
      }
    }
  }
}

// Bases are added modulo 2^(8 * width), per block.
TEST(BitLayoutTest, E004E020BasesWrapAround) {
  for (const int width : {1, 2, 4, 8}) {
    const uint64_t limit = Mask(8 * static_cast<size_t>(width));
    std::vector<std::vector<uint64_t>> numbers = {std::vector<uint64_t>(1024),
                                                  std::vector<uint64_t>(5)};
    for (size_t i = 0; i < 1024; ++i) numbers[0][i] = i % 8;
    for (size_t i = 0; i < 5; ++i) numbers[1][i] = i;
    const std::vector<uint64_t> bases = {limit - 2, limit};
    std::vector<uint64_t> values;
    for (size_t b = 0; b < 2; ++b) {
      for (const uint64_t number : numbers[b]) values.push_back((bases[b] + number) & limit);
    }
    const Bytes node = NaivePacked(numbers, {3, 3}, bases, width);
    std::vector<uint8_t> decoded;
    ASSERT_TRUE(Decode(node, width, values.size(), &decoded).ok());
    EXPECT_TRUE(SameBytes(decoded, Array(width, values)));
    // Small negative numbers around zero take the same bytes, found from the data.
    EXPECT_EQ(Encode(Array(width, values), Plan(Encoding::kPacked)), node) << width;
  }
}

// Every other encoding once, byte by byte.
TEST(BitLayoutTest, NodesByHand) {
  struct Case {
    const char* rule;
    Bytes node;
    std::vector<uint64_t> values;
    EncodePlan plan;
  };
  const EncodePlan raw = Plan(Encoding::kRaw);
  const std::vector<Case> cases = {
      {"E-010", RawNode(2, {1, 2, 0xFFFF}), {1, 2, 0xFFFF}, raw},
      {"E-011",
       HandMadeNode{.encoding = 1, .width = 2, .count = 5, .payload = Number(513)}.bytes(),
       {513, 513, 513, 513, 513},
       Plan(Encoding::kConstant)},
      // Differences of -3 are 5.
      {"E-030",
       HandMadeNode{
           .encoding = 3,
           .width = 2,
           .count = 40,
           .payload =
               Number(100) +
               HandMadeNode{.encoding = 1, .width = 2, .count = 39, .payload = Number(5)}.bytes()}
           .bytes(),
       Generate(40, [](size_t i) { return 100 - 3 * i; }),
       Plan(Encoding::kDelta, {Plan(Encoding::kConstant)})},
      {"E-040",
       HandMadeNode{.encoding = 4,
                    .width = 2,
                    .count = 40,
                    .aux = 2,
                    .payload = RawNode(4, {39, 1}) + RawNode(2, {7, 9})}
           .bytes(),
       [] {
         std::vector<uint64_t> values(39, 7);
         values.push_back(9);
         return values;
       }(),
       Plan(Encoding::kRuns, {raw, raw})},
      {"E-070",
       HandMadeNode{.encoding = 8,
                    .width = 2,
                    .count = 50,
                    .aux = 1,
                    .payload = Number(3) + RawNode(4, {48}) + RawNode(2, {500})}
           .bytes(),
       [] {
         std::vector<uint64_t> values(50, 3);
         values[48] = 500;
         return values;
       }(),
       Plan(Encoding::kSparse, {raw, raw})},
  };
  for (const Case& c : cases) {
    const Array array(2, c.values);
    std::vector<uint8_t> decoded;
    const Status status = Decode(c.node, 2, c.values.size(), &decoded);
    ASSERT_TRUE(status.ok()) << c.rule << ": " << status.ToString();
    EXPECT_TRUE(SameBytes(decoded, array)) << c.rule;
    EXPECT_EQ(Encode(array, c.plan), c.node) << c.rule;
  }
}

// Differences +2, -1, 0 are 4, 1, 0. As a node of so few values takes more bytes than raw ones, no
// writer makes it.
TEST(BitLayoutTest, E030DifferencesByHand) {
  const Bytes node =
      HandMadeNode{
          .encoding = 3, .width = 2, .count = 4, .payload = Number(10) + RawNode(2, {4, 1, 0})}
          .bytes();
  std::vector<uint8_t> decoded;
  const Status status = Decode(node, 2, 4, &decoded);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const Array array(2, {10, 12, 11, 11});
  EXPECT_TRUE(SameBytes(decoded, array));
  EXPECT_EQ(Encode(array, Plan(Encoding::kDelta, {Plan(Encoding::kRaw)})),
            RawNode(2, {10, 12, 11, 11}));
}

// E-080.
TEST(BitLayoutTest, SplitByHand) {
  // (high << 3 | low) << 4.
  const Bytes split = HandMadeNode{.encoding = 9,
                                   .width = 4,
                                   .param = 3,
                                   .count = 2,
                                   .aux = 4,
                                   .payload = RawNode(2, {0x100, 0x1FF}) + RawNode(1, {5, 7})}
                          .bytes();
  std::vector<uint8_t> decoded;
  const Status status = Decode(split, 4, 2, &decoded);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(SameBytes(decoded, Array(4, {(0x100U << 3 | 5U) << 4, (0x1FFU << 3 | 7U) << 4})));
}

}  // namespace
}  // namespace dsi::internal
