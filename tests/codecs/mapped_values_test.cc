// Values that are mapped while they are decoded: what a map makes of the values of a node, whatever
// its encoding, and no more often than its entries ask for.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/node_samples.h"

namespace dsi::internal {
namespace {

using namespace test;

// Remembers for how many values it was asked.
class Mixing : public ValueMap {
 public:
  Mixing(int from, int to) : ValueMap(static_cast<size_t>(to)), from_(from) {}
  void Apply(const void* in, size_t n, void* out) const override {
    asked_ += n;
    const auto to = width();
    for (size_t i = 0; i < n; ++i) {
      const uint64_t made = Of(Load(in, i, static_cast<size_t>(from_)));
      std::memcpy(static_cast<std::byte*>(out) + i * to, &made, to);
    }
  }
  static uint64_t Of(uint64_t value) { return (value + 1) * 0x9E3779B97F4A7C15; }
  static uint64_t Load(const void* values, size_t i, size_t width) {
    uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(values) + i * width, width);
    return value;
  }
  size_t TakeAsked() const { return std::exchange(asked_, 0); }

 private:
  int from_;
  mutable size_t asked_ = 0;
};

class MappedValuesTest : public ::testing::Test {
 protected:
  // Maps from and into memory of exactly the right size; how many values the map was asked for.
  static size_t Check(const Bytes& node, int width, size_t count, SharedDictionary dictionary,
                      int to) {
    const Mixing map(width, to);
    std::vector<uint8_t> plain;
    EXPECT_TRUE(Decode(node, width, count, &plain, dictionary).ok());
    const auto made_width = static_cast<size_t>(to);
    std::unique_ptr<std::byte[]> dst(new std::byte[count * made_width]);
    DecodeScratch scratch;
    const Status status = DecodeNode(node, width, count, dictionary, &scratch, dst.get(), &map);
    EXPECT_TRUE(status.ok()) << status.ToString();
    const uint64_t mask = to == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * to) - 1;
    for (size_t i = 0; i < count && status.ok(); ++i) {
      const uint64_t value = Mixing::Load(plain.data(), i, static_cast<size_t>(width));
      EXPECT_EQ(Mixing::Load(dst.get(), i, made_width), Mixing::Of(value) & mask) << i;
    }
    return map.TakeAsked();
  }

  // Values of the dictionary, mapped.
  static std::vector<std::byte> Mapped(const SharedDictionary& dictionary, int to) {
    std::vector<std::byte> mapped(dictionary.count * static_cast<size_t>(to));
    Mixing(dictionary.width, to).Apply(dictionary.values, dictionary.count, mapped.data());
    return mapped;
  }
};

TEST_F(MappedValuesTest, AreWhatTheMapMakesOfTheValues) {
  for (const NodeSample& sample : NodeSamples()) {
    for (const int to : {1, 2, 4, 8}) {
      SCOPED_TRACE(sample.what + " to " + std::to_string(to));
      SharedDictionary dictionary = sample.dictionary();
      Check(sample.node, sample.width, sample.count, dictionary, to);
      const std::vector<std::byte> mapped = Mapped(dictionary, to);
      dictionary.mapped = mapped.data();
      Check(sample.node, sample.width, sample.count, dictionary, to);
      if (HasFailure()) return;
    }
  }
}

TEST_F(MappedValuesTest, EntriesAreMappedOnce) {
  const size_t count = 2600;
  const Array array(8, Shapes()[7].make(count, 8, 11));  // Few values: 11.
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan dictionary = Plan(Encoding::kDictionary, {raw, Plan(Encoding::kPacked)});
  EncodeTuning tuning;
  tuning.accept_ratio = 1.0;
  EXPECT_EQ(Check(Encode(array, dictionary, tuning), 8, count, {}, 4), 11U);
  const EncodePlan compressed = Plan(Encoding::kCompressed, {dictionary}, 1);
  const Bytes node = Encode(array, compressed, tuning);
  ASSERT_EQ(node[0], static_cast<std::byte>(Encoding::kCompressed));
  EXPECT_EQ(Check(node, 8, count, {}, 4), 11U);
  EXPECT_EQ(Check(Encode(array, raw, tuning), 8, count, {}, 4), count);
}

// Of a shared dictionary that is mapped already its literals alone.
TEST_F(MappedValuesTest, LiteralsAreMappedBesideEntries) {
  size_t seen = 0;
  for (const NodeSample& sample : NodeSamples()) {
    if (sample.encoding() != Encoding::kSharedDictionary) continue;
    SharedDictionary dictionary = sample.dictionary();
    EXPECT_EQ(Check(sample.node, sample.width, sample.count, dictionary, 4), sample.count);
    const std::vector<std::byte> mapped = Mapped(dictionary, 4);
    dictionary.mapped = mapped.data();
    const auto literals = LoadLE<uint32_t>(&sample.node[12]);
    EXPECT_EQ(Check(sample.node, sample.width, sample.count, dictionary, 4), literals);
    seen += literals == 9 ? 1 : 0;
  }
  EXPECT_EQ(seen, 4U);
}

}  // namespace
}  // namespace dsi::internal
