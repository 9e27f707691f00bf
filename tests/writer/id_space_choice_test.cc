// Which columns of an id space share a dictionary, and in what order its ids are.
#include "dsi/writer/encode/id_space_choice_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace dsi::internal {
namespace {

constexpr uint32_t kPage = 4096;
constexpr size_t kPages = 8;

using Ids = std::vector<uint64_t>;

// Looks like chance, and no two numbers give the same.
uint64_t Id(uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15;
  number = (number ^ number >> 29) * 0xBF58476D1CE4E5B9;
  return number ^ number >> 32;
}

Ids Fill(const std::function<uint64_t(size_t)>& number) {
  Ids ids(kPage * kPages);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = Id(number(i));
  return ids;
}

uint64_t Shuffled(size_t i, uint64_t among) { return Id(i) % among; }

struct Space {
  explicit Space(const std::vector<Ids>& columns) {
    options.page_values = kPage;
    options.plans = &plans;
    for (const Ids& ids : columns) {
      IdSpaceMember<uint64_t>& m = members.emplace_back();
      m.slot = static_cast<uint32_t>(members.size());
      m.bytes.resize(ids.size() * sizeof(ids[0]));
      if (!ids.empty()) std::memcpy(m.bytes.data(), ids.data(), m.bytes.size());
    }
  }

  // Of what is chosen. Codes must mean the ids.
  std::vector<IdWay> Ways() {
    dictionary = ChooseDictionary<uint64_t>(0, options, members);
    std::vector<IdWay> ways;
    for (const IdSpaceMember<uint64_t>& m : members) {
      ways.push_back(m.way);
      if (m.way != kIdsWay) ExpectCodesMeanIds(m);
    }
    return ways;
  }

  void ExpectCodesMeanIds(const IdSpaceMember<uint64_t>& m) const {
    ASSERT_EQ(m.codes.size(), m.values().size());
    size_t next_literal = 0;
    for (size_t i = 0; i < m.codes.size(); ++i) {
      const bool is_literal = m.codes[i] == dictionary.ids.size();
      ASSERT_EQ(is_literal ? m.literals[next_literal++] : dictionary.ids[m.codes[i]],
                m.values()[i]);
    }
    EXPECT_EQ(next_literal, m.literals.size());
  }

  PlanMemory plans{8, false};
  StripeOptions options;
  std::vector<IdSpaceMember<uint64_t>> members;
  IdDictionary<uint64_t> dictionary;
};

TEST(IdSpaceChoice, FewIdsAreCodes) {
  Space space({Fill([](size_t i) { return Shuffled(i, 64); })});
  EXPECT_EQ(space.Ways(), std::vector{kCodesWay});
  EXPECT_TRUE(std::is_sorted(space.dictionary.ids.begin(), space.dictionary.ids.end()));
  EXPECT_EQ(space.dictionary.ids.size(), 64U);
}

TEST(IdSpaceChoice, IdsThatDoNotRepeatAreStoredAsTheyAre) {
  Space space({Fill([](size_t i) { return i; })});
  EXPECT_EQ(space.Ways(), std::vector{kIdsWay});
  EXPECT_TRUE(space.dictionary.ids.empty());
  EXPECT_TRUE(space.members[0].codes.empty());
}

// By the first page alone, which is one id, codes would save nothing.
TEST(IdSpaceChoice, TheFirstPageDoesNotSpeakForAll) {
  Space space({Fill([](size_t i) { return i < kPage ? 0 : Shuffled(i, 500); })});
  EXPECT_NE(space.Ways(), std::vector{kIdsWay});
}

TEST(IdSpaceChoice, SkewedIdsAreOrderedByUse) {
  Space space({Fill([](size_t i) { return Shuffled(i, 1 + Shuffled(i + 1, 1 + i % 1000)); })});
  EXPECT_EQ(space.Ways(), std::vector{kCodesByUseWay});
  EXPECT_EQ(space.dictionary.way, kCodesWay);
  std::vector<size_t> uses(space.dictionary.ids.size());
  for (const uint32_t code : space.members[0].codes) ++uses[code];
  EXPECT_TRUE(std::is_sorted(uses.rbegin(), uses.rend()));
}

// By itself none pays for a dictionary of its ids.
TEST(IdSpaceChoice, ColumnsPayForADictionaryTogether) {
  const Ids ids = Fill([](size_t i) { return Shuffled(i, 150'000); });
  Ids rotated = ids;
  std::rotate(rotated.begin(), rotated.begin() + 1000, rotated.end());
  Space alone({ids});
  EXPECT_EQ(alone.Ways(), std::vector{kIdsWay});
  Space together({ids, rotated});
  EXPECT_EQ(together.Ways(), std::vector(2, kCodesWay));
}

// Who reads a column of few ids alone does not read a dictionary of many.
TEST(IdSpaceChoice, AColumnLeavesADictionaryThatIsTooLargeForIt) {
  const Ids few = Fill([](size_t i) { return i / 1000; });
  const Ids many = Fill([](size_t i) { return Shuffled(i, 4096); });
  Space space({few, many});
  const std::vector<IdWay> ways = space.Ways();
  EXPECT_EQ(ways[0], kIdsWay);
  EXPECT_NE(ways[1], kIdsWay);
  EXPECT_TRUE(space.members[0].codes.empty());
  Space tiers({few, many});
  tiers.members[0].is_read_alone = false;
  EXPECT_NE(tiers.Ways()[0], kIdsWay);
}

// Two columns that would lose by a dictionary do not keep a third from it, nor live at its cost.
TEST(IdSpaceChoice, WhoLosesLeavesAndOthersStay) {
  const auto narrow = [](size_t k) {
    Ids ids(kPage * kPages);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = Shuffled(i + k, 1 << 18);
    return ids;
  };
  const Ids few = Fill([](size_t i) { return Shuffled(i, 500); });
  Space space({narrow(0), few, narrow(5000)});
  EXPECT_EQ(space.Ways(), (std::vector{kIdsWay, kCodesWay, kIdsWay}));
  EXPECT_EQ(space.dictionary.ids.size(), 500U);
}

TEST(IdSpaceChoice, EmptyColumnsAndNone) {
  Space none({});
  EXPECT_TRUE(none.Ways().empty());
  Space empty({{}, Fill([](size_t i) { return Shuffled(i, 64); })});
  EXPECT_EQ(empty.Ways(), (std::vector{kIdsWay, kCodesWay}));
}

}  // namespace
}  // namespace dsi::internal
