// Scores of shared ids: values worked out by hand, sums by a map over random lists, what is no
// number, long lists.
#include <cfenv>
#include <cmath>
#include <map>

#include "dsi/tests/support/flush_floats.h"
#include "dsi/tests/transform/test_rows.h"

namespace dsi {
namespace {

using namespace test;
using F = Lists<float>;
const std::nullopt_t kMissing = std::nullopt;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Scored {
  std::vector<int64_t> ids;
  std::vector<float> scores;
};

RowsBuilder BuildScored(const std::vector<std::optional<Scored>>& rows) {
  RowsBuilder builder;
  builder.Reset({RowShape::kScored, Type::kInt64});
  for (const auto& row : rows) {
    if (!row) {
      builder.EndMissing();
      continue;
    }
    EXPECT_EQ(row->ids.size(), row->scores.size());
    auto* const to = static_cast<int64_t*>(builder.AddValues(row->ids.size()));
    std::copy(row->ids.begin(), row->ids.end(), to);
    std::copy(row->scores.begin(), row->scores.end(), builder.LastScores());
    builder.EndRow();
  }
  return builder;
}

// Of one row each.
float ResultOf(TransformOp op, const Scored& a, const Scored& b) {
  const RowsBuilder first = BuildScored({a});
  const RowsBuilder second = BuildScored({b});
  const F out = RunOn<float>({.op = op}, {first.View(), second.View()});
  EXPECT_EQ(out.size(), 1U);
  return out.empty() || !out[0] ? -1 : (*out[0])[0];
}

Scored Ids(std::vector<int64_t> ids) {
  std::vector<float> scores(ids.size(), 100.0F);  // That nothing may look at.
  return {std::move(ids), std::move(scores)};
}

testing::AssertionResult HasBits(float number, uint32_t bits) {
  uint32_t found = 0;
  std::memcpy(&found, &number, sizeof(found));
  if (found == bits) return testing::AssertionSuccess();
  return testing::AssertionFailure() << number << " of bits " << std::hex << found;
}
constexpr uint32_t kNan = 0x7FC00000;

// As TorchArrow's get_score_sum, get_score_min, get_score_max and get_cosine_similarity have them
// in their own tests; the scored list is their second.
TEST(TransformScoreTest, T053T054PublishedVectors) {
  const RowsBuilder input =
      BuildScored({Scored{{1, 2, 3}, {1, 2, 3}}, Scored{{4, 5, 6}, {4, 5, 6}},
                   Scored{{7, 8, 9}, {7, 8, 9}}, Scored{{10, 10, 11, 12}, {10, 10, 11, 12}}});
  const RowsBuilder matching =
      BuildScored({Scored{{1, 2, 3}, {1, 2, 3}}, Scored{{0, 10}, {0, 10}},
                   Scored{{7, 10, 10}, {7, 10, 10}}, Scored{{10, 10, 11, 13}, {10, 10, 11, 13}}});
  const std::vector<RowsView> both = {matching.View(), input.View()};
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kScoreSum}, both), (F{{{6}}, {{0}}, {{7}}, {{31}}}));
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kScoreMin}, both), (F{{{1}}, {{0}}, {{7}}, {{10}}}));
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kScoreMax}, both), (F{{{3}}, {{0}}, {{7}}, {{11}}}));
  const auto cosine = [](double product, double a, double b) {
    return std::vector<float>{static_cast<float>(product / std::sqrt(a * b))};
  };
  const F expected = {{{1}},
                      {{0}},
                      cosine(49, 49 + 64 + 81, 49 + 400),
                      cosine(400 + 121, 400 + 121 + 144, 400 + 121 + 169)};
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kCosine}, both), expected);
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kCosine}, {input.View(), matching.View()}), expected);
}

TEST(TransformScoreTest, T053SharedScores) {
  const Scored a = {{4, 9, 4, 7, -1}, {0.5F, 8, -2, 3, 0.25F}};
  const Scored b = Ids({-1, 4, 4, 4, 5});
  EXPECT_EQ(ResultOf(TransformOp::kScoreSum, a, b),
            0.5F - 2 + 0.25F);  // 4, 4, -1, each entry once.
  EXPECT_EQ(ResultOf(TransformOp::kScoreMin, a, b), -2);
  EXPECT_EQ(ResultOf(TransformOp::kScoreMax, a, b), 0.5F);
  // Not the 0 of no entry where all scores are on one side of it.
  EXPECT_EQ(ResultOf(TransformOp::kScoreMin, a, Ids({9, 7})), 3);
  EXPECT_EQ(ResultOf(TransformOp::kScoreMax, {{4}, {-2}}, b), -2);
  for (const TransformOp op :
       {TransformOp::kScoreSum, TransformOp::kScoreMin, TransformOp::kScoreMax}) {
    EXPECT_TRUE(HasBits(ResultOf(op, a, Ids({1, 2})), 0));
    EXPECT_TRUE(HasBits(ResultOf(op, a, {}), 0));
    EXPECT_TRUE(HasBits(ResultOf(op, {}, b), 0));
    // The second may be a list or numbers; rows that one of them misses are missing.
    const RowsBuilder scored = BuildScored({a, a, kMissing});
    const RowsBuilder list = Build<int32_t>({{{9, 3}}, kMissing, {{9}}});
    const RowsBuilder number = Build<int64_t>({{{9}}, kMissing, {{9}}}, RowShape::kNumber);
    const F expected = {{{8}}, kMissing, kMissing};
    EXPECT_EQ(RunOn<float>({.op = op}, {scored.View(), list.View()}), expected);
    EXPECT_EQ(RunOn<float>({.op = op}, {scored.View(), number.View()}), expected);
    const auto out = RunStep({.op = op}, {{scored.View(), nullptr}, {list.View(), nullptr}}, 3);
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(static_cast<const float*>(out->View().values)[1], 0);  // T-003.
  }
}

// T-053: in float64, in the order of entries.
TEST(TransformScoreTest, T053OrderOfAdditions) {
  const Scored b = Ids({1, 2, 3});
  const auto sum = [&](std::vector<float> scores) {
    return ResultOf(TransformOp::kScoreSum, {{3, 1, 2}, std::move(scores)}, b);
  };
  EXPECT_EQ(sum({0x1p24F, 1, 1}), 0x1p24F + 2);  // As floats 2^24.
  EXPECT_EQ(sum({0x1p60F, 1, -0x1p60F}), 0);     // 1 is lost in 2^60.
  EXPECT_EQ(sum({0x1p60F, -0x1p60F, 1}), 1);
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(sum({most, most, -most}), most);
  EXPECT_EQ(sum({most, most, 0}), kInfinity);
}

TEST(TransformScoreTest, T005T053NoNumbers) {
  const float nan = -std::numeric_limits<float>::quiet_NaN();
  const Scored b = Ids({1, 2});
  const auto run = [&](TransformOp op, std::vector<float> scores) {
    return ResultOf(op, {{1, 3, 2}, std::move(scores)}, b);
  };
  for (const TransformOp op :
       {TransformOp::kScoreSum, TransformOp::kScoreMin, TransformOp::kScoreMax}) {
    EXPECT_TRUE(HasBits(run(op, {nan, 0, 1}), kNan));
    EXPECT_TRUE(HasBits(run(op, {1, 0, nan}), kNan));
    EXPECT_TRUE(HasBits(run(op, {-kInfinity, 0, nan}), kNan));
    EXPECT_EQ(run(op, {0.5F, nan, 0}), op == TransformOp::kScoreMin ? 0 : 0.5F);  // 3 counts not.
  }
  EXPECT_TRUE(HasBits(run(TransformOp::kScoreSum, {kInfinity, 0, -kInfinity}), kNan));
  EXPECT_EQ(run(TransformOp::kScoreSum, {kInfinity, 0, 1}), kInfinity);
  EXPECT_EQ(run(TransformOp::kScoreMin, {kInfinity, 0, kInfinity}), kInfinity);
  EXPECT_EQ(run(TransformOp::kScoreMax, {-kInfinity, 0, -kInfinity}), -kInfinity);
  constexpr uint32_t kMinusZero = 0x80000000;
  EXPECT_TRUE(HasBits(run(TransformOp::kScoreSum, {-0.0F, 0, -0.0F}), 0));
  for (const TransformOp op : {TransformOp::kScoreMin, TransformOp::kScoreMax}) {
    EXPECT_TRUE(HasBits(run(op, {-0.0F, 0, 0.0F}), kMinusZero));
    EXPECT_TRUE(HasBits(run(op, {0.0F, 0, -0.0F}), 0));
  }
}

TEST(TransformScoreTest, T054Cosine) {
  // 3·4 / (5 · 4): the scores of id 1 are added first.
  EXPECT_EQ(ResultOf(TransformOp::kCosine, {{1, 2, 1}, {1, 4, 2}}, {{1}, {4}}), 0.6F);
  EXPECT_EQ(ResultOf(TransformOp::kCosine, {{1, 2}, {1, 1}}, {{2, 1}, {-3, -3}}), -1);
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {{1}, {1}}, {{2}, {1}}), 0));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {}, {{2}, {1}}), 0));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {}, {}), 0));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {{1, 1}, {3, -3}}, {{1}, {1}}), 0));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {}, {{2}, {std::nanf("")}}), 0));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {{1}, {1}}, {{2}, {-std::nanf("")}}), kNan));
  EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, {{1}, {kInfinity}}, {{1}, {2}}), kNan));
  EXPECT_EQ(ResultOf(TransformOp::kCosine, {{1, 2}, {1, kInfinity}}, {{1}, {2}}), 0);
  const RowsBuilder a = BuildScored({Scored{{1}, {2}}, kMissing, Scored{{1}, {2}}});
  const RowsBuilder b = BuildScored({Scored{{1}, {5}}, Scored{{1}, {2}}, kMissing});
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kCosine}, {a.View(), b.View()}),
            (F{{{1}}, kMissing, kMissing}));
}

TEST(TransformScoreTest, T054OrderOfOperations) {
  const auto cosine = [](Scored a, Scored b) { return ResultOf(TransformOp::kCosine, a, b); };
  // Scores of an id from the first to the last: 1 is lost in 2^60.
  EXPECT_EQ(cosine({{1, 2, 1, 1}, {0x1p60F, 0, -0x1p60F, 1}}, {{1}, {1}}), 1);
  EXPECT_EQ(cosine({{1, 2, 1, 1}, {1, 0, 0x1p60F, -0x1p60F}}, {{1}, {1}}), 0);
  // Products by ids ascending, so that 1 comes last.
  const Scored b = {{-1, 2, 3}, {0x1p30F, -0x1p30F, 1}};
  EXPECT_EQ(cosine({{3, 2, -1}, {1, 0x1p30F, 0x1p30F}}, b), 0x1p-61F);
  EXPECT_EQ(cosine(b, {{3, 2, -1}, {1, 0x1p30F, 0x1p30F}}), 0x1p-61F);
  EXPECT_EQ(cosine({{3, -1, 2}, {1, 0x1p30F, 0x1p30F}}, b), 0x1p-61F);
  // Squares of 2^25 each, and a product of 23692727: halfway between two floats, which a quotient
  // by two roots, or by a product of two, does not hit.
  const std::vector<int64_t> ids = {1, 2, 3, 4, 5};
  EXPECT_TRUE(
      HasBits(cosine({ids, {693, 1479, 1006, 4559, 3015}}, {ids, {3161, 2431, 3235, 2255, 1450}}),
              0x3F34C2DC));
}

TEST(TransformScoreTest, T054NothingOverflows) {
  for (const float score : {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                            std::numeric_limits<float>::denorm_min()}) {
    const Scored one = {{1, 1, 2}, {score, score, score}};
    EXPECT_EQ(ResultOf(TransformOp::kCosine, one, one), 1) << score;
    EXPECT_EQ(ResultOf(TransformOp::kCosine, one, {{1, 2}, {2, 1}}), score < 0 ? -1 : 1) << score;
  }
}

Scored RandomList(std::mt19937_64* random) {
  Scored list;
  for (size_t k = (*random)() % 12; k > 0; --k) {
    list.ids.push_back(static_cast<int64_t>((*random)() % 9) - 4);
    list.scores.push_back(static_cast<float>(static_cast<int64_t>((*random)())) * 0x1p-60F);
  }
  return list;
}

std::map<int64_t, double> ScoresOf(const Scored& list) {
  std::map<int64_t, double> scores;
  for (size_t k = 0; k < list.ids.size(); ++k) scores[list.ids[k]] += list.scores[k];
  return scores;
}

double Square(const std::map<int64_t, double>& scores) {
  double square = 0;
  for (const auto& [id, score] : scores) square += score * score;
  return square;
}

// As T-053 and T-054 say it, with maps.
std::vector<float> Expected(const Scored& a, const Scored& b) {
  const auto x = ScoresOf(a);
  const auto y = ScoresOf(b);
  double sum = 0;
  std::vector<float> shared;
  for (size_t k = 0; k < a.ids.size(); ++k) {
    if (!y.contains(a.ids[k])) continue;
    sum += a.scores[k];
    shared.push_back(a.scores[k]);
  }
  double product = 0;
  for (const auto& [id, score] : x) product += y.contains(id) ? score * y.at(id) : 0;
  const double squares = Square(x) * Square(y);
  if (shared.empty()) shared.push_back(0);
  return {static_cast<float>(sum), *std::min_element(shared.begin(), shared.end()),
          *std::max_element(shared.begin(), shared.end()),
          squares == 0 ? 0 : static_cast<float>(product / std::sqrt(squares))};
}

constexpr TransformOp kOps[] = {TransformOp::kScoreSum, TransformOp::kScoreMin,
                                TransformOp::kScoreMax, TransformOp::kCosine};

TEST(TransformScoreTest, T053T054RandomLists) {
  std::mt19937_64 random(5);
  std::vector<std::optional<Scored>> lists[2];
  for (auto& rows : lists) {
    for (size_t i = 0; i < 2000; ++i) rows.push_back(RandomList(&random));
  }
  const RowsBuilder a = BuildScored(lists[0]);
  const RowsBuilder b = BuildScored(lists[1]);
  for (size_t op = 0; op < std::size(kOps); ++op) {
    const F found = RunOn<float>({.op = kOps[op]}, {a.View(), b.View()});
    ASSERT_EQ(found.size(), lists[0].size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_TRUE(SameBits(*found[i], {Expected(*lists[0][i], *lists[1][i])[op]}))
          << TransformOpName(kOps[op]) << " of row " << i;
    }
  }
}

// T-003: rows are picked per input, and windows overlap.
TEST(TransformScoreTest, T003PickedRowsAndWindows) {
  const std::vector<int64_t> ids = {1, 2, 3, 2};
  const std::vector<float> scores = {1, 2, 4, 8};
  const std::vector<int64_t> begins = {0, 1};
  const std::vector<int64_t> ends = {3, 4};
  const RowsView windows = {{RowShape::kScored, Type::kInt64},
                            2,
                            ids.data(),
                            begins.data(),
                            ends.data(),
                            nullptr,
                            scores.data()};
  const RowsBuilder other = BuildScored({Scored{{2}, {1}}, Scored{{3, 1}, {1, 1}}});
  const std::vector<uint32_t> rows = {1, 1, 0, 0};
  const std::vector<uint32_t> other_rows = {0, 1, 1, 0};
  const std::vector<RowsInput> inputs = {{windows, rows.data()}, {other.View(), other_rows.data()}};
  const auto sums = RunStep({.op = TransformOp::kScoreSum}, inputs, 4);
  ASSERT_TRUE(sums.ok());
  EXPECT_EQ(ListsOf<float>(sums->View()), (F{{{10}}, {{4}}, {{5}}, {{2}}}));
  const auto cosines = RunStep({.op = TransformOp::kCosine}, inputs, 4);
  ASSERT_TRUE(cosines.ok());
  const auto of = [](double product, double squares) {
    return std::vector<float>{static_cast<float>(product / std::sqrt(squares))};
  };
  EXPECT_EQ(ListsOf<float>(cosines->View()),
            (F{of(10, 116), of(4, 2 * 116), of(5, 2 * 21), of(2, 21)}));
}

// T-005: whatever the thread does with subnormal numbers and how it rounds.
TEST(TransformScoreTest, T005ModesOfFloats) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  const Scored tiny = {{1, 2}, {kTiny, kTiny}};
  const Scored thirds = {{1, 2, 1}, {1.0F / 3, 0.1F, 0x1p-30F}};
  const Scored other = {{1, 2}, {0.3F, 7}};
  std::vector<float> expected;
  for (const TransformOp op : kOps) expected.push_back(ResultOf(op, thirds, other));
  if (kCanFlushFloats) {
    const FlushedFloats flushed;
    EXPECT_TRUE(HasBits(ResultOf(TransformOp::kScoreSum, tiny, tiny), 2));
    EXPECT_TRUE(HasBits(ResultOf(TransformOp::kScoreMin, tiny, tiny), 1));
    EXPECT_TRUE(HasBits(ResultOf(TransformOp::kCosine, tiny, tiny), 0x3F800000));
  }
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    std::vector<float> found;
    for (const TransformOp op : kOps) found.push_back(ResultOf(op, thirds, other));
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(SameBits(found, expected)) << mode;
  }
}

// Every entry of one list against every entry of the other would be 2^40 steps.
TEST(TransformScoreTest, T053T054LongListsOfOneId) {
  constexpr size_t kLength = 1 << 20;
  const Scored one = {std::vector<int64_t>(kLength, 7), std::vector<float>(kLength, 0.5F)};
  EXPECT_EQ(ResultOf(TransformOp::kScoreSum, one, one), kLength / 2);
  EXPECT_EQ(ResultOf(TransformOp::kScoreMax, one, one), 0.5F);
  EXPECT_EQ(ResultOf(TransformOp::kCosine, one, one), 1);
}

}  // namespace
}  // namespace dsi
