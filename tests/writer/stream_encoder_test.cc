// Choices that are remembered from page to page and stripe to stripe, and made anew on drift.
#include "dsi/writer/encode/stream_encoder_internal.h"

#include <gtest/gtest.h>

#include <random>

namespace dsi::internal {
namespace {

constexpr uint32_t kPage = 4096;
constexpr uint32_t kLargePage = 32768;  // Of which a glance may lead to a choice.

ArrayView View(const std::vector<uint64_t>& values) {
  return {.values = values.data(), .count = values.size()};
}

std::string Outermost(const EncodedStream::Node& node) {
  const auto name = DescribeNode(node.bytes, node.num_values);
  return name.ok() ? *name : name.status().ToString();
}

std::vector<uint64_t> Decode(const EncodedStream& stream) {
  std::vector<uint64_t> values;
  DecodeScratch scratch;
  for (const EncodedStream::Node& node : stream.nodes) {
    const size_t at = values.size();
    values.resize(at + node.num_values);
    const Status status =
        DecodeNode(node.bytes, 8, node.num_values, {}, &scratch, values.data() + at);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  return values;
}

std::vector<uint64_t> Small(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> values(count);
  for (uint64_t& value : values) value = random() % 1000;
  return values;
}

std::vector<uint64_t> Ascending(size_t count) {
  std::vector<uint64_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = (i << 20) + i % 7;
  return values;
}

TEST(StreamEncoder, PageOfAnotherNatureGetsAPlanOfItsOwn) {
  std::vector<uint64_t> values = Small(kPage, 1);
  const std::vector<uint64_t> other = Ascending(kPage);
  values.insert(values.end(), other.begin(), other.end());
  RememberedPlan remembered;
  const EncodedStream stream = EncodeStream(View(values), kPage, {}, &remembered);
  ASSERT_EQ(stream.nodes.size(), 2U);
  EXPECT_NE(Outermost(stream.nodes[0]), Outermost(stream.nodes[1]));
  RememberedPlan of_other;
  const EncodedStream alone = EncodeStream(View(other), kPage, {}, &of_other);
  EXPECT_EQ(stream.nodes[1].bytes, alone.nodes[0].bytes);
  EXPECT_EQ(Decode(stream), values);
}

TEST(StreamEncoder, LikeDataKeepThePlan) {
  RememberedPlan remembered;
  EncodeStream(View(Small(kPage, 1)), kPage, {}, &remembered);
  ASSERT_TRUE(remembered.is_known);
  // A mark that a new choice would wipe out.
  remembered.proven.plan.estimated_bytes = -1;
  const std::vector<uint64_t> values = Small(kPage, 2);
  EXPECT_EQ(Decode(EncodeStream(View(values), kPage, {}, &remembered)), values);
  EXPECT_EQ(remembered.proven.plan.estimated_bytes, -1);
}

// A plan that does not fit is replaced at once, however little there is to gain.
TEST(StreamEncoder, APlanThatDoesNotFitIsForgotten) {
  std::vector<uint64_t> values(2 * kPage, 7);
  values[kPage + 100] = 8;
  RememberedPlan remembered;
  const EncodedStream stream = EncodeStream(View(values), kPage, {}, &remembered);
  EXPECT_EQ(Decode(stream), values);
  EXPECT_EQ(Outermost(stream.nodes[0]), "constant u64");
  EXPECT_NE(remembered.proven.plan.encoding, Encoding::kConstant);
  const double chosen = remembered.choose_seconds;
  const std::vector<uint64_t> like(values.begin() + kPage, values.end());
  EXPECT_EQ(Decode(EncodeStream(View(like), kPage, {}, &remembered)), like);
  EXPECT_EQ(remembered.choose_seconds, chosen);
}

// A choice is worth a kilobyte, which small pages take together.
TEST(StreamEncoder, SmallPagesDriftToo) {
  constexpr uint32_t kSmallPage = 1000;
  std::vector<uint64_t> runs(kSmallPage);
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = i / 100;
  std::vector<uint64_t> mixed(kSmallPage);
  for (size_t i = 0; i < mixed.size(); ++i) mixed[i] = i * 7919 % 10;
  RememberedPlan remembered;
  EncodeStream(View(runs), kSmallPage, {}, &remembered);
  const double chosen = remembered.choose_seconds;
  int pages = 0;
  for (; remembered.choose_seconds == chosen && pages < 100; ++pages)
    EncodeStream(View(mixed), kSmallPage, {}, &remembered);
  EXPECT_GT(pages, 1);
  EXPECT_LT(pages, 10);
}

TEST(StreamEncoder, DriftEitherWayChoosesAnew) {
  for (const bool grows : {false, true}) {
    RememberedPlan remembered;
    const std::vector<uint64_t> small = Small(kPage, 1);
    const std::vector<uint64_t> tiny = [&] {
      std::vector<uint64_t> values = small;
      for (uint64_t& value : values) value %= 4;
      return values;
    }();
    EncodeStream(View(grows ? tiny : small), kPage, {}, &remembered);
    const double chosen = remembered.choose_seconds;
    const std::vector<uint64_t>& next = grows ? small : tiny;
    EXPECT_EQ(Decode(EncodeStream(View(next), kPage, {}, &remembered)), next);
    EXPECT_GT(remembered.choose_seconds, chosen) << grows;
    // What the page takes is what is expected from now on.
    const double again = remembered.choose_seconds;
    EncodeStream(View(next), kPage, {}, &remembered);
    EXPECT_EQ(remembered.choose_seconds, again) << grows;
  }
}

TEST(StreamEncoder, LargeAndSmallPagesByTurnsChooseOnceForEither) {
  std::vector<uint64_t> small = Small(kPage, 1);
  for (uint64_t& value : small) value %= 16;
  const std::vector<uint64_t> large = Small(kPage, 2);
  RememberedPlan remembered;
  double chosen = 0;
  for (int i = 0; i < 8; ++i) {
    EncodeStream(View(i % 2 == 0 ? small : large), kPage, {}, &remembered);
    if (i == 3) chosen = remembered.choose_seconds;
  }
  EXPECT_EQ(remembered.choose_seconds, chosen);
}

// Packed values take as many bits whether they are noise or in order: the size hides the drift.
TEST(StreamEncoder, PagesThatOnlyLookOtherwiseChooseAnew) {
  const std::vector<uint64_t> noise = Small(kLargePage, 1);
  std::vector<uint64_t> runs = noise;
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = noise[i / 16];
  std::vector<uint64_t> few = noise;
  for (uint64_t& value : few) value = value < 500 ? 3 : value < 970 ? 997 : value;
  for (const std::vector<uint64_t>& next : {runs, few}) {
    RememberedPlan remembered;
    const EncodedStream before = EncodeStream(View(noise), kLargePage, {}, &remembered);
    const EncodedStream after = EncodeStream(View(next), kLargePage, {}, &remembered);
    EXPECT_EQ(Decode(after), next);
    EXPECT_LT(after.bytes() * 2, before.bytes()) << Outermost(after.nodes[0]);
    // Pages of either kind have had their choice.
    EXPECT_TRUE(remembered.glances->Has(GlanceAt(View(noise))));
    EXPECT_TRUE(remembered.glances->Has(GlanceAt(View(next))));
  }
}

// A choice for pages that look otherwise leaves no trace where the old plan does as well.
TEST(StreamEncoder, ALookThatFindsNothingLeavesThePlan) {
  const std::vector<uint64_t> small = Small(kLargePage, 1);
  std::vector<uint64_t> shifted = small;
  for (uint64_t& value : shifted) value *= value % 2 == 0 ? 1 : 1000;
  RememberedPlan remembered;
  EncodeStream(View(shifted), kLargePage, {}, &remembered);
  const double expected = remembered.proven.bytes_per_value;
  remembered.proven.ns_per_value = 0;
  remembered.proven.plan.estimated_bytes = -1;
  *remembered.glances = {};
  remembered.excess = 5;
  const double chosen = remembered.choose_seconds;
  EncodeStream(View(shifted), kLargePage, {}, &remembered);
  EXPECT_GT(remembered.choose_seconds, chosen);
  EXPECT_EQ(remembered.proven.plan.estimated_bytes, -1);
  EXPECT_EQ(remembered.proven.bytes_per_value, expected);
  EXPECT_EQ(remembered.excess, 5);
}

// Codes into a dictionary drift like values.
TEST(StreamEncoder, CodesAndLiteralsDriftToo) {
  const std::vector<uint64_t> noise = Small(kLargePage, 1);
  std::vector<uint32_t> codes(noise.begin(), noise.end());
  for (size_t i = 0; i < kLargePage; ++i) codes.push_back(static_cast<uint32_t>(noise[i / 16]));
  std::vector<uint64_t> literals;
  for (uint32_t& code : codes) {
    if (literals.size() == 2 * kLargePage / 4) break;
    if (code % 4 != 0) continue;
    code = 1000;
    literals.push_back(literals.size() < kLargePage / 4 ? noise[literals.size()] << 40 : 7);
  }
  RememberedPlan codes_plan;
  RememberedPlan literals_plan;
  const EncodedStream stream =
      EncodeCodeStream({.codes = codes, .literal = 1000, .literals = View(literals)}, kLargePage,
                       {}, &codes_plan, &literals_plan);
  ASSERT_EQ(stream.nodes.size(), 2U);
  EXPECT_LT(stream.nodes[1].bytes.size() * 2, stream.nodes[0].bytes.size());
  size_t at = 0;
  for (const EncodedStream::Node& node : stream.nodes) {
    std::vector<uint32_t> back(node.num_values);
    DecodeScratch scratch;
    const Status status =
        DecodeSharedCodes(node.bytes, 8, node.num_values, 1000, &scratch, back.data());
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(std::equal(back.begin(), back.end(), codes.begin() + static_cast<int>(at)));
    at += back.size();
  }
}

// A page that is priced is encoded again, and takes more than expected once.
TEST(StreamEncoder, PricingDoesNotAddUp) {
  const std::vector<uint64_t> values = Small(kPage, 1);
  RememberedPlan remembered;
  EncodeStream(View(values), kPage, {}, &remembered);
  remembered.proven.bytes_per_value *= 0.8;
  const double chosen = remembered.choose_seconds;
  for (int i = 0; i < 20; ++i) PricePage(View(values), {}, &remembered, 0);
  EXPECT_EQ(remembered.excess, 0);
  EXPECT_EQ(remembered.choose_seconds, chosen);
  EncodeStream(View(values), kPage, {}, &remembered);
  EXPECT_GT(remembered.excess, 0);
}

// A sample may promise what the page does not hold; then the old plan stays, with what it takes
// now.
TEST(StreamEncoder, AChoiceThatDoesNoBetterIsNotTaken) {
  const std::vector<uint64_t> values = Small(kPage, 1);
  RememberedPlan remembered;
  EncodeStream(View(values), kPage, {}, &remembered);
  const ProvenPlan proven = remembered.proven;
  remembered.proven.plan.estimated_bytes = -1;
  remembered.proven.bytes_per_value /= 2;
  const double chosen = remembered.choose_seconds;
  const EncodedStream stream = EncodeStream(View(values), kPage, {}, &remembered);
  EXPECT_EQ(Decode(stream), values);
  EXPECT_GT(remembered.choose_seconds, chosen);
  EXPECT_EQ(remembered.proven.plan.estimated_bytes, -1);
  EXPECT_EQ(remembered.proven.bytes_per_value, proven.bytes_per_value);

  // One that needs less time to decode is, if it takes no more.
  remembered.proven.bytes_per_value /= 2;
  remembered.proven.ns_per_value = 100;
  EncodeStream(View(values), kPage, {}, &remembered);
  EXPECT_NE(remembered.proven.plan.estimated_bytes, -1);
}

}  // namespace
}  // namespace dsi::internal
