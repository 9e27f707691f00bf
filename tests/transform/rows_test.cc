// Operations on rows: every one with empty, missing and picked rows.
#include "dsi/tests/transform/test_rows.h"
#include "dsi/transform/residue_internal.h"

namespace dsi {
namespace {

using namespace test;
using L = Lists<int64_t>;
const std::nullopt_t kMissing = std::nullopt;

int64_t HashOf(int64_t salt, const std::vector<int64_t>& ids, int64_t max) {
  auto hash = static_cast<uint64_t>(salt);
  for (const int64_t id : ids) {
    hash = internal::Hash128To64(hash, internal::TwangMix64(static_cast<uint64_t>(id)));
  }
  const auto rest = static_cast<int64_t>(hash) % max;
  return rest < 0 ? rest + max : rest;
}

TEST(TransformRowsTest, T040Truncation) {
  const RowsBuilder rows = Build<int64_t>({{{1, 2, 3}}, {{4}}, {{}}, kMissing, {{5, 6}}});
  EXPECT_EQ(RunOn<int64_t>({.op = TransformOp::kFirstX, .n = 2}, {rows.View()}),
            (L{{{1, 2}}, {{4}}, {{}}, kMissing, {{5, 6}}}));
  EXPECT_EQ(RunOn<int64_t>({.op = TransformOp::kLastX, .n = 2}, {rows.View()}),
            (L{{{2, 3}}, {{4}}, {{}}, kMissing, {{5, 6}}}));
  const RowsBuilder scored = Build<int64_t>({{{2, 4, 6}}}, RowShape::kScored);
  const auto last = RunStep({.op = TransformOp::kLastX, .n = 1}, {{scored.View(), nullptr}}, 1);
  ASSERT_TRUE(last.ok());
  EXPECT_EQ(last->View().scores[0], 3.0F);
}

TEST(TransformRowsTest, T041Fill) {
  const RowsBuilder lists = Build<int64_t>({{{1, 2}}, kMissing, {{}}});
  EXPECT_EQ(RunOn<int64_t>({.op = TransformOp::kFill, .value = int64_t{-3}}, {lists.View()}),
            (L{{{1, 2}}, {{-3}}, {{}}}));
  const RowsBuilder numbers = Build<float>({{{1.5F}}, kMissing}, RowShape::kNumber);
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kFill, .value = 0.5}, {numbers.View()}),
            (Lists<float>{{{1.5F}}, {{0.5F}}}));
}

TEST(TransformRowsTest, T042OneHot) {
  const RowsBuilder numbers = Build<int32_t>({{{1}}, {{3}}, {{-1}}, kMissing}, RowShape::kNumber);
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kOneHot, .n = 3}, {numbers.View()}),
            (Lists<float>{{{0, 1, 0}}, {{0, 0, 0}}, {{0, 0, 0}}, kMissing}));
}

TEST(TransformRowsTest, T043Enumerate) {
  const RowsBuilder lists = Build<int64_t>({{{7, 8, 9}}, {{}}, kMissing, {{5}}});
  const auto out = RunStep({.op = TransformOp::kEnumerate}, {{lists.View(), nullptr}}, 4);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(ListsOf<int64_t>(out->View()), (L{{{7, 8, 9}}, {{}}, kMissing, {{5}}}));
  EXPECT_EQ(std::vector<float>(out->View().scores, out->View().scores + 4),
            (std::vector<float>{0, 1, 2, 0}));
}

TEST(TransformRowsTest, T044NGram) {
  const RowsBuilder a = Build<int64_t>({{{1, 2, 3}}, {{4}}, {{}}, kMissing});
  const TransformStep two = {.op = TransformOp::kNGram, .salt = 5, .max = int64_t{1} << 40, .n = 2};
  EXPECT_EQ(RunOn<int64_t>(two, {a.View()}),
            (L{{{HashOf(5, {1, 2}, two.max), HashOf(5, {2, 3}, two.max)}}, {{}}, {{}}, kMissing}));
  // Windows of one id are sigrid_hash.
  const TransformStep one = {.op = TransformOp::kNGram, .salt = 0, .max = 100, .n = 1};
  EXPECT_EQ(RunOn<int32_t>(one, {a.View()}),
            (Lists<int32_t>{{{60, 54, 54}}, {{9}}, {{}}, kMissing}));
  const RowsBuilder b = Build<int64_t>({{{9, 8}}, {{7}}, {{1}}, {{1}}});
  EXPECT_EQ(RunOn<int32_t>(one, {a.View(), b.View()})[0],
            (std::vector<int32_t>{static_cast<int32_t>(HashOf(0, {1, 9}, 100)),
                                  static_cast<int32_t>(HashOf(0, {2, 8}, 100))}));
}

TEST(TransformRowsTest, T045Cartesian) {
  const RowsBuilder a = Build<int64_t>({{{1, 2}}, {{}}, {{1}}});
  const RowsBuilder b = Build<int64_t>({{{3, 4}}, {{5}}, kMissing});
  const TransformStep step = {
      .op = TransformOp::kCartesian, .salt = 2, .max = int64_t{1} << 50, .limit = 3};
  const auto pair = [&](int64_t x, int64_t y) { return HashOf(2, {x, y}, step.max); };
  EXPECT_EQ(RunOn<int64_t>(step, {a.View(), b.View()}),
            (L{{{pair(1, 3), pair(1, 4), pair(2, 3)}}, {{}}, kMissing}));
}

TEST(TransformRowsTest, T046Intersection) {
  const RowsBuilder a = Build<int64_t>({{{5, 1, 5, 2}}, {{1}}, {{}}, kMissing}, RowShape::kScored);
  const RowsBuilder b = Build<int64_t>({{{2, 5}}, {{}}, {{1}}, {{1}}});
  const auto out =
      RunStep({.op = TransformOp::kIntersection}, {{a.View(), nullptr}, {b.View(), nullptr}}, 4);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(ListsOf<int64_t>(out->View()), (L{{{5, 5, 2}}, {{}}, {{}}, kMissing}));
  EXPECT_EQ(out->View().scores[2], 1.0F);
}

TEST(TransformRowsTest, T047Overlaps) {
  const RowsBuilder a = Build<int64_t>({{{1, 1, 2}}, {{}}, {{3}}, kMissing});
  const RowsBuilder b = Build<int64_t>({{{1, 1, 1, 4}}, {{}}, {{4}}, {{1}}});
  const std::vector<RowsView> both = {a.View(), b.View()};
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kHasOverlap}, both),
            (Lists<float>{{{1}}, {{0}}, {{0}}, kMissing}));
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kOverlapCount}, both),
            (Lists<float>{{{2}}, {{0}}, {{0}}, kMissing}));
  EXPECT_EQ(RunOn<float>({.op = TransformOp::kJaccard}, both),
            (Lists<float>{{{0.4F}}, {{0}}, {{0}}, kMissing}));
}

// T-049: the id of a hashed column, of texts that may overlap; missing ones stay missing.
TEST(TransformRowsTest, T049IdsOfTexts) {
  const std::string bytes = "BernOslo";
  const std::vector<int64_t> begins = {0, 4, 0, 8, 0};
  const std::vector<int64_t> ends = {4, 8, 8, 8, 0};
  const std::vector<uint8_t> present = {1, 1, 1, 1, 0};
  const RowsView texts = {{RowShape::kList, Type::kBytes},
                          5,
                          bytes.data(),
                          begins.data(),
                          ends.data(),
                          present.data(),
                          nullptr};
  const std::vector<uint32_t> rows = {1, 0, 4, 3, 2, 1};
  const auto ids = RunStep({.op = TransformOp::kIdOfText}, {{texts, rows.data()}}, rows.size());
  ASSERT_TRUE(ids.ok()) << ids.status().ToString();
  const auto id = [](std::string_view text) {
    return std::vector<int64_t>{static_cast<int64_t>(IdOfText(text, Type::kInt64))};
  };
  const Lists<int64_t> expected = {id("Oslo"), id("Bern"),     kMissing,
                                   id(""),     id("BernOslo"), id("Oslo")};
  EXPECT_EQ(ListsOf<int64_t>(ids->View()), expected);
  EXPECT_EQ(id("")[0], 3244421341483603138);
}

// T-003: rows are picked per input, windows overlap, missing stays missing, and elementwise stages
// give the same for rows that are not one after another.
TEST(TransformRowsTest, T003PickedRowsAndWindows) {
  const std::vector<int64_t> pool = {1, 2, 3, 4, 5};
  const std::vector<int64_t> begins = {0, 1, 3, 3};
  const std::vector<int64_t> ends = {3, 5, 3, 4};
  const std::vector<uint8_t> present = {1, 1, 0, 1};
  const RowsView windows = {{RowShape::kList, Type::kInt64},
                            4,
                            pool.data(),
                            begins.data(),
                            ends.data(),
                            present.data(),
                            nullptr};
  const std::vector<uint32_t> rows = {3, 0, 0, 2, 1};
  const TransformStep modulus = {.op = TransformOp::kModulus, .max = 3};
  const auto picked = RunStep(modulus, {{windows, rows.data()}}, rows.size());
  ASSERT_TRUE(picked.ok());
  const Lists<int32_t> expected = {{{1}}, {{1, 2, 0}}, {{1, 2, 0}}, kMissing, {{2, 0, 1, 2}}};
  EXPECT_EQ(ListsOf<int32_t>(picked->View()), expected);
  const auto all = RunStep(modulus, {{windows, nullptr}}, 4);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(ListsOf<int32_t>(all->View()),
            (Lists<int32_t>{expected[1], expected[4], expected[3], expected[0]}));
  const RowsBuilder other = Build<int64_t>({{{2}}, {{4, 5}}});
  const std::vector<uint32_t> other_rows = {1, 0, 1, 1, 1};
  const auto pairs = RunStep({.op = TransformOp::kIntersection},
                             {{windows, rows.data()}, {other.View(), other_rows.data()}}, 5);
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(ListsOf<int64_t>(pairs->View()), (L{{{4}}, {{2}}, {{}}, kMissing, {{4, 5}}}));
}

TEST(TransformRowsTest, T003MissingNumbersAreZero) {
  const std::vector<int64_t> values = {5, 6};
  const std::vector<uint8_t> present = {0, 1};
  const RowsView numbers = {{RowShape::kNumber, Type::kInt64},
                            2,
                            values.data(),
                            nullptr,
                            nullptr,
                            present.data(),
                            nullptr};
  const auto out = RunStep({.op = TransformOp::kModulus, .max = 4}, {{numbers, nullptr}}, 2);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(static_cast<const int32_t*>(out->View().values)[0], 0);
  EXPECT_EQ(ListsOf<int32_t>(out->View()), (Lists<int32_t>{kMissing, {{2}}}));
}

TEST(TransformRowsTest, T048Custom) {
  TransformStep step = {.op = TransformOp::kCustom};
  step.custom_type = {RowShape::kNumber, Type::kInt64};
  step.custom = [](const std::vector<RowsView>& views, RowsBuilder* out) -> Status {
    for (size_t i = 0; i < views[0].num_rows; ++i) {
      *static_cast<int64_t*>(out->AddValues(1)) = static_cast<int64_t>(views[0].Length(i));
      out->EndRow();
    }
    return {};
  };
  const RowsBuilder lists = Build<int64_t>({{{1, 2}}, {{}}});
  EXPECT_EQ(RunOn<int64_t>(step, {lists.View()}), (L{{{2}}, {{0}}}));
  const std::vector<uint32_t> rows = {1, 0, 0};
  const auto picked = RunStep(step, {{lists.View(), rows.data()}}, 3);
  ASSERT_TRUE(picked.ok());
  EXPECT_EQ(ListsOf<int64_t>(picked->View()), (L{{{0}}, {{2}}, {{2}}}));

  step.custom = [](const std::vector<RowsView>&, RowsBuilder*) -> Status { return {}; };
  EXPECT_EQ(RunStep(step, {{lists.View(), nullptr}}, 2).status().message(),
            "the callback made 0 rows of 0 values, expected 2 rows of a number of type int64");
  step.custom = [](const std::vector<RowsView>&, RowsBuilder*) -> Status { throw 1; };
  EXPECT_EQ(RunStep(step, {{lists.View(), nullptr}}, 2).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace dsi
