// One case per way to break a rule, each pinned to the code of its error and to the rule that the
// message names.
#include <gtest/gtest.h>

#include "dsi/format/limits.h"
#include "dsi/tests/codecs/broken_nodes.h"

namespace dsi::internal {
namespace {

using namespace test;

TEST(BrokenRulesTest, Frame) {  // E-001, E-002, E-005.
  HandMadeNode node{.width = 4, .count = 3, .payload = Number(1) + Number(2, 4)};
  CheckSound(node.bytes(), 4, 3);
  const auto with = [&](auto change) {
    HandMadeNode copy = node;
    change(&copy);
    return copy.bytes();
  };
  Bytes short_header = node.bytes();
  short_header.resize(15);
  Bytes dirty = node.bytes();
  dirty.back() = std::byte{1};
  Bytes no_padding = node.bytes();
  no_padding.resize(no_padding.size() - 1);
  Bytes huge = node.bytes();
  StoreLE<uint32_t>(&huge[8], 0xFFFFFFFF);
  Check({
      {"empty", {}, 4, 3, "E-001"},
      {"header cut short", short_header, 4, 3, "E-001"},
      {"width 3", with([](auto* n) { n->width = 3; }), 4, 3, "E-001"},
      {"width 0", with([](auto* n) { n->width = 0; }), 4, 3, "E-001"},
      {"width 16", with([](auto* n) { n->width = 16; }), 4, 3, "E-001"},
      {"count 0", with([](auto* n) { n->count = 0; }), 4, 3, "E-001"},
      {"padding not zero", dirty, 4, 3, "E-001"},
      {"padding missing", no_padding, 4, 3, "E-001"},
      {"payload beyond the bytes", huge, 4, 3, "E-001"},
      {"bytes after the node", node.bytes() + Number(0), 4, 3, "E-001"},
      {"param of raw", with([](auto* n) { n->param = 1; }), 4, 3, "E-001"},
      {"flags of raw", with([](auto* n) { n->flags = 1; }), 4, 3, "E-005",
       StatusCode::kUnsupported},
      {"aux of raw", with([](auto* n) { n->aux = 1; }), 4, 3, "E-001"},
      {"another width", node.bytes(), 8, 3, "E-002"},
      {"another count", node.bytes(), 4, 2, "E-002"},
      {"unknown encoding", with([](auto* n) { n->encoding = 100; }), 4, 3, "E-005",
       StatusCode::kUnsupported},
      {"unknown encoding 255", with([](auto* n) { n->encoding = 255; }), 4, 3, "E-005",
       StatusCode::kUnsupported},
  });
}

TEST(BrokenRulesTest, CallerMistakes) {
  const Bytes node = Ones(4, 2);
  Check({{"count 0 asked for", node, 4, 0, "at least 1", StatusCode::kInvalidArgument},
         {"width 5 asked for", node, 5, 2, "1, 2, 4 or 8", StatusCode::kInvalidArgument}});
  DecodeScratch scratch;
  uint32_t codes[2];
  EXPECT_EQ(DecodeSharedCodes(node, 4, 2, 10, &scratch, codes).code(),
            StatusCode::kInvalidArgument);
}

TEST(BrokenRulesTest, Nesting) {  // E-003.
  Bytes node = RawNode(4, {7});
  // Each delta adds a level and a value.
  for (size_t depth = 2; depth <= 7; ++depth) {
    node = HandMadeNode{.encoding = 3, .width = 4, .count = depth, .payload = Number(0) + node}
               .bytes();
    if (depth <= 6) {
      CheckSound(node, 4, depth);
    } else {
      Check({{"seven deep", node, 4, depth, "E-003"}});
    }
  }
}

TEST(BrokenRulesTest, RawAndConstant) {  // E-010, E-011.
  Check({
      {"raw too short", HandMadeNode{.width = 4, .count = 3, .payload = Number(1)}.bytes(), 4, 3,
       "E-010"},
      {"raw too long", HandMadeNode{.width = 4, .count = 3, .payload = Number(1, 16)}.bytes(), 4, 3,
       "E-010"},
      {"constant too short",
       HandMadeNode{.encoding = 1, .width = 4, .count = 3, .payload = Number(1, 4)}.bytes(), 4, 3,
       "E-011"},
      {"constant too long",
       HandMadeNode{.encoding = 1, .width = 4, .count = 3, .payload = Number(1, 9)}.bytes(), 4, 3,
       "E-011"},
      {"constant above its width",
       HandMadeNode{.encoding = 1, .width = 1, .count = 3, .payload = Number(256)}.bytes(), 1, 3,
       "E-011"},
  });
  CheckSound(Same(1, 3, 255), 1, 3);
}

TEST(BrokenRulesTest, Packed) {  // E-020, E-022.
  const auto packed = [](int flags, const Bytes& payload, size_t count) {
    return HandMadeNode{
        .encoding = 2, .width = 4, .flags = flags, .count = count, .payload = payload}
        .bytes();
  };
  CheckSound(packed(0, Number(3) + Number(0b101'001), 2), 4, 2);
  CheckSound(packed(1, Number(9) + Number(3) + Number(0b101'001), 2), 4, 2);
  CheckSound(packed(0, Number(0), 2), 4, 2);
  Check({
      {"flags 2", packed(2, Number(3) + Number(1), 2), 4, 2, "E-005", StatusCode::kUnsupported},
      {"flags 3", packed(3, Number(9) + Number(3) + Number(1), 2), 4, 2, "E-005",
       StatusCode::kUnsupported},
      {"no bit widths", packed(0, {}, 2), 4, 2, "E-020"},
      {"bases cut short", packed(1, Number(9), 2), 4, 2, "E-020"},
      {"bit width above the value's", packed(0, Number(33) + Number(0, 16), 2), 4, 2, "E-020"},
      {"bit width 255", packed(0, Number(255) + Number(0, 64), 2), 4, 2, "E-020"},
      {"block too short", packed(0, Number(3), 2), 4, 2, "E-020"},
      {"block too long", packed(0, Number(3) + Number(1, 16), 2), 4, 2, "E-020"},
      {"full block too short", packed(0, Number(1) + Bytes(120), 1024), 4, 1024, "E-020"},
      {"padding after a base", packed(1, Number(1ULL << 32) + Number(3) + Number(0b101'001), 2), 4,
       2, "E-020"},
      {"padding after the widths", packed(0, Number(3 + 256) + Number(0b101'001), 2), 4, 2,
       "E-020"},
      {"unused bit of the last byte", packed(0, Number(3) + Number(0b1'101'001), 2), 4, 2, "E-022"},
      {"unused byte", packed(0, Number(3) + Number(1ULL << 63), 2), 4, 2, "E-022"},
  });
}

TEST(BrokenRulesTest, Delta) {  // E-030.
  const auto delta = [](const Bytes& payload, size_t count) {
    return HandMadeNode{.encoding = 3, .width = 2, .count = count, .payload = payload}.bytes();
  };
  CheckSound(delta(Number(5) + Ones(2, 2), 3), 2, 3);
  Check({
      {"one value", delta(Number(5), 1), 2, 1, "E-030"},
      {"no first value", delta(Number(5, 4), 3), 2, 3, "E-030"},
      {"first value above the width", delta(Number(65536) + Ones(2, 2), 3), 2, 3, "E-030"},
      {"no child", delta(Number(5), 3), 2, 3, "E-001"},
      {"child of another count", delta(Number(5) + Ones(2, 3), 3), 2, 3, "E-002"},
      {"child of another width", delta(Number(5) + Ones(4, 2), 3), 2, 3, "E-002"},
      {"two children", delta(Number(5) + Ones(2, 2) + Ones(2, 2), 3), 2, 3, "E-001"},
  });
}

TEST(BrokenRulesTest, Runs) {  // E-040.
  const auto runs = [](uint64_t aux, const Bytes& payload) {
    return HandMadeNode{.encoding = 4, .width = 2, .count = 10, .aux = aux, .payload = payload}
        .bytes();
  };
  CheckSound(runs(2, RawNode(4, {3, 7}) + Ones(2, 2)), 2, 10);
  Check({
      {"no runs", runs(0, {}), 2, 10, "E-040"},
      {"more runs than values", runs(11, Ones(4, 11) + Ones(2, 11)), 2, 10, "E-040"},
      {"sum one short", runs(2, RawNode(4, {3, 6}) + Ones(2, 2)), 2, 10, "E-040"},
      {"sum one long", runs(2, RawNode(4, {3, 8}) + Ones(2, 2)), 2, 10, "E-040"},
      {"sum wraps 32 bits", runs(3, RawNode(4, {0x80000000, 0x80000000, 10}) + Ones(2, 3)), 2, 10,
       "E-040"},
      {"an empty run", runs(2, RawNode(4, {0, 10}) + Ones(2, 2)), 2, 10, "E-040"},
      {"lengths of width 2", runs(2, RawNode(2, {3, 7}) + Ones(2, 2)), 2, 10, "E-002"},
      {"values of width 4", runs(2, RawNode(4, {3, 7}) + Ones(4, 2)), 2, 10, "E-002"},
      {"values missing", runs(2, RawNode(4, {3, 7})), 2, 10, "E-001"},
      {"a third child", runs(2, RawNode(4, {3, 7}) + Ones(2, 2) + Ones(2, 2)), 2, 10, "E-001"},
      {"one length too few", runs(2, RawNode(4, {10}) + Ones(2, 2)), 2, 10, "E-002"},
  });
}

TEST(BrokenRulesTest, Dictionary) {  // E-050.
  const auto dictionary = [](uint64_t aux, const Bytes& payload, size_t count = 3) {
    return HandMadeNode{.encoding = 5, .width = 8, .count = count, .aux = aux, .payload = payload}
        .bytes();
  };
  CheckSound(dictionary(2, Ones(8, 2) + RawNode(1, {0, 1, 1})), 8, 3);
  CheckSound(dictionary(2, Ones(8, 2) + RawNode(4, {0, 1, 1})), 8, 3);
  const Bytes packed_codes =
      HandMadeNode{.encoding = 2, .width = 2, .count = 3, .payload = Number(2) + Number(0b10'01'00)}
          .bytes();
  std::vector<uint64_t> late(3000, 1);
  late[2999] = 2;
  Check({
      {"no entries", dictionary(0, Ones(1, 3)), 8, 3, "E-050"},
      {"more entries than values", dictionary(4, Ones(8, 4) + Ones(1, 3)), 8, 3, "E-050"},
      {"code equal to the number of entries", dictionary(2, Ones(8, 2) + RawNode(1, {0, 2, 1})), 8,
       3, "E-050"},
      {"u32 code far out", dictionary(2, Ones(8, 2) + RawNode(4, {0, 1, 0xFFFFFFFF})), 8, 3,
       "E-050"},
      {"packed code out of range", dictionary(2, Ones(8, 2) + packed_codes), 8, 3, "E-050"},
      {"constant code out of range", dictionary(2, Ones(8, 2) + Same(1, 3, 2)), 8, 3, "E-050"},
      {"code out of range in a late block", dictionary(2, Ones(8, 2) + RawNode(2, late), 3000), 8,
       3000, "E-050"},
      {"codes of width 8", dictionary(2, Ones(8, 2) + RawNode(8, {0, 1, 1})), 8, 3, "E-002"},
      {"entries of width 4", dictionary(2, Ones(4, 2) + RawNode(1, {0, 1, 1})), 8, 3, "E-002"},
      {"codes missing", dictionary(2, Ones(8, 2)), 8, 3, "E-001"},
      {"codes of another count", dictionary(2, Ones(8, 2) + RawNode(1, {0, 1})), 8, 3, "E-002"},
  });
}

TEST(BrokenRulesTest, SharedDictionaryNodes) {  // E-051.
  const Bytes node =
      HandMadeNode{.encoding = 6, .width = 8, .count = 2, .payload = RawNode(2, {0, 4})}.bytes();
  const std::vector<uint64_t> entries(5, 1);
  CheckSound(node, 8, 2, {entries.data(), 5, 8});
  Check({{"no dictionary here", node, 8, 2, "E-051"}});
  Check({{"code equal to the number of entries", node, 8, 2, "E-051"}}, {entries.data(), 4, 8});
  Check({{"empty dictionary", node, 8, 2, "E-051"}}, {entries.data(), 0, 8});
  Check({{"dictionary of another width", node, 8, 2, "E-051"}}, {entries.data(), 5, 4});
  Check(
      {{"inside delta",
        HandMadeNode{.encoding = 3, .width = 8, .count = 3, .payload = Number(1) + node}.bytes(), 8,
        3, "E-051"},
       {"inside a frame",
        HandMadeNode{.encoding = 11,
                     .width = 8,
                     .param = 1,
                     .count = 2,
                     .aux = node.size(),
                     .payload = ZstdFrame(node)}
            .bytes(),
        8, 2, "E-051"},
       {"no codes", HandMadeNode{.encoding = 6, .width = 8, .count = 2}.bytes(), 8, 2, "E-001"},
       {"two children",
        HandMadeNode{
            .encoding = 6, .width = 8, .count = 2, .payload = RawNode(2, {0, 4}) + Ones(1, 2)}
            .bytes(),
        8, 2, "E-001"},
       {"codes of width 8",
        HandMadeNode{.encoding = 6, .width = 8, .count = 2, .payload = RawNode(8, {0, 4})}.bytes(),
        8, 2, "E-002"}},
      {entries.data(), 5, 8});
  DecodeScratch scratch;
  uint32_t codes[3];
  EXPECT_EQ(DecodeSharedCodes(node, 8, 2, 4, &scratch, codes).code(), kCorrupt);
  EXPECT_TRUE(DecodeSharedCodes(node, 8, 2, 5, &scratch, codes).ok());

  const auto with = [](const Bytes& children, uint32_t literals) {
    return HandMadeNode{.encoding = 6, .width = 8, .count = 3, .aux = literals, .payload = children}
        .bytes();
  };
  const Bytes sound = with(RawNode(1, {0, 5, 5}) + RawNode(8, {7, 9}), 2);
  CheckSound(sound, 8, 3, {entries.data(), 5, 8});
  CheckSound(with(RawNode(1, {0, 0, 0}) + RawNode(8, {7, 8, 9}), 3), 8, 3, {entries.data(), 0, 8});
  EXPECT_TRUE(DecodeSharedCodes(sound, 8, 3, 5, &scratch, codes).ok());
  const std::vector<Case> cases = {
      {"more literals than values", with(RawNode(1, {5, 5, 5}) + RawNode(8, {7, 8, 9, 9}), 4), 8, 3,
       "E-051"},
      {"more literals than codes", with(RawNode(1, {0, 0, 5}) + RawNode(8, {7, 9}), 2), 8, 3,
       "E-051"},
      {"fewer literals than codes", with(RawNode(1, {5, 5, 5}) + RawNode(8, {7, 9}), 2), 8, 3,
       "E-051"},
      {"code behind that of literals", with(RawNode(1, {6, 5, 5}) + RawNode(8, {7, 9}), 2), 8, 3,
       "E-051"},
      {"literals that are not stated", with(RawNode(1, {0, 5, 5}) + RawNode(8, {7, 9}), 0), 8, 3,
       "E-001"},
      {"no literals", with(RawNode(1, {0, 5, 5}), 2), 8, 3, "E-001"},
      {"literals of another width", with(RawNode(1, {0, 5, 5}) + RawNode(4, {7, 9}), 2), 8, 3,
       "E-002"},
  };
  Check(cases, {entries.data(), 5, 8});
  for (const Case& c : cases)
    EXPECT_EQ(DecodeSharedCodes(c.node, 8, 3, 5, &scratch, codes).code(), kCorrupt) << c.what;
}

TEST(BrokenRulesTest, Sparse) {  // E-070.
  const auto sparse = [](uint64_t aux, const Bytes& payload) {
    return HandMadeNode{.encoding = 8, .width = 2, .count = 10, .aux = aux, .payload = payload}
        .bytes();
  };
  CheckSound(sparse(2, Number(5) + RawNode(4, {0, 9}) + Ones(2, 2)), 2, 10);
  Check({
      {"no exceptions", sparse(0, Number(5)), 2, 10, "E-070"},
      {"all exceptions",
       sparse(10, Number(5) + RawNode(4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) + Ones(2, 10)), 2, 10,
       "E-070"},
      {"default above the width", sparse(2, Number(65536) + RawNode(4, {0, 9}) + Ones(2, 2)), 2, 10,
       "E-070"},
      {"positions fall", sparse(2, Number(5) + RawNode(4, {9, 0}) + Ones(2, 2)), 2, 10, "E-070"},
      {"positions repeat", sparse(2, Number(5) + RawNode(4, {9, 9}) + Ones(2, 2)), 2, 10, "E-070"},
      {"position equal to count", sparse(2, Number(5) + RawNode(4, {0, 10}) + Ones(2, 2)), 2, 10,
       "E-070"},
      {"first of falling positions far out",
       sparse(2, Number(5) + RawNode(4, {0xFFFFFFFF, 1}) + Ones(2, 2)), 2, 10, "E-070"},
      {"positions of width 8", sparse(2, Number(5) + RawNode(8, {0, 9}) + Ones(2, 2)), 2, 10,
       "E-002"},
      {"payload cut short", sparse(2, Number(5, 7)), 2, 10, "E-070"},
  });
}

TEST(BrokenRulesTest, Split) {  // E-080.
  const auto split = [](int r, uint64_t s, const Bytes& payload, int width = 4) {
    return HandMadeNode{
        .encoding = 9, .width = width, .param = r, .count = 2, .aux = s, .payload = payload}
        .bytes();
  };
  CheckSound(split(4, 20, Same(1, 2, 255) + Same(1, 2, 15)), 4, 2);
  CheckSound(split(0, 24, Same(1, 2, 255)), 4, 2);
  CheckSound(split(9, 0, Same(4, 2, (1 << 23) - 1) + Same(2, 2, 511)), 4, 2);
  Check({
      {"r + s is the width", split(12, 20, Same(1, 2, 0) + Same(2, 2, 0)), 4, 2, "E-080"},
      {"s is the width", split(0, 32, Same(1, 2, 0)), 4, 2, "E-080"},
      {"s is huge", split(1, 0xFFFFFFFF, Same(1, 2, 0) + Same(1, 2, 0)), 4, 2, "E-080"},
      {"r is 255", split(255, 0, Same(1, 2, 0) + Same(8, 2, 0)), 4, 2, "E-080"},
      {"high part one bit too large", split(4, 20, Same(2, 2, 256) + Same(1, 2, 15)), 4, 2,
       "E-080"},
      {"low part one bit too large", split(4, 20, Same(1, 2, 255) + Same(1, 2, 16)), 4, 2, "E-080"},
      {"high part wider than the node", split(4, 0, Same(4, 2, 0) + Same(1, 2, 0), 2), 2, 2,
       "E-002"},
      {"low part of a width too large", split(4, 0, Same(1, 2, 0) + Same(2, 2, 0)), 4, 2, "E-002"},
      {"low part missing", split(4, 0, Same(1, 2, 0)), 4, 2, "E-001"},
      {"low part where r is 0", split(0, 0, Same(1, 2, 0) + Same(1, 2, 0)), 4, 2, "E-001"},
  });
  const auto with_sign = [](int flags, int r, uint64_t s, const Bytes& payload) {
    return HandMadeNode{.encoding = 9,
                        .width = 4,
                        .param = r,
                        .flags = flags,
                        .count = 2,
                        .aux = s,
                        .payload = payload}
        .bytes();
  };
  CheckSound(with_sign(1, 24, 0, Same(1, 2, 255) + Same(4, 2, (1 << 24) - 1)), 4, 2);
  CheckSound(with_sign(1, 1, 0, Same(4, 2, 0x7FFFFFFF) + Same(1, 2, 1)), 4, 2);
  Check({
      {"flags 2", with_sign(2, 24, 0, Same(1, 2, 1) + Same(4, 2, 1)), 4, 2, "E-005",
       StatusCode::kUnsupported},
      {"sign without a low part", with_sign(1, 0, 0, Same(4, 2, 1)), 4, 2, "E-080"},
      {"high part that reaches the sign", with_sign(1, 24, 0, Same(2, 2, 256) + Same(4, 2, 1)), 4,
       2, "E-080"},
      {"low part above the sign", with_sign(1, 23, 1, Same(1, 2, 1) + Same(4, 2, 1 << 23)), 4, 2,
       "E-080"},
  });
}

TEST(BrokenRulesTest, Skewed) {  // E-110.
  const auto table = [](std::vector<uint64_t> bases, std::vector<uint64_t> bits) {
    bases.resize(8);
    bits.resize(8);
    Bytes bytes;
    for (const uint64_t base : bases) bytes = bytes + Number(base);
    for (const uint64_t b : bits) bytes = bytes + Number(b, 1);
    return bytes;
  };
  const auto skewed = [](int classes, const Bytes& payload, int width = 2) {
    return HandMadeNode{
        .encoding = 12, .width = width, .param = classes, .count = 4, .payload = payload}
        .bytes();
  };
  const Bytes sound = table({0, 100}, {2, 16});
  const Bytes selectors = RawNode(1, {0, 1, 0, 1});
  const Bytes words = RawNode(8, {0xFFFFFFFFF});  // 36 bits.
  CheckSound(skewed(2, sound + selectors + words), 2, 4);
  CheckSound(skewed(2, table({7, 9}, {0, 0}) + selectors), 2, 4);
  CheckSound(skewed(8, table({1, 2, 3, 4, 5, 6, 7, 8}, {}) + RawNode(1, {7, 0, 6, 1})), 2, 4);
  Check({
      {"one class", skewed(1, sound + Same(1, 4, 0) + RawNode(8, {1})), 2, 4, "E-110"},
      {"nine classes", skewed(9, sound + selectors + words), 2, 4, "E-110"},
      {"table cut short", skewed(2, Number(0)), 2, 4, "E-110"},
      {"base above the width", skewed(2, table({0, 65536}, {2, 16}) + selectors + words), 2, 4,
       "E-110"},
      {"offsets wider than the node", skewed(2, table({0, 100}, {2, 17}) + selectors + words), 2, 4,
       "E-110"},
      {"offsets of 25 bits", skewed(2, table({0, 100}, {2, 25}) + selectors + words, 4), 4, 4,
       "E-110"},
      {"offsets of 57 bits",
       skewed(2, table({0, 100}, {0, 57}) + selectors + RawNode(8, {1, 1}), 8), 8, 4, "E-110"},
      {"a third class", skewed(2, table({0, 100, 1}, {2, 16}) + selectors + words), 2, 4, "E-110"},
      {"bits of a third class", skewed(2, table({0, 100}, {2, 16, 1}) + selectors + words), 2, 4,
       "E-110"},
      {"selector 2 of 2", skewed(2, sound + RawNode(1, {0, 1, 0, 2}) + words), 2, 4, "E-110"},
      {"selectors of width 2", skewed(2, sound + RawNode(2, {0, 1, 0, 1}) + words), 2, 4, "E-002"},
      {"a word too many", skewed(2, sound + selectors + RawNode(8, {1, 0})), 2, 4, "E-002"},
      {"words where none are needed", skewed(2, table({7, 9}, {0, 0}) + selectors + words), 2, 4,
       "E-001"},
      {"words missing", skewed(2, sound + selectors), 2, 4, "E-001"},
      {"a bit after the last", skewed(2, sound + selectors + RawNode(8, {uint64_t{1} << 36})), 2, 4,
       "E-110"},
  });
}

}  // namespace
}  // namespace dsi::internal
