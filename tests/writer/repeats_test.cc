// What a sample says of ids, and dictionaries that are not made because of it.
#include "dsi/writer/encode/repeats_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "dsi/base/split_mix_internal.h"
#include "dsi/writer/encode/id_space_choice_internal.h"

namespace dsi::internal {
namespace {

uint64_t Id(uint64_t number) { return SplitMix64(1, number); }

TEST(Repeats, ASampleCountsWhatDiffers) {
  for (const uint64_t differ : {1'000U, 20'000U, 300'000U}) {
    for (const bool hashed : {false, true}) {
      RepeatSample<uint64_t> sample;
      std::vector<uint64_t> ids(300'000);
      for (size_t i = 0; i < ids.size(); ++i) ids[i] = hashed ? Id(i % differ) : i % differ;
      sample.Add(ids);
      const Repeats repeats = sample.Count();
      EXPECT_EQ(repeats.total, 300'000);
      const auto expected = static_cast<double>(differ);
      EXPECT_NEAR(repeats.distinct, expected, expected * 0.35) << hashed;
      EXPECT_NEAR(repeats.bits, hashed ? 64 : std::bit_width(differ - 1), 1);
    }
  }
  EXPECT_EQ(RepeatSample<uint32_t>().Count().MostSaved(), 0);
}

TEST(Repeats, WhatADictionarySaves) {
  EXPECT_LT((Repeats{.total = 1e6, .distinct = 1e6, .bits = 64}).MostSaved(), 0.02);
  EXPECT_GT((Repeats{.total = 1e6, .distinct = 5e5, .bits = 64}).MostSaved(), 0.2);
  EXPECT_GT((Repeats{.total = 1e6, .distinct = 1e3, .bits = 20}).MostSaved(), 0.5);
  const Repeats one{.total = 1000, .distinct = 500, .bits = 20};
  EXPECT_TRUE((Repeats{.total = 1050, .distinct = 480, .bits = 20}).IsLike(one));
  EXPECT_FALSE((Repeats{.total = 1050, .distinct = 300, .bits = 20}).IsLike(one));
  EXPECT_FALSE((Repeats{.total = 2000, .distinct = 500, .bits = 20}).IsLike(one));
}

// A stripe of ids with what was remembered of those before.
struct Stripes {
  Stripes() {
    options.page_values = 4096;
    options.plans = &plans;
  }

  // Whether they have a dictionary.
  bool Choose(const std::vector<uint64_t>& ids) {
    std::vector<IdSpaceMember<uint64_t>> members(1);
    members[0].slot = 1;
    members[0].bytes.resize(ids.size() * sizeof(ids[0]));
    std::memcpy(members[0].bytes.data(), ids.data(), members[0].bytes.size());
    return !ChooseDictionary<uint64_t>(0, options, members).ids.empty();
  }

  PlanMemory plans{8, false};
  StripeOptions options;
};

std::vector<uint64_t> Ids(size_t count, uint64_t differ) {
  std::vector<uint64_t> ids(count);
  for (size_t i = 0; i < count; ++i) ids[i] = Id(Id(i) % differ);
  return ids;
}

TEST(Repeats, ARefusalIsRememberedWhileIdsAreAlike) {
  Stripes stripes;
  std::vector<uint64_t> unique(100'000);
  for (size_t i = 0; i < unique.size(); ++i) unique[i] = Id(i);
  EXPECT_FALSE(stripes.Choose(unique));
  EXPECT_TRUE(stripes.plans.Of(0)->refused.has_value());
  // Others than those refused are looked at, and may have one.
  EXPECT_TRUE(stripes.Choose(Ids(100'000, 500)));
  EXPECT_FALSE(stripes.plans.Of(0)->refused.has_value());
  EXPECT_FALSE(stripes.Choose(unique));
  // What was refused once is not weighed again: codes would be kept of it.
  stripes.plans.Of(0)->refused = Repeats{.total = 100'000, .distinct = 500, .bits = 64};
  const auto few = Ids(100'000, 500);
  RepeatSample<uint64_t> sample;
  sample.Add(few);
  stripes.plans.Of(0)->refused = sample.Count();
  EXPECT_FALSE(stripes.Choose(few));
}

}  // namespace
}  // namespace dsi::internal
