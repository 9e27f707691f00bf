// One case per way to break the rules of compressed nodes (E-100 … E-102), each pinned to the code
// of its error and to the rule that the message names.
#include <gtest/gtest.h>
#include <lz4.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "dsi/format/limits.h"
#include "dsi/tests/codecs/broken_nodes.h"

namespace dsi::internal {
namespace {

using namespace test;

Bytes Lz4Block(const Bytes& raw) {
  Bytes block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  const int size = LZ4_compress_default(
      reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(block.data()),
      static_cast<int>(raw.size()), static_cast<int>(block.size()));
  block.resize(static_cast<size_t>(size));
  return block;
}

constexpr int kMaxWindowLog = 26;
static_assert(kMaxZstdWindow == 1U << kMaxWindowLog);

class BrokenFramesTest : public testing::Test {
 protected:
  static Bytes Frame(int codec, uint64_t aux, const Bytes& payload, size_t count = 500) {
    return HandMadeNode{
        .encoding = 11, .width = 4, .param = codec, .count = count, .aux = aux, .payload = payload}
        .bytes();
  }

  // A frame ends in the low half of the XXH64 of what is in it, which the library writes.
  static Bytes Checksum(const Bytes& raw) {
    const Bytes frame = ZstdFrame(raw);
    return {frame.end() - 4, frame.end()};
  }

  // As Check, of frames that show by themselves what is wrong: none is taken at its word for
  // memory.
  static void CheckTakesNoMemory(const std::vector<Case>& cases) {
    Check(cases);
    for (const Case& c : cases) {
      DecodeScratch scratch;
      Array out(c.width, std::vector<uint64_t>(c.count));
      EXPECT_FALSE(DecodeNode(c.node, c.width, c.count, {}, &scratch, out.bytes()).ok());
      EXPECT_FALSE(TookMemory(&scratch)) << c.what;
    }
  }

  const Bytes inner_ = RawNode(4, std::vector<uint64_t>(500, 7));
};

TEST_F(BrokenFramesTest, Zstd) {  // E-101.
  const size_t size = inner_.size();
  CheckSound(Frame(1, size, ZstdFrame(inner_)), 4, 500);
  CheckSound(Frame(1, size, ZstdFrame(inner_, true, kMaxWindowLog)), 4, 500);
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
    return Number(0xFD2FB528, 4) + Number(0x84, 1) + Number(descriptor, 1) + Number(size, 4) +
           Number(1 | size << 3, 3) + inner_ + Checksum(inner_);
  };
  constexpr uint64_t kLargest = (kMaxWindowLog - 10) << 3;
  CheckSound(Frame(1, size, with_window(kLargest)), 4, 500);
  Bytes named = Number(0xFD2FB528, 4) + Number(0x85, 1) + Number((12 - 10) << 3, 1) + Number(9, 1) +
                Number(size, 4) + Number(1 | size << 3, 3) + inner_ + Checksum(inner_);
  Bytes flipped = frame;
  flipped.back() ^= std::byte{1};
  Check({{"another checksum", Frame(1, size, flipped), 4, 500, "E-101"}});
  Check({{"frame that lies about its size", Frame(1, size + 8, lies), 4, 500, "E-101"}});
  CheckTakesNoMemory({
      {"codec 0", Frame(0, size, frame), 4, 500, "E-100"},
      {"codec 3", Frame(3, size, frame), 4, 500, "E-100"},
      {"no frame", Frame(1, size, {}), 4, 500, "E-101"},
      {"not a frame", Frame(1, size, Number(1, 100)), 4, 500, "E-101"},
      {"aux larger than the content", Frame(1, size + 8, frame), 4, 500, "E-101"},
      {"aux smaller than the content", Frame(1, size - 8, frame), 4, 500, "E-101"},
      {"aux above the limit", Frame(1, 4096 + 32 * 500 + 1, frame), 4, 500, "E-100"},
      {"aux 4 GiB", Frame(1, 0xFFFFFFFF, frame), 4, 500, "E-100"},
      {"no content size", Frame(1, size, ZstdFrame(inner_, false)), 4, 500, "E-101"},
      {"window one eighth too large", Frame(1, size, with_window(kLargest + 1)), 4, 500, "E-101"},
      {"window twice too large", Frame(1, size, with_window(kLargest + 8)), 4, 500, "E-101"},
      {"window of 2^41", Frame(1, size, with_window(0xF8)), 4, 500, "E-101"},
      {"no checksum", Frame(1, size, ZstdFrame(inner_, true, 0, false)), 4, 500, "E-101"},
      {"a dictionary id", Frame(1, size, named), 4, 500, "E-101"},
      {"cut short", Frame(1, size, cut), 4, 500, "E-101"},
      {"a byte after the frame", Frame(1, size, frame + Number(0, 1)), 4, 500, "E-101"},
      {"two frames", Frame(1, size, frame + frame), 4, 500, "E-101"},
      {"a skippable frame", Frame(1, 0, skippable), 4, 500, "E-101"},
      {"a skippable frame first", Frame(1, size, skippable + frame), 4, 500, "E-101"},
  });
}

// Right in every other way: a library takes the one up to release 1.5.4 and not in 1.5.7, the other
// in 1.9.4.
TEST_F(BrokenFramesTest, WhatLibrariesLetPass) {  // E-101, E-102.
  const auto file = [](const std::string& name) {
    std::ifstream in(std::string(DSI_SOURCE_DIR) + "/fuzz/corpus/encoding_compressed/" + name,
                     std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  };
  Check({{"reserved bits of modes", file("reserved_mode_bits"), 4, 50, "E-101"},
         {"distance 0", file("lz4_distance_0"), 1, 32, "E-102"}});
}

TEST_F(BrokenFramesTest, ContentAsOneSegmentObeysTheWindowToo) {  // E-101.
  // One byte above the window in one segment: its window is its content. Only the header need be
  // sound to be refused.
  const uint64_t size = uint64_t{kMaxZstdWindow} + 1;
  const size_t count = 1 << 24;
  const auto one_segment = [](uint64_t content) {
    return Number(0xFD2FB528, 4) + Number(0xA4, 1) + Number(content, 4) + Number(1, 3) +
           Number(0, 4);
  };
  std::vector<uint8_t> values;
  Status status = Decode(Frame(1, size, one_segment(size), count), 4, count, &values);
  EXPECT_EQ(status.code(), kCorrupt);
  EXPECT_NE(status.message().find("window"), std::string::npos) << status.ToString();
  status = Decode(Frame(1, size - 1, one_segment(size - 1), count), 4, count, &values);
  EXPECT_EQ(status.message().find("window"), std::string::npos) << status.ToString();
}

// What a frame of one block says before any of its bits are decoded: releases of the library differ
// in what of this they let pass.
TEST_F(BrokenFramesTest, ZstdBlocks) {  // E-101.
  const size_t size = inner_.size();
  const auto frame = [&](uint64_t type, const Bytes& block, uint64_t block_size = 0) {
    const uint64_t stated = block_size == 0 ? block.size() : block_size;
    return Frame(1, size,
                 Number(0xFD2FB528, 4) + Number(0x84, 1) + Number(0, 1) + Number(size, 4) +
                     Number(1 | type << 1 | stated << 3, 3) + block + Checksum(inner_));
  };
  // Literals of one repeated byte, then the number of sequences.
  const auto literals = [](const Bytes& rest) {
    return Number(1 | 5 << 3, 1) + Number(9, 1) + rest;
  };
  // Coded literals: 6 of them in 20 bytes, in the format of one stream or of four.
  const auto coded = [](uint64_t format, uint64_t count) {
    return Number(2 | format << 2 | count << 4 | 20 << 14, 3) + Number(0, 20) + Number(0, 1);
  };
  CheckTakesNoMemory({
      {"a block of type 3", frame(3, Number(0, 8)), 4, 500, "E-101"},
      {"a block above the window", frame(0, Bytes(1025)), 4, 500, "E-101"},
      {"a run above the window", frame(1, Number(7, 1), 1025), 4, 500, "E-101"},
      {"a block cut short", frame(0, Bytes(100), 1000), 4, 500, "E-101"},
      {"a compressed block of two bytes", frame(2, Number(0, 2)), 4, 500, "E-101"},
      {"bytes after no sequences", frame(2, literals(Number(0, 2))), 4, 500, "E-101"},
      {"no sequences in two bytes", frame(2, literals(Number(0x80, 2) + Number(0, 2))), 4, 500,
       "E-101"},
      {"few sequences in two bytes", frame(2, literals(Number(0x0580, 2) + Number(0, 8))), 4, 500,
       "E-101"},
      {"reserved bits of modes", frame(2, literals(Number(1, 1) + Number(1, 1) + Number(7, 4))), 4,
       500, "E-101"},
      {"number of sequences missing", frame(2, Number(1 | 5 << 3, 1) + Number(9, 1)), 4, 500,
       "E-101"},
      {"literals cut short", frame(2, Number(5 << 3, 1) + Number(0, 3)), 4, 500, "E-101"},
      {"literals above the window", frame(2, Number(1 | 1 << 2 | 1025 << 4, 2) + Number(0, 2)), 4,
       500, "E-101"},
      {"no coded literals", frame(2, coded(0, 0)), 4, 500, "E-101"},
      {"five literals in four streams", frame(2, coded(1, 5)), 4, 500, "E-101"},
  });
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

TEST_F(BrokenFramesTest, Lz4) {  // E-102.
  const size_t size = inner_.size();
  const Bytes block = Lz4Block(inner_);
  CheckSound(Frame(2, size, block), 4, 500);
  Bytes cut = block;
  cut.pop_back();
  // A match of 255 × n bytes costs n bytes: what comes out must stop at aux.
  Bytes bomb = Number(0x1F, 1) + Number(0, 1) + Number(1, 2) + Bytes(4000, std::byte{0xFF}) +
               Number(0, 1) + Number(0x50, 1) + Number(0, 5);
  // Five literals, a match, and five literals.
  const auto with_match = [](uint64_t distance, size_t length) {
    Bytes made = Number(0x5F, 1) + Number(0, 5) + Number(distance, 2);
    size_t rest = length - 4 - 15;
    if (length < 19) made[0] = std::byte{static_cast<uint8_t>(0x50 + length - 4)};
    if (length >= 19) {
      for (; rest >= 255; rest -= 255) made = made + Number(255, 1);
      made = made + Number(rest, 1);
    }
    return made + Number(0x50, 1) + Number(0, 5);
  };
  Bytes last_length = block;
  last_length[block.size() - 6] |= std::byte{1};
  ASSERT_EQ(last_length[block.size() - 6], std::byte{0x51});
  Check({
      {"empty", Frame(2, size, {}), 4, 500, "E-102"},
      {"cut short", Frame(2, size, cut), 4, 500, "E-102"},
      {"a byte after the block", Frame(2, size, block + Number(0, 1)), 4, 500, "E-102"},
      {"aux too small", Frame(2, size - 8, block), 4, 500, "E-102"},
      {"aux too large", Frame(2, size + 8, block), 4, 500, "E-102"},
      {"distance 0", Frame(2, size, with_match(0, 4)), 4, 500, "E-102"},
      {"distance before the start", Frame(2, size, with_match(6, 4)), 4, 500, "E-102"},
      {"a match up to the end", Frame(2, size, with_match(1, size - 9)), 4, 500, "E-102"},
      {"a match near the end", Frame(2, 16, with_match(1, 6)), 4, 500, "E-102"},
      {"a last token with a length", Frame(2, size, last_length), 4, 500, "E-102"},
      {"a bomb", Frame(2, size, bomb), 4, 500, "E-102"},
      {"aux above the limit", Frame(2, 4096 + 32 * 500 + 1, block), 4, 500, "E-100"},
  });
}

}  // namespace
}  // namespace dsi::internal
