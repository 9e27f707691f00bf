#include "dsi/dataset/order/row_order_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace dsi::internal {
namespace {

std::vector<uint64_t> RowsOf(const std::vector<RowSpan>& spans) {
  std::vector<uint64_t> rows;
  for (const RowSpan& span : spans) {
    for (uint64_t row = span.begin; row < span.end; ++row) rows.push_back(row);
  }
  return rows;
}

std::vector<uint64_t> Find(const DatasetOrder& order, uint64_t begin, uint64_t end) {
  std::vector<RowSpan> spans;
  order.Find(begin, end, &spans);
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_LT(spans[i].begin, spans[i].end);
    EXPECT_TRUE(i == 0 || spans[i - 1].end != spans[i].begin) << "spans that could be one";
  }
  return RowsOf(spans);
}

DatasetOrder MakeOrder(const OrderOptions& options, std::span<const uint64_t> unit_ends,
                       std::span<const RowSpan> rows) {
  Result<DatasetOrder> order = DatasetOrder::Make(options, 4, 9, unit_ends, rows);
  EXPECT_TRUE(order.ok()) << order.status().ToString();
  return *std::move(order);
}

// Units of 0 to 9 rows, and a choice of some of the rows.
struct Case {
  std::vector<uint64_t> unit_ends;
  std::vector<RowSpan> rows;
  explicit Case(uint32_t seed) {
    std::mt19937 random(seed);
    uint64_t end = 0;
    for (uint64_t i = 0, n = 1 + random() % 30; i < n; ++i)
      unit_ends.push_back(end += random() % 10);
    if (seed % 3 == 0) {
      rows.push_back({0, end});
      return;
    }
    for (uint64_t row = random() % 5; row < end;) {
      const uint64_t stop = std::min<uint64_t>(end, row + random() % 12);
      rows.push_back({row, stop});
      row = stop + random() % 8;
    }
  }
};

// What the order must be: selected rows cut into units, units in the order of the bijection.
std::vector<uint64_t> Expected(const OrderOptions& options, const Case& c) {
  const std::vector<uint64_t> rows = RowsOf(c.rows);
  std::vector<std::vector<uint64_t>> units;
  if (options.unit == OrderUnit::kBlock) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % options.block_rows == 0) units.emplace_back();
      units.back().push_back(rows[i]);
    }
  } else {
    uint64_t begin = 0;
    for (const uint64_t end : c.unit_ends) {
      std::vector<uint64_t> unit;
      std::ranges::copy_if(rows, std::back_inserter(unit),
                           [&](uint64_t row) { return row >= begin && row < end; });
      if (!unit.empty()) units.push_back(unit);
      begin = end;
    }
  }
  const KeyedBijection bijection(OrderKey(OrderPurpose::kUnits, options, 9, 0), units.size());
  std::vector<uint64_t> expected;
  for (uint64_t i = 0; i < units.size(); ++i) {
    const auto& unit = units[bijection.At(i)];
    expected.insert(expected.end(), unit.begin(), unit.end());
  }
  return expected;
}

TEST(DatasetOrder, PutsUnitsInTheOrderOfTheBijection) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Case c(seed);
    for (const OrderUnit unit : {OrderUnit::kBlock, OrderUnit::kStripe, OrderUnit::kFile}) {
      const OrderOptions options{.unit = unit, .seed = seed, .block_rows = 1 + seed % 11};
      const DatasetOrder order = MakeOrder(options, c.unit_ends, c.rows);
      const std::vector<uint64_t> expected = Expected(options, c);
      ASSERT_EQ(order.num_rows(), expected.size());
      ASSERT_EQ(Find(order, 0, order.num_rows()), expected) << "DO-006, DO-007: " << seed;
      std::mt19937 random(seed);
      for (int i = 0; i < 20 && !expected.empty(); ++i) {
        const uint64_t begin = random() % expected.size();
        const uint64_t end = begin + random() % (expected.size() - begin + 1);
        ASSERT_EQ(Find(order, begin, end),
                  std::vector<uint64_t>(expected.begin() + static_cast<ptrdiff_t>(begin),
                                        expected.begin() + static_cast<ptrdiff_t>(end)));
      }
    }
  }
}

TEST(DatasetOrder, WithoutUnitsIsTheOrderOfTheDataset) {
  const Case c(1);
  const DatasetOrder order = MakeOrder({}, {}, c.rows);
  EXPECT_EQ(Find(order, 0, order.num_rows()), RowsOf(c.rows)) << "DO-005";
  EXPECT_EQ(order.window_rows(), 0U);
}

TEST(DatasetOrder, WindowsAreWholeBatches) {
  const std::vector<RowSpan> rows = {{0, 100}};
  EXPECT_EQ(MakeOrder({.mixing_rows = 1}, {}, rows).window_rows(), 4U) << "DO-008";
  EXPECT_EQ(MakeOrder({.mixing_rows = 8}, {}, rows).window_rows(), 8U);
  EXPECT_EQ(MakeOrder({.mixing_rows = 9}, {}, rows).window_rows(), 12U);
}

TEST(DatasetOrder, RefusesWhatCannotBe) {
  const auto message = [](const OrderOptions& options, uint32_t batch_size,
                          std::vector<uint64_t> unit_ends, std::vector<RowSpan> rows) {
    const Result<DatasetOrder> order = DatasetOrder::Make(options, batch_size, 0, unit_ends, rows);
    EXPECT_EQ(order.status().code(), StatusCode::kInvalidArgument);
    return order.status().message();
  };
  EXPECT_NE(message({}, 0, {}, {}).find("batch_size 0"), std::string::npos);
  EXPECT_NE(message({}, 1, {}, {{5, 4}}).find("before the beginning"), std::string::npos);
  EXPECT_NE(message({}, 1, {}, {{0, 4}, {3, 5}}).find("do not overlap"), std::string::npos);
  EXPECT_NE(message({}, 1, {}, {{0, (1ULL << 48) + 1}}).find("2^48"), std::string::npos);
  EXPECT_NE(message({.unit = OrderUnit::kFile}, 1, {3}, {{0, 4}}).find("ends at row 3"),
            std::string::npos);
  EXPECT_NE(
      message({.unit = OrderUnit::kBlock, .block_rows = 0}, 1, {}, {{0, 4}}).find("block_rows 0"),
      std::string::npos);
  EXPECT_NE(message({.mixing_rows = UINT32_MAX}, 2, {}, {{0, 4}}).find("2^31"), std::string::npos);
}

TEST(DatasetOrder, FingerprintTellsSelectionsApart) {
  const auto of = [](std::vector<RowSpan> rows) {
    return MakeOrder({}, {}, rows).rows_fingerprint();
  };
  EXPECT_EQ(of({{0, 5}, {5, 9}, {9, 9}}), of({{0, 9}})) << "DO-005";
  EXPECT_NE(of({{0, 9}}), of({{1, 10}}));
  EXPECT_NE(of({{0, 4}, {5, 9}}), of({{0, 5}, {6, 9}}));
}

std::vector<uint32_t> Mixed(const OrderOptions& options, uint64_t window,
                            const std::vector<uint32_t>& starts, uint32_t num_rows) {
  std::vector<uint32_t> order = {1, 2, 3};
  MixWindow(options, 9, window, starts, num_rows, &order);
  return order;
}

TEST(MixWindow, KeepsSessionsWhole) {
  std::mt19937 random(3);
  std::vector<uint32_t> starts;
  uint32_t num_rows = 0;
  for (int i = 0; i < 500; ++i) {
    starts.push_back(num_rows);
    num_rows += 1 + static_cast<uint32_t>(random() % 6);
  }
  const std::vector<uint32_t> order = Mixed({}, 7, starts, num_rows);
  ASSERT_EQ(order.size(), num_rows);
  std::vector<uint32_t> sorted = order;
  std::ranges::sort(sorted);
  for (uint32_t i = 0; i < num_rows; ++i) ASSERT_EQ(sorted[i], i) << "DO-009";
  // Where a row does not follow the one before it, a session begins, and none begins elsewhere.
  size_t kept = 0;
  for (uint32_t i = 0; i < num_rows; ++i) {
    const bool begins = std::ranges::binary_search(starts, order[i]);
    const bool follows = i > 0 && order[i] == order[i - 1] + 1;
    ASSERT_TRUE(begins || follows) << "DO-009";
    if (begins && follows) ++kept;
  }
  EXPECT_LT(kept, 10U);
}

TEST(MixWindow, DealsOutRows) {
  const std::vector<uint32_t> order = Mixed({.mix = Mix::kRows}, 7, {0}, 1000);
  std::vector<uint32_t> sorted = order;
  std::ranges::sort(sorted);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(sorted[i], i);
  EXPECT_NE(order, sorted);
  EXPECT_NE(order, Mixed({.mix = Mix::kRows}, 8, {0}, 1000)) << "windows are dealt out alike";
  EXPECT_NE(order, Mixed({.epoch = 1, .mix = Mix::kRows}, 7, {0}, 1000));
  EXPECT_TRUE(Mixed({}, 0, {}, 0).empty());
}

TEST(MixWindow, EveryOrderOfFewComesAsOften) {
  std::map<std::vector<uint32_t>, int> seen;
  for (uint64_t window = 0; window < 24'000; ++window) {
    ++seen[Mixed({.mix = Mix::kRows}, window, {}, 4)];
  }
  ASSERT_EQ(seen.size(), 24U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace dsi::internal
