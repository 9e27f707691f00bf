// Plans that streams share: given to pages that look alike, and to no others, once they are
// offered.
#include "dsi/writer/encode/plan_memory_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "dsi/codecs/width_internal.h"
#include "dsi/writer/encode/stream_encoder_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kCount = 16'384;

using Words = std::vector<uint64_t>;
using Draw = std::function<Words(std::mt19937_64*)>;

Words Fill(const std::function<uint64_t(size_t)>& value) {
  Words words(kCount);
  for (size_t i = 0; i < kCount; ++i) words[i] = value(i);
  return words;
}

// Values that ask for different encodings, several of them with the same range and bytes.
const std::map<std::string, Draw>& Kinds() {
  static const std::map<std::string, Draw> kinds = {
      {"numbers", [](auto* r) { return Fill([&](size_t) { return (*r)() % 4000; }); }},
      {"sorted",
       [](auto* r) {
         Words words = Fill([&](size_t) { return (*r)() % 4000; });
         std::sort(words.begin(), words.end());
         return words;
       }},
      {"repeated far away",
       [](auto* r) {
         const Words block = Fill([&](size_t) { return (*r)() % 4000; });
         return Fill([&](size_t i) { return block[i % 5000]; });
       }},
      {"runs",
       [](auto* r) {
         const Words words = Fill([&](size_t) { return (*r)() % 4000; });
         return Fill([&](size_t i) { return words[i / 10]; });
       }},
      {"wider numbers", [](auto* r) { return Fill([&](size_t) { return (*r)() % 40'000; }); }},
      {"even numbers", [](auto* r) { return Fill([&](size_t) { return (*r)() % 2000 * 2; }); }},
      {"skewed", [](auto* r) { return Fill([&](size_t) { return uint64_t{1} << (*r)() % 12; }); }},
      {"mostly zero",
       [](auto* r) { return Fill([&](size_t) { return (*r)() % 50 ? 0 : (*r)() % 4000; }); }},
      {"hashes", [](auto* r) { return Fill([&](size_t) { return (*r)(); }); }},
      {"ascending", [](auto*) { return Fill([](size_t i) { return i * 3; }); }},
  };
  return kinds;
}

PageProfile Profile(const Words& words) { return ProfileOf(ViewOf<uint64_t>(words), {}); }

TEST(PageProfile, TellsKindsApart) {
  for (const auto& [name, draw] : Kinds()) {
    std::mt19937_64 random(1);
    std::mt19937_64 other_random(2);
    const PageProfile profile = Profile(draw(&random));
    for (const auto& [other, draw_other] : Kinds()) {
      EXPECT_EQ(AreAlike(profile, Profile(draw_other(&other_random))), name == other)
          << name << ", " << other;
    }
  }
}

TEST(PageProfile, TellsPlacesApart) {
  std::mt19937_64 random(1);
  const Words words = Kinds().at("numbers")(&random);
  const PageProfile profile = Profile(words);
  ArrayView floats = ViewOf<uint64_t>(words);
  floats.is_float = true;
  EXPECT_FALSE(AreAlike(profile, ProfileOf(floats, {})));
  EXPECT_FALSE(AreAlike(profile, ProfileOf(ViewOf<uint64_t>(std::span(words).first(1000)), {})));
  StreamTuning dearer;
  dearer.ns_per_byte *= 2;
  EXPECT_FALSE(AreAlike(profile, ProfileOf(ViewOf<uint64_t>(words), dearer)));
}

// Floats of few decimals have the bytes of noise, and take half the space.
TEST(PageProfile, TellsDecimalsFromNoise) {
  const auto profile = [](double unit, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> values(kCount);
    for (double& value : values) {
      value = std::uniform_real_distribution<double>(1, 10'000)(random);
      if (unit != 0) value = std::round(value / unit) * unit;
      if (unit != 0) value = std::round(value * 1e6) / 1e6;
    }
    ArrayView view{.values = values.data(), .count = kCount};
    view.is_float = true;
    return ProfileOf(view, {});
  };
  EXPECT_TRUE(AreAlike(profile(1e-4, 1), profile(1e-4, 2)));
  EXPECT_TRUE(AreAlike(profile(0, 1), profile(0, 2)));
  EXPECT_FALSE(AreAlike(profile(1e-4, 1), profile(0, 2)));
  EXPECT_FALSE(AreAlike(profile(1e-6, 1), profile(0, 2)));
  EXPECT_FALSE(AreAlike(profile(1e-6, 1), profile(1e-4, 2)));
}

class PlanMemoryTest : public ::testing::Test {
 protected:
  // A mark that a choice would wipe out.
  static constexpr double kMark = -1;

  void Encode(PlanMemory* memory, uint32_t slot, const std::string& kind, uint64_t seed) {
    std::mt19937_64 random(seed);
    EncodeStream(ViewOf<uint64_t>(Kinds().at(kind)(&random)), kCount, {}, memory->Of(slot));
  }
  double Mark(PlanMemory* memory, uint32_t slot) {
    return memory->Of(slot)->proven.plan.estimated_bytes;
  }
  // Slot 0 is encoded and marked, and shared if asked; then slot 1 is encoded.
  double MarkOfSecond(bool shares, bool share, const std::string& kind) {
    PlanMemory memory(2, shares);
    Encode(&memory, 0, "numbers", 1);
    memory.Of(0)->proven.plan.estimated_bytes = kMark;
    if (share) memory.Share();
    Encode(&memory, 1, kind, 2);
    return Mark(&memory, 1);
  }
};

// A plan that stays when it is put to the test is still there for others.
TEST_F(PlanMemoryTest, AConfirmedPlanIsShared) {
  PlanMemory memory(2, true);
  Encode(&memory, 0, "numbers", 1);
  ProvenPlan& proven = memory.Of(0)->proven;
  proven.plan.estimated_bytes = kMark;
  proven.bytes_per_value /= 2;
  Encode(&memory, 0, "numbers", 2);
  ASSERT_EQ(Mark(&memory, 0), kMark);
  memory.Share();
  Encode(&memory, 1, "numbers", 3);
  EXPECT_EQ(Mark(&memory, 1), kMark);
}

TEST_F(PlanMemoryTest, AlikeStreamsShareAPlan) {
  EXPECT_EQ(MarkOfSecond(true, true, "numbers"), kMark);
  EXPECT_NE(MarkOfSecond(true, true, "sorted"), kMark);
}

TEST_F(PlanMemoryTest, NothingIsTakenBeforeItIsShared) {
  EXPECT_NE(MarkOfSecond(true, false, "numbers"), kMark);
  EXPECT_NE(MarkOfSecond(false, true, "numbers"), kMark);
}

// Pages that look alike and yet do not come to the same size get a choice of their own.
TEST_F(PlanMemoryTest, SizeMustAgree) {
  PlanMemory memory(3, true);
  Encode(&memory, 0, "numbers", 1);
  memory.Of(0)->proven.plan.estimated_bytes = kMark;
  memory.Of(0)->proven.bytes_per_value *= 1.1;
  memory.Share();
  Encode(&memory, 1, "numbers", 2);
  EXPECT_NE(Mark(&memory, 1), kMark);
  // The first does not keep others from sharing the second.
  memory.Of(1)->proven.plan.estimated_bytes = kMark;
  memory.Share();
  Encode(&memory, 2, "numbers", 3);
  EXPECT_EQ(Mark(&memory, 2), kMark);
}

TEST_F(PlanMemoryTest, CountsTheTimeOfChoices) {
  PlanMemory memory(2, false);
  EXPECT_EQ(memory.choose_seconds(), 0);
  Encode(&memory, 0, "numbers", 1);
  const double once = memory.choose_seconds();
  EXPECT_GT(once, 0);
  Encode(&memory, 0, "numbers", 2);
  EXPECT_EQ(memory.choose_seconds(), once);
}

}  // namespace
}  // namespace dsi::internal
