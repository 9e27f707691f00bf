// One case per way to break the rules of compressed nodes (E-100), each pinned to the code of its
// error and to the rule that the message names.
#include <gtest/gtest.h>
#include <lz4.h>

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

class BrokenFramesTest : public testing::Test {
 protected:
  static Bytes Frame(int codec, uint64_t aux, const Bytes& payload, size_t count = 500) {
    return HandMadeNode{
        .encoding = 11, .width = 4, .param = codec, .count = count, .aux = aux, .payload = payload}
        .bytes();
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
  Check({{"frame that lies about its size", Frame(1, size + 8, lies), 4, 500, "E-100"}});
  CheckTakesNoMemory({
      {"codec 0", Frame(0, size, frame), 4, 500, "E-100"},
      {"codec 3", Frame(3, size, frame), 4, 500, "E-100"},
      {"no frame", Frame(1, size, {}), 4, 500, "E-100"},
      {"not a frame", Frame(1, size, Number(1, 100)), 4, 500, "E-100"},
      {"aux larger than the content", Frame(1, size + 8, frame), 4, 500, "E-100"},
      {"aux smaller than the content", Frame(1, size - 8, frame), 4, 500, "E-100"},
      {"aux above the limit", Frame(1, 4096 + 32 * 500 + 1, frame), 4, 500, "E-100"},
      {"aux 4 GiB", Frame(1, 0xFFFFFFFF, frame), 4, 500, "E-100"},
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
