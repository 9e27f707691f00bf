// What values cost, roughly, where that is known.
#include "dsi/dedup/value_cost_internal.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "dsi/tests/dedup/test_column.h"

namespace dsi::internal {
namespace {

constexpr size_t kRows = 20'000;
constexpr double kAlone = 20;

double BitsOf(const std::vector<TestRow>& rows, bool in_rows = true) {
  const TestColumn column(rows, 1);
  std::vector<uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  return in_rows ? CodedBitsInRows(column.column(), rows.size(), kAlone)
                 : CodedBits(column.column(), all, kAlone);
}

template <typename F>
std::vector<TestRow> Rows(F value) {
  std::vector<TestRow> rows;
  for (size_t row = 0; row < kRows; ++row) rows.push_back({{static_cast<uint64_t>(value(row))}});
  return rows;
}

TEST(ValueCost, FrequentValuesHaveShortCodes) {
  std::mt19937_64 random(1);
  EXPECT_NEAR(BitsOf(Rows([&](size_t) { return random() % 16; })), 4, 0.1);
  EXPECT_NEAR(BitsOf(Rows([&](size_t) { return random() % 10 == 0; })), 0.469, 0.08);
  EXPECT_EQ(BitsOf(Rows([&](size_t) { return 7; })), 0);
}

TEST(ValueCost, ValuesMetOnceTakeTheirBits) {
  std::mt19937_64 random(1);
  EXPECT_NEAR(BitsOf(Rows([&](size_t) { return random(); })), kAlone, 0.1);
  // Four in five are zero: 0.72 bits to tell, and 20 for each of the others.
  EXPECT_NEAR(BitsOf(Rows([&](size_t) { return random() % 5 == 0 ? random() : 0; }), false),
              0.72 + kAlone / 5, 0.2);
}

TEST(ValueCost, MissingRowsAreAValue) {
  std::vector<TestRow> rows = Rows([](size_t) { return 1; });
  for (size_t row = 0; row < kRows; row += 2) rows[row].reset();
  EXPECT_NEAR(BitsOf(rows, false), 1, 0.01);
}

TEST(ValueCost, PatternsOfFewValuesAreSeenInRows) {
  EXPECT_LT(BitsOf(Rows([](size_t row) { return row % 5 == 0; })), 0.05);
  EXPECT_NEAR(BitsOf(Rows([](size_t row) { return row % 5 == 0; }), false), 0.722, 0.01);
  std::mt19937_64 random(1);
  EXPECT_NEAR(BitsOf(Rows([&](size_t) { return random() % 2; })), 1, 0.03);
}

TEST(ValueCost, FewRows) {
  EXPECT_EQ(BitsOf({TestRow(std::vector<uint64_t>{5})}), kAlone);
  EXPECT_EQ(BitsOf({}, false), kAlone);
}

}  // namespace
}  // namespace dsi::internal
