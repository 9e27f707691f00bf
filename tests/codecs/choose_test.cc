// Choices: on synthetic arrays the plan that the choice takes is within 5 % of the smallest of many
// forced plans, and of the kind that the data calls for. Sizes are those of whole arrays, so a
// sample that misleads shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

// Bytes count for nearly everything; of equal ones the faster is taken.
EncodeTuning SmallestTuning() {
  EncodeTuning tuning;
  tuning.ns_per_byte = 10;
  tuning.accept_ratio = 1.0;
  return tuning;
}

std::vector<uint64_t> Normals32(size_t count, uint32_t cleared_bits) {
  std::mt19937_64 random(5);
  return Generate(count, [&](size_t) {
    // Twelve uniform numbers sum to a normal one: the same on every platform, unlike the library's
    // distribution.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    return std::bit_cast<uint32_t>(static_cast<float>(sum)) & ~((uint32_t{1} << cleared_bits) - 1);
  });
}

// Lists of 40 ids, each the one before shifted by one or, now and then, new: what a history looks
// like.
std::vector<uint64_t> Histories(size_t count, uint64_t distinct) {
  std::mt19937_64 random(6);
  const auto id = [&] {
    return (random() % distinct * random() % distinct + 1) * 0x9E3779B97F4A7C15ULL >> 1;
  };
  std::vector<uint64_t> values;
  std::vector<uint64_t> list;
  while (values.size() < count) {
    if (list.empty() || random() % 20 == 0) list = Generate(40, [&](size_t) { return id(); });
    list.erase(list.begin());
    list.push_back(id());
    values.insert(values.end(), list.begin(), list.end());
  }
  values.resize(count);
  return values;
}

struct Case {
  std::string name;
  int width;
  std::vector<uint64_t> values;
  std::string expected;  // What usually wins, for people.
  bool is_float = false;
  double most_bits_per_value = 64;
};

std::vector<Case> Cases() {
  std::mt19937_64 random(7);
  const size_t n = 65536;
  std::vector<Case> cases;
  cases.push_back(
      {"one value", 8, Generate(n, [](size_t) { return 99U; }), "constant", false, 0.01});
  cases.push_back({"random 17 bits", 8, Generate(n, [&](size_t) { return random() >> 47; }),
                   "packed", false, 17.1});
  cases.push_back({"random 17 bits far from zero", 8,
                   Generate(n, [&](size_t) { return (uint64_t{1} << 60) + (random() >> 47); }),
                   "packed", false, 17.1});
  cases.push_back({"small negatives", 4, Generate(n, [&](size_t) { return random() % 200 - 100; }),
                   "packed", false, 8.1});
  cases.push_back(
      {"random 64 bits", 8, Generate(n, [&](size_t) { return random(); }), "", false, 64.1});
  cases.push_back(
      {"row numbers", 4, Generate(n, [](size_t i) { return i; }), "delta(constant", false, 0.1});
  uint64_t time = 1'700'000'000'000;
  cases.push_back({"timestamps", 8, Generate(n, [&](size_t) { return time += random() % 1000; }),
                   "delta(", false, 11.2});
  uint64_t pace = 1'000'000;
  cases.push_back({"timestamps of a clock whose pace drifts", 8,
                   Generate(n, [&](size_t) { return time += pace += random() % 3; }),
                   "delta(delta(packed", false, 2.1});
  // A jump or more in every packed block.
  cases.push_back({"timestamps of short sessions", 8,
                   Generate(n,
                            [&](size_t) {
                              return time +=
                                     random() % 50 == 0 ? 1'000'000 + random() % 1'000'000 : 2;
                            }),
                   "delta(", false, 1.0});
  uint64_t state = 0;
  cases.push_back(
      {"long runs", 4,
       Generate(n, [&](size_t) { return random() % 300 == 0 ? state = random() : state; }), "runs",
       false, 0.3});
  cases.push_back(
      {"labels", 1, Generate(n, [&](size_t) { return random() % 2; }), "packed", false, 1.01});
  cases.push_back({"rare events", 8,
                   Generate(n, [&](size_t) { return random() % 400 == 0 ? random() : 0U; }),
                   "sparse", false, 0.3});
  // Where no sample of pieces looks.
  cases.push_back({"two values that are not zero", 8,
                   Generate(n,
                            [](size_t i) -> uint64_t {
                              return i == 5'001 || i == 30'000 ? 0x9E3779B97F4A7C15 : 0;
                            }),
                   "sparse", false, 0.02});
  const std::vector<uint64_t> pool = Generate(1000, [&](size_t) { return random() >> 1; });
  cases.push_back({"few hashed ids", 8, Generate(n, [&](size_t) { return pool[random() % 1000]; }),
                   "dictionary", false, 11.3});
  const std::vector<uint64_t> wide_pool = Generate(60000, [&](size_t) { return random() >> 1; });
  cases.push_back({"many hashed ids in a large page", 8,
                   Generate(1 << 20, [&](size_t) { return wide_pool[random() % 60000]; }),
                   "dictionary", false, 19.5});
  std::vector<uint64_t> sorted = Generate(98000, [&](size_t) { return random() >> 1; });
  std::sort(sorted.begin(), sorted.end());
  cases.push_back({"sorted hashed ids", 8, sorted, "delta(", false, 49.5});
  cases.push_back({"multiples of 2^20", 8,
                   Generate(n, [&](size_t) { return (random() >> 50) << 20; }), "shifted:20", false,
                   14.1});
  cases.push_back({"normal floats, 12 bits cleared", 4, Normals32(n, 12), "split:", true, 14.6});
  cases.push_back({"normal floats", 4, Normals32(n, 0), "split:", true, 26.8});
  cases.push_back({"histories of few ids", 8, Histories(n, 3000), "dictionary(", false, 4});
  const auto price = [&] { return static_cast<double>(random() % 20000) / 100; };
  cases.push_back({"prices as float64", 8,
                   Generate(n, [&](size_t) { return std::bit_cast<uint64_t>(price()); }),
                   "decimal:2(packed", true, 15.1});
  cases.push_back({"prices as float32, a few unknown", 4,
                   Generate(n,
                            [&](size_t) -> uint64_t {
                              if (random() % 100 == 0) return 0x7FC00000;
                              return std::bit_cast<uint32_t>(static_cast<float>(price()));
                            }),
                   "decimal:2(packed", true, 15.4});
  const auto skewed_price = [&] {
    const auto bits = static_cast<int>(random() % 17);
    return static_cast<double>(random() >> 1 >> (63 - bits)) / 100;
  };
  cases.push_back({"prices, most of them low", 8,
                   Generate(n, [&](size_t) { return std::bit_cast<uint64_t>(skewed_price()); }),
                   "decimal:2(skewed", true, 12});
  // What repeats lies farther apart than a sample is long.
  const std::vector<uint64_t> period = Generate(20000, [&](size_t) { return random() % 5000; });
  cases.push_back({"repeats far apart", 2, Generate(n, [&](size_t i) { return period[i % 20000]; }),
                   "compressed", false, 4.5});
  const std::vector<uint64_t> noise = Generate(20000, [&](size_t) { return random() % 256; });
  cases.push_back({"noise that repeats far apart", 1,
                   Generate(n, [&](size_t i) { return noise[i % 20000]; }), "compressed", false,
                   2.5});
  cases.push_back(
      {"text-like bytes", 1,
       Generate(n,
                [&](size_t) { return static_cast<uint64_t>(std::countr_zero(random() | 0x80)); }),
       "compressed", false, 2.7});
  return cases;
}

// Every plan that a careful person would try, children included.
std::vector<EncodePlan> ForcedPlans(const Case& c) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan zstd = Plan(Encoding::kCompressed, {raw}, 1);
  const EncodePlan runs = Plan(Encoding::kRuns, {packed, packed});
  const std::vector<EncodePlan> leaves = {packed, zstd, runs};
  std::vector<EncodePlan> plans = {raw, packed, Plan(Encoding::kConstant), zstd,
                                   Plan(Encoding::kCompressed, {raw}, 2)};
  for (const EncodePlan& leaf : leaves) {
    plans.push_back(Plan(Encoding::kDelta, {leaf}));
    plans.push_back(Plan(Encoding::kDelta, {Plan(Encoding::kSplit, {leaf}, 0, 0)}));
    plans.push_back(Plan(Encoding::kDelta, {Plan(Encoding::kDelta, {leaf})}));
    plans.push_back(Plan(Encoding::kRuns, {leaf, packed}));
    plans.push_back(Plan(Encoding::kRuns, {leaf, zstd}));
    plans.push_back(Plan(Encoding::kSparse, {leaf, packed}));
    plans.push_back(Plan(Encoding::kSparse, {Plan(Encoding::kDelta, {packed}), leaf}));
    plans.push_back(Plan(Encoding::kDictionary, {Plan(Encoding::kDelta, {packed}), leaf}));
    plans.push_back(Plan(Encoding::kDictionary, {packed, leaf}));
    for (const int exponent : {0, 1, 2, 3, 6})
      plans.push_back(Plan(Encoding::kDecimal, {leaf, packed, leaf}, exponent));
    uint64_t any = 0;
    for (const uint64_t value : c.values) any |= value;
    const int shift = any == 0 ? 0 : std::countr_zero(any);
    const int bits = static_cast<int>(std::bit_width(any >> shift));
    for (int low = 0; low + shift < 8 * c.width; ++low) {
      if (bits - low >= 1) plans.push_back(Plan(Encoding::kSplit, {leaf, packed}, low, shift));
    }
  }
  return plans;
}

class ChooseTest : public testing::TestWithParam<size_t> {};

TEST_P(ChooseTest, WithinFivePercentOfTheSmallest) {
  const Case c = Cases()[GetParam()];
  SCOPED_TRACE(c.name + ", usually " + c.expected);
  const EncodeTuning tuning = SmallestTuning();
  const Array array(c.width, c.values);
  const ArrayView view = array.view(c.is_float);
  const EncodePlan plan = ChoosePlan(view, tuning);
  Bytes chosen;
  EncodeNode(view, plan, tuning, &chosen);
  std::vector<uint8_t> decoded;
  ASSERT_TRUE(Decode(chosen, c.width, array.count, &decoded).ok());
  ASSERT_TRUE(SameBytes(decoded, array));

  size_t smallest = ~size_t{0};
  std::string winner;
  for (const EncodePlan& forced : ForcedPlans(c)) {
    const Bytes node = Encode(array, forced, tuning);
    if (static_cast<Encoding>(node[0]) != forced.encoding || node.size() >= smallest) continue;
    smallest = node.size();
    winner = forced.ToString();
  }
  const double bits = 8.0 * static_cast<double>(chosen.size()) / static_cast<double>(array.count);
  const std::string words = plan.ToString();
  std::printf("%-32s %6.2f bits  %-60s best of forced: %zu against %zu, %s\n", c.name.c_str(), bits,
              words.c_str(), smallest, chosen.size(), winner.c_str());
  // Small arrays may differ by what a few node headers and a sample's luck are worth.
  EXPECT_LE(static_cast<double>(chosen.size()), 1.05 * static_cast<double>(smallest) + 512)
      << words << " against " << winner;
  EXPECT_LE(bits, 1.05 * c.most_bits_per_value) << words;
}

INSTANTIATE_TEST_SUITE_P(Cases, ChooseTest, testing::Range(size_t{0}, Cases().size()));

// Where decoding must be fast, nothing is compressed for a small gain; without codecs, never.
TEST(ChooseTuningTest, TuningIsObeyed) {
  const Array array(8, Histories(65536, 3000));
  EncodeTuning fast;
  fast.ns_per_byte = 0.01;
  EXPECT_EQ(ChoosePlan(array.view(), fast).ToString().find("compressed"), std::string::npos);
  EncodeTuning none = SmallestTuning();
  none.zstd_level = 0;
  none.lz4 = false;
  EXPECT_EQ(ChoosePlan(array.view(), none).ToString().find("compressed"), std::string::npos);
  EXPECT_NE(ChoosePlan(array.view(), SmallestTuning()).ToString().find("compressed"),
            std::string::npos);
}

// Entries stand by use where codes are skewed, and ascending where nothing is gained by it.
TEST(ChooseTuningTest, DictionariesByUse) {
  std::mt19937_64 random(5);
  const std::vector<uint64_t> pool = Generate(1000, [&](size_t) { return random(); });
  const Array skewed(8, Generate(65536, [&](size_t) {
                       return pool[random() % (1 + random() % (1 + random() % 1000))];
                     }));
  EncodePlan plan = ChoosePlan(skewed.view(), {});
  ASSERT_EQ(plan.encoding, Encoding::kDictionary) << plan.ToString();
  EXPECT_TRUE(plan.by_use);
  const auto size = [&](const EncodePlan& p) {
    Bytes node;
    EncodeNode(skewed.view(), p, {}, &node);
    return static_cast<double>(node.size());
  };
  const double by_use = size(plan);
  plan.by_use = false;
  EXPECT_LT(by_use, 0.95 * size(plan));

  const Array even(8, Generate(65536, [&](size_t) { return pool[random() % 1000]; }));
  const EncodePlan ascending = ChoosePlan(even.view(), {});
  ASSERT_EQ(ascending.encoding, Encoding::kDictionary) << ascending.ToString();
  EXPECT_FALSE(ascending.by_use);
}

// What a node takes to decode is what the choice thought, where it saw all values. Codecs are tried
// at another level than they are used.
TEST(ChooseTuningTest, DecodeTimeIsThatOfTheChoice) {
  for (const Shape& shape : Shapes()) {
    for (const int width : {1, 2, 4, 8}) {
      const Array array(width, shape.make(4096, width, 3));
      const EncodePlan plan = ChoosePlan(array.view(), {});
      Bytes node;
      if (EncodeNode(array.view(), plan, {}, &node).instead) continue;
      const Result<double> ns = DecodeNs(node, array.count);
      ASSERT_TRUE(ns.ok()) << ns.status().ToString();
      EXPECT_NEAR(*ns, plan.estimated_ns, 0.05 * plan.estimated_ns + 40)
          << shape.name << " u" << 8 * width << ": " << plan.ToString();
    }
  }
}

// E-003: with the level that a shared dictionary adds, no choice nests too deep.
TEST(ChooseTuningTest, PlansStayInDepth) {
  const auto height = [](const auto& self, const EncodePlan& plan) -> int {
    int deepest = 0;
    for (const EncodePlan& child : plan.children) deepest = std::max(deepest, self(self, child));
    return deepest + 1;
  };
  for (const Shape& shape : Shapes()) {
    for (const int width : {1, 2, 4, 8}) {
      const Array array(width, shape.make(20000, width, 3));
      const EncodePlan plan = ChoosePlan(array.view(true), SmallestTuning());
      EXPECT_LE(height(height, plan), 5) << plan.ToString();
    }
  }
}

}  // namespace
}  // namespace dsi::internal
