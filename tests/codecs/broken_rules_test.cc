// One case per way to break a rule, each pinned to the code of its error and to the rule that the
// message names.
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include "dsi/format/limits.h"
#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

constexpr StatusCode kCorrupt = StatusCode::kCorrupt;

Bytes ZstdFrame(const Bytes& raw, bool state_size = true, int window_log = 0,
                bool checksum = false) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, state_size ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  if (window_log != 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Bytes frame(ZSTD_compressBound(raw.size()) + 64);
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  ZSTD_inBuffer in{raw.data(), raw.size(), 0};
  // Streaming without a pledged size writes no content size, as hostile frames may.
  if (state_size) ZSTD_CCtx_setPledgedSrcSize(context, raw.size());
  EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
  frame.resize(out.pos);
  ZSTD_freeCCtx(context);
  return frame;
}

Bytes Lz4Block(const Bytes& raw) {
  Bytes block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  const int size = LZ4_compress_default(
      reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(block.data()),
      static_cast<int>(raw.size()), static_cast<int>(block.size()));
  block.resize(static_cast<size_t>(size));
  return block;
}

Bytes Ones(int width, size_t count) { return RawNode(width, std::vector<uint64_t>(count, 1)); }

// A constant node of u8 that stands for any child of `count` small values.
Bytes Same(int width, size_t count, uint64_t value) {
  return HandMadeNode{.encoding = 1, .width = width, .count = count, .payload = Number(value)}
      .bytes();
}

struct Case {
  std::string what;
  Bytes node;
  int width;
  size_t count;
  std::string rule;
  StatusCode code = kCorrupt;
};

void Check(const std::vector<Case>& cases, const SharedDictionary& dictionary = {}) {
  for (const Case& c : cases) {
    std::vector<uint8_t> values;
    const Status status = Decode(c.node, c.width, c.count, &values, dictionary);
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status.ToString();
    EXPECT_NE(status.message().find(c.rule), std::string::npos)
        << c.what << ": " << status.ToString();
  }
}

void CheckSound(const Bytes& node, int width, size_t count,
                const SharedDictionary& dictionary = {}) {
  std::vector<uint8_t> values;
  const Status status = Decode(node, width, count, &values, dictionary);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

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
      {"flags of raw", with([](auto* n) { n->flags = 1; }), 4, 3, "E-001"},
      {"aux of raw", with([](auto* n) { n->aux = 1; }), 4, 3, "E-001"},
      {"another width", node.bytes(), 8, 3, "E-002"},
      {"another count", node.bytes(), 4, 2, "E-002"},
      {"unknown encoding", with([](auto* n) { n->encoding = 12; }), 4, 3, "E-005",
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
      {"flags 2", packed(2, Number(3) + Number(1), 2), 4, 2, "E-020"},
      {"flags 3", packed(3, Number(9) + Number(3) + Number(1), 2), 4, 2, "E-020"},
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
  uint32_t codes[2];
  EXPECT_EQ(DecodeSharedCodes(node, 8, 2, 4, &scratch, codes).code(), kCorrupt);
  EXPECT_TRUE(DecodeSharedCodes(node, 8, 2, 5, &scratch, codes).ok());
}

TEST(BrokenRulesTest, Bitmap) {  // E-060.
  const auto bitmap = [](const Bytes& payload) {
    return HandMadeNode{.encoding = 7, .width = 2, .count = 10, .payload = payload}.bytes();
  };
  CheckSound(bitmap(Number(0x3FF, 2)), 2, 10);
  Check({
      {"one byte short", bitmap(Number(1, 1)), 2, 10, "E-060"},
      {"one byte long", bitmap(Number(1, 3)), 2, 10, "E-060"},
      {"an unused bit", bitmap(Number(0x400, 2)), 2, 10, "E-060"},
  });
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
}

TEST(BrokenRulesTest, BytePlanes) {  // E-090.
  const auto planes = [](int width, const Bytes& payload) {
    return HandMadeNode{.encoding = 10, .width = width, .count = 2, .payload = payload}.bytes();
  };
  CheckSound(planes(2, Ones(1, 2) + Ones(1, 2)), 2, 2);
  Check({
      {"planes of width 1", planes(1, Ones(1, 2)), 1, 2, "E-090"},
      {"one plane missing", planes(2, Ones(1, 2)), 2, 2, "E-001"},
      {"one plane too many", planes(2, Ones(1, 2) + Ones(1, 2) + Ones(1, 2)), 2, 2, "E-001"},
      {"plane of width 2", planes(2, Ones(1, 2) + Ones(2, 2)), 2, 2, "E-002"},
      {"plane of another count", planes(2, Ones(1, 2) + Ones(1, 3)), 2, 2, "E-002"},
  });
}

class BrokenFramesTest : public testing::Test {
 protected:
  static Bytes Frame(int codec, uint64_t aux, const Bytes& payload, size_t count = 500) {
    return HandMadeNode{
        .encoding = 11, .width = 4, .param = codec, .count = count, .aux = aux, .payload = payload}
        .bytes();
  }
  const Bytes inner_ = RawNode(4, std::vector<uint64_t>(500, 7));
};

TEST_F(BrokenFramesTest, Zstd) {  // E-100.
  const size_t size = inner_.size();
  CheckSound(Frame(1, size, ZstdFrame(inner_)), 4, 500);
  CheckSound(Frame(1, size, ZstdFrame(inner_, true, 0, true)), 4, 500);
  CheckSound(Frame(1, size, ZstdFrame(inner_, true, kMaxZstdWindowLog)), 4, 500);
  const Bytes frame = ZstdFrame(inner_);
  Bytes cut = frame;
  cut.pop_back();
  Bytes lies = frame;
  // Single segment, two bytes of content size that stand at offset 5.
  ASSERT_EQ(LoadLE<uint16_t>(&lies[5]) + 256U, size);
  StoreLE<uint16_t>(&lies[5], static_cast<uint16_t>(size + 8 - 256));
  Bytes skippable = Number(0x184D2A50, 4) + Number(8, 4) + Number(1);
  // A frame with a window of its own, content size in four bytes, one raw last block of inner_ (RFC
  // 8878).
  const auto with_window = [&](uint64_t descriptor) {
    return Number(0xFD2FB528, 4) + Number(0x80, 1) + Number(descriptor, 1) + Number(size, 4) +
           Number(1 | size << 3, 3) + inner_;
  };
  constexpr uint64_t kLargest = (kMaxZstdWindowLog - 10) << 3;
  CheckSound(Frame(1, size, with_window(kLargest)), 4, 500);
  Bytes named = Number(0xFD2FB528, 4) + Number(0x81, 1) + Number((12 - 10) << 3, 1) + Number(9, 1) +
                Number(size, 4) + Number(1 | size << 3, 3) + inner_;
  Check({
      {"codec 0", Frame(0, size, frame), 4, 500, "E-100"},
      {"codec 3", Frame(3, size, frame), 4, 500, "E-100"},
      {"no frame", Frame(1, size, {}), 4, 500, "E-100"},
      {"not a frame", Frame(1, size, Number(1, 100)), 4, 500, "E-100"},
      {"aux larger than the content", Frame(1, size + 8, frame), 4, 500, "E-100"},
      {"aux smaller than the content", Frame(1, size - 8, frame), 4, 500, "E-100"},
      {"aux above the limit", Frame(1, 4096 + 32 * 500 + 1, frame), 4, 500, "E-100"},
      {"aux 4 GiB", Frame(1, 0xFFFFFFFF, frame), 4, 500, "E-100"},
      {"frame that lies about its size", Frame(1, size + 8, lies), 4, 500, "E-100"},
      {"no content size", Frame(1, size, ZstdFrame(inner_, false)), 4, 500, "E-100"},
      {"window one eighth too large", Frame(1, size, with_window(kLargest + 1)), 4, 500, "E-100"},
      {"window twice too large", Frame(1, size, with_window(kLargest + 8)), 4, 500, "E-100"},
      {"window of 2^41", Frame(1, size, with_window(0xF8)), 4, 500, "E-100"},
      {"a dictionary id", Frame(1, size, named), 4, 500, "E-100"},
      {"cut short", Frame(1, size, cut), 4, 500, "E-100"},
      {"a byte after the frame", Frame(1, size, frame + Number(0, 1)), 4, 500, "E-100"},
      {"two frames", Frame(1, size, frame + frame), 4, 500, "E-100"},
      {"a skippable frame", Frame(1, 0, skippable), 4, 500, "E-100"},
      {"a skippable frame first", Frame(1, size, skippable + frame), 4, 500, "E-100"},
  });
}

TEST_F(BrokenFramesTest, ContentAsOneSegmentObeysTheWindowToo) {  // E-100.
  // One byte above the window in one segment: its window is its content. Only the header need be
  // sound to be refused.
  const uint64_t size = (uint64_t{1} << kMaxZstdWindowLog) + 1;
  const size_t count = 1 << 24;
  const auto one_segment = [](uint64_t content) {
    return Number(0xFD2FB528, 4) + Number(0xA0, 1) + Number(content, 4) + Number(1, 3);
  };
  std::vector<uint8_t> values;
  Status status = Decode(Frame(1, size, one_segment(size), count), 4, count, &values);
  EXPECT_EQ(status.code(), kCorrupt);
  EXPECT_NE(status.message().find("window"), std::string::npos) << status.ToString();
  status = Decode(Frame(1, size - 1, one_segment(size - 1), count), 4, count, &values);
  EXPECT_EQ(status.message().find("window"), std::string::npos) << status.ToString();
}

TEST_F(BrokenFramesTest, Inside) {  // E-100, E-003.
  const auto framed = [](const Bytes& inner) { return Frame(1, inner.size(), ZstdFrame(inner)); };
  const Bytes twice = framed(inner_);
  Bytes seven = Ones(4, 500 - 5);
  for (size_t count = 500 - 4; count <= 500; ++count) {
    seven = HandMadeNode{.encoding = 3, .width = 4, .count = count, .payload = Number(0) + seven}
                .bytes();
  }
  Check({
      {"compressed twice", framed(twice), 4, 500, "E-100"},
      {"bytes after the node inside", framed(inner_ + Number(0)), 4, 500, "E-100"},
      {"two nodes inside", framed(inner_ + inner_), 4, 500, "E-100"},
      {"another width inside", framed(Ones(2, 500)), 4, 500, "E-002"},
      {"another count inside", framed(Ones(4, 499)), 4, 500, "E-002"},
      {"seven deep", framed(seven), 4, 500, "E-003"},
  });
  CheckSound(seven, 4, 500);
}

TEST_F(BrokenFramesTest, Lz4) {  // E-100.
  const size_t size = inner_.size();
  const Bytes block = Lz4Block(inner_);
  CheckSound(Frame(2, size, block), 4, 500);
  Bytes cut = block;
  cut.pop_back();
  // A match of 255 × n bytes costs n bytes: what comes out must stop at aux.
  Bytes bomb = Number(0x1F, 1) + Number(0, 1) + Number(1, 2) + Bytes(4000, std::byte{0xFF}) +
               Number(0, 1) + Number(0x50, 1) + Number(0, 5);
  Check({
      {"empty", Frame(2, size, {}), 4, 500, "E-100"},
      {"cut short", Frame(2, size, cut), 4, 500, "E-100"},
      {"a byte after the block", Frame(2, size, block + Number(0, 1)), 4, 500, "E-100"},
      {"aux too small", Frame(2, size - 8, block), 4, 500, "E-100"},
      {"aux too large", Frame(2, size + 8, block), 4, 500, "E-100"},
      {"a bomb", Frame(2, size, bomb), 4, 500, "E-100"},
      {"aux above the limit", Frame(2, 4096 + 32 * 500 + 1, block), 4, 500, "E-100"},
  });
}

}  // namespace
}  // namespace dsi::internal
