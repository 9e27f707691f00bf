// Lists compared: values worked out by hand, and counts of ids by a map over random lists.
#include <algorithm>
#include <map>

#include "dsi/tests/transform/test_rows.h"

namespace dsi {
namespace {

using namespace test;
using L = Lists<int64_t>;
using F = Lists<float>;
const std::nullopt_t kMissing = std::nullopt;

TransformStep Of(TransformOp op) { return {.op = op}; }

TEST(TransformOverlapTest, T051Difference) {
  const RowsBuilder a = Build<int64_t>(
      {{{5, 1, 5, 2, 1}}, {{1, 1}}, {{}}, kMissing, {{3}}, {{7, 8}}}, RowShape::kScored);
  const RowsBuilder b = Build<int64_t>({{{2, 5}}, {{}}, {{1}}, {{1}}, kMissing, {{8, 7, 7}}});
  const auto out =
      RunStep(Of(TransformOp::kDifference), {{a.View(), nullptr}, {b.View(), nullptr}}, 6);
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ(ListsOf<int64_t>(out->View()), (L{{{1, 1}}, {{1, 1}}, {{}}, kMissing, kMissing, {{}}}));
  EXPECT_EQ(out->View().type.shape, RowShape::kScored);
  EXPECT_EQ(std::vector<float>(out->View().scores, out->View().scores + 4),
            (std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F}));
  // Ids of both widths are the same ids; a number is a list of one.
  const RowsBuilder narrow = Build<int32_t>({{{-1, 2}}, {{3}}});
  const RowsBuilder number = Build<int64_t>({{{-1}}, {{int64_t{1} << 32 | 3}}}, RowShape::kNumber);
  EXPECT_EQ(RunOn<int32_t>(Of(TransformOp::kDifference), {narrow.View(), number.View()}),
            (Lists<int32_t>{{{2}}, {{3}}}));
}

TEST(TransformOverlapTest, T052MaxCount) {
  const RowsBuilder a = Build<int64_t>({{{1, 1, 2}}, {{}}, {{3}}, kMissing, {{4, 4, 5, 6}}});
  const RowsBuilder b = Build<int64_t>({{{1, 1, 1, 4}}, {{}}, {{4}}, {{1}}, {{6, 6, 4, 6, 7, 7}}});
  const F expected = {{{3}}, {{0}}, {{0}}, kMissing, {{2 + 3}}};
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kMaxCount), {a.View(), b.View()}), expected);
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kMaxCount), {b.View(), a.View()}), expected);
}

// As TorchArrow's get_max_count, has_id_overlap, id_overlap_count and get_jaccard_similarity have
// them in their own tests.
TEST(TransformOverlapTest, T047T052PublishedVectors) {
  const RowsBuilder a = Build<int64_t>({{{1, 2, 3}}, {{4, 5, 6}}, {{7, 8, 9}}, {{10, 10, 11, 12}}});
  const RowsBuilder b = Build<int64_t>({{{1, 2, 3}}, {{0, 10}}, {{7, 10, 10}}, {{10, 10, 11, 13}}});
  const std::vector<RowsView> both = {a.View(), b.View()};
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kMaxCount), both), (F{{{3}}, {{0}}, {{1}}, {{3}}}));
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kOverlapCount), both), (F{{{3}}, {{0}}, {{1}}, {{3}}}));
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kHasOverlap), both), (F{{{1}}, {{0}}, {{1}}, {{1}}}));
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kJaccard), both), (F{{{1}}, {{0}}, {{0.2F}}, {{0.6F}}}));
}

std::map<int64_t, size_t> Counts(const std::vector<int64_t>& ids) {
  std::map<int64_t, size_t> counts;
  for (const int64_t id : ids) ++counts[id];
  return counts;
}

TEST(TransformOverlapTest, T046T047T051T052RandomLists) {
  std::mt19937_64 random(3);
  std::vector<L> lists(2);
  for (L& rows : lists) {
    for (size_t i = 0; i < 2000; ++i) {
      std::vector<int64_t> row(random() % 12);
      // Few ids, of both signs, so that many are shared and stand twice.
      for (int64_t& id : row) id = static_cast<int64_t>(random() % 9) - 4;
      rows.push_back(std::move(row));
    }
  }
  const RowsBuilder a = Build<int64_t>(lists[0]);
  const RowsBuilder b = Build<int64_t>(lists[1]);
  const std::vector<RowsView> both = {a.View(), b.View()};
  const L shared = RunOn<int64_t>(Of(TransformOp::kIntersection), both);
  const L rest = RunOn<int64_t>(Of(TransformOp::kDifference), both);
  const F least = RunOn<float>(Of(TransformOp::kOverlapCount), both);
  const F most = RunOn<float>(Of(TransformOp::kMaxCount), both);
  for (size_t i = 0; i < lists[0].size(); ++i) {
    const auto other = Counts(*lists[1][i]);
    std::vector<int64_t> in;
    std::vector<int64_t> out;
    for (const int64_t id : *lists[0][i]) (other.contains(id) ? in : out).push_back(id);
    size_t expected_least = 0;
    size_t expected_most = 0;
    for (const auto& [id, count] : Counts(in)) {
      expected_least += std::min(count, other.at(id));
      expected_most += std::max(count, other.at(id));
    }
    ASSERT_EQ(*shared[i], in) << i;
    ASSERT_EQ(*rest[i], out) << i;
    ASSERT_EQ((*least[i])[0], static_cast<float>(expected_least)) << i;
    ASSERT_EQ((*most[i])[0], static_cast<float>(expected_most)) << i;
  }
}

// Every entry of one list against every entry of the other would be 2^40 steps.
TEST(TransformOverlapTest, T051T052LongListsOfOneId) {
  constexpr size_t kLength = 1 << 20;
  std::vector<int64_t> ids(kLength, 7);
  const RowsBuilder a = Build<int64_t>(L{{ids}});
  ids.back() = 8;
  const RowsBuilder b = Build<int64_t>(L{{ids}});
  const std::vector<RowsView> both = {a.View(), b.View()};
  EXPECT_EQ(RunOn<float>(Of(TransformOp::kMaxCount), both), (F{{{kLength}}}));
  EXPECT_EQ(RunOn<int64_t>(Of(TransformOp::kDifference), both), (L{{{}}}));
  EXPECT_EQ(RunOn<int64_t>(Of(TransformOp::kDifference), {b.View(), a.View()}), (L{{{8}}}));
}

}  // namespace
}  // namespace dsi
