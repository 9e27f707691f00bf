// Damaged bytes end in an error or in values, never in a crash, and never beyond the memory that
// was handed in.
#include <gtest/gtest.h>

#include <set>

#include "dsi/tests/codecs/node_samples.h"

namespace dsi::internal {
namespace {

using namespace test;

Status DecodeSample(const NodeSample& sample, std::span<const std::byte> bytes) {
  // Copied to memory of its own, so that a sanitizer sees a read beyond the end.
  const std::vector<std::byte> exact(bytes.begin(), bytes.end());
  std::vector<uint8_t> values;
  return Decode(exact, sample.width, sample.count, &values, sample.dictionary());
}

TEST(DamageTest, SamplesAreSoundAndCoverAllEncodingsInAllWidths) {
  std::set<std::pair<Encoding, int>> seen;
  for (const NodeSample& sample : NodeSamples()) {
    EXPECT_TRUE(DecodeSample(sample, sample.node).ok()) << sample.what;
    seen.insert({sample.encoding(), sample.width});
  }
  for (const EncodingRow* row : EncodingTable()) {
    for (const int width : {1, 2, 4, 8}) {
      const bool may_be = row->id != Encoding::kDecimal || width >= 4;  // E-120.
      EXPECT_EQ(seen.count({row->id, width}), may_be ? 1U : 0U) << row->name << " u" << 8 * width;
    }
  }
}

// E-001: a node must fill its bytes, so every proper prefix is damage.
TEST(DamageTest, EveryTruncation) {
  for (const NodeSample& sample : NodeSamples()) {
    for (size_t size = 0; size < sample.node.size(); ++size) {
      const Status status = DecodeSample(sample, std::span(sample.node).first(size));
      ASSERT_EQ(status.code(), StatusCode::kCorrupt) << sample.what << " cut to " << size;
    }
  }
}

TEST(DamageTest, EverySingleBitFlip) {
  size_t accepted = 0;
  size_t refused = 0;
  for (const NodeSample& sample : NodeSamples()) {
    Bytes bytes = sample.node;
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      const Status status = DecodeSample(sample, bytes);
      const StatusCode code = status.code();
      ASSERT_TRUE(code == StatusCode::kOk || code == StatusCode::kCorrupt ||
                  code == StatusCode::kUnsupported)
          << sample.what << " bit " << bit << ": " << status.ToString();
      (status.ok() ? accepted : refused) += 1;
      // Width, count and payload size are known from outside or from the place: any change is
      // found.
      if (bit >= 8 && bit < 16) {
        ASSERT_FALSE(status.ok()) << sample.what << " width";
      }
      if (bit >= 32 && bit < 64) {
        ASSERT_FALSE(status.ok()) << sample.what << " count";
      }
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
    // What was put back decodes: the loop above undid each flip.
    ASSERT_TRUE(DecodeSample(sample, bytes).ok());
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(refused, 0U);
}

TEST(DamageTest, RandomBytesBehindSoundHeaders) {
  std::mt19937_64 random(17);
  for (const NodeSample& sample : NodeSamples()) {
    for (int round = 0; round < 300; ++round) {
      Bytes bytes = sample.node;
      const size_t changes = 1 + random() % 8;
      for (size_t i = 0; i < changes; ++i)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      const Status status = DecodeSample(sample, bytes);
      ASSERT_TRUE(status.ok() || status.code() == StatusCode::kCorrupt ||
                  status.code() == StatusCode::kUnsupported);
      // Walkers meet the same bytes.
      (void)DescribeNode(bytes, sample.count);
    }
  }
}

// A scratch that has seen damage serves sound pages as before.
TEST(DamageTest, ScratchSurvivesErrors) {
  DecodeScratch scratch;
  const std::vector<NodeSample> samples = NodeSamples();
  for (const NodeSample& sample : samples) {
    std::vector<uint64_t> out(sample.count + 1);
    const SharedDictionary shared = sample.dictionary();
    Bytes broken = sample.node;
    broken[broken.size() / 2] ^= std::byte{0x55};
    (void)DecodeNode(broken, sample.width, sample.count, shared, &scratch, out.data());
    const Status status =
        DecodeNode(sample.node, sample.width, sample.count, shared, &scratch, out.data());
    ASSERT_TRUE(status.ok()) << sample.what << ": " << status.ToString();
  }
}

TEST(DamageTest, DescribeNamesTheTree) {
  const Array array(4, Shapes()[7].make(3000, 4, 5));
  const Result<std::string> words = DescribeNode(
      Encode(array,
             Plan(Encoding::kDictionary,
                  {Plan(Encoding::kRaw), Plan(Encoding::kCompressed, {Plan(Encoding::kRaw)}, 1)})),
      3000);
  ASSERT_TRUE(words.ok()) << words.status().ToString();
  EXPECT_EQ(*words, "dictionary(raw u32, compressed:zstd(raw u8))");
}

// E-080: a split that splits nothing is shown as what it is.
TEST(DamageTest, DescribeSaysWhatASplitDoes) {
  const Array array(4, Generate(300, [](size_t i) { return i % 16 << 2; }));
  const EncodePlan packed = Plan(Encoding::kPacked);
  const auto words = [&](int low_bits, int shift) {
    const EncodePlan plan = Plan(Encoding::kSplit, {packed, packed}, low_bits, shift);
    return *DescribeNode(Encode(array, plan), 300);
  };
  EXPECT_EQ(words(0, 0), "narrowed(packed u8)");
  EXPECT_EQ(words(0, 2), "shifted:2(packed u8)");
  EXPECT_EQ(words(5, 0), "split:5(packed u8, packed u8)");
  EXPECT_EQ(words(3, 2), "split:3<<2(packed u8, packed u8)");
}

// E-100: a frame may claim 32 bytes for each value, so the values that a node claims are checked
// before its frame takes memory, at every depth (E-002).
TEST(DamageTest, DescribeBelievesNoCount) {
  const uint64_t many = 0x3F000000;
  const HandMadeNode huge{.encoding = 11,
                          .width = 4,
                          .param = 2,
                          .count = many,
                          .aux = 0xF0000000,
                          .payload = Bytes(8)};
  const HandMadeNode around{.encoding = 6, .width = 4, .count = 5, .payload = huge.bytes()};
  for (const Bytes& node : {huge.bytes(), around.bytes()}) {
    const Result<std::string> words = DescribeNode(node, 5);
    ASSERT_FALSE(words.ok());
    EXPECT_NE(words.status().message().find("E-002"), std::string::npos)
        << words.status().ToString();
  }
}

}  // namespace
}  // namespace dsi::internal
