// Pools spread over tiers: long lists come back whole, and who reads them cut reads less.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dsi/tests/reader/sample_file.h"

namespace dsi {
namespace {

using test::Feature;
using List = std::vector<int64_t>;

// Row i has lists[i] as "alone" (oldest first) and, where it is present, as the two columns of
// "pair" (newest first).
std::vector<std::byte> Write(const std::vector<List>& lists, bool owners) {
  Schema schema;
  schema.features.push_back(Feature("item", Kind::kKey, {{"", Type::kInt64, ""}}));
  schema.features.push_back(Feature("alone", Kind::kList, {{"", Type::kInt64, "ids"}}));
  schema.features.push_back(
      Feature("pair", Kind::kSequence, {{"id", Type::kInt64, "ids"}, {"n", Type::kInt32, ""}}));
  schema.features.back().newest_first = true;
  schema.cluster_by = {};
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "tiers"), schema,
                               {.stripe_rows = 700, .page_values = 1024, .threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (size_t i = 0; i < lists.size(); ++i) {
    EXPECT_TRUE(rows.SetInt(0, static_cast<int64_t>(owners ? i % 10 : i)).ok());
    EXPECT_TRUE(rows.SetInts(1, 0, lists[i]).ok());
    if (i % 13 != 5) {
      List reversed(lists[i].rbegin(), lists[i].rend());
      EXPECT_TRUE(rows.SetInts(2, 0, reversed).ok());
      for (int64_t& id : reversed) id %= 1000;
      EXPECT_TRUE(rows.SetInts(2, 1, reversed).ok());
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  // What the tiers are said to reach is what they do.
  const auto reader = test::OpenBytes(bytes);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  const auto damages = (*reader)->Verify();
  EXPECT_TRUE(damages.ok() && damages->empty());
  return bytes;
}

// Every owner has one long list.
std::vector<List> OneRowEach() {
  std::mt19937_64 random(1);
  std::vector<List> lists(1000);
  for (size_t i = 0; i < lists.size(); ++i) {
    lists[i].resize(i % 7 == 3 ? random() % 40 : 200 + random() % 300);
    for (int64_t& id : lists[i]) id = static_cast<int64_t>(random() >> 20);
  }
  return lists;
}

// Ten owners whose long lists shift by a few entries from row to row, or only grow.
std::vector<List> Changing(bool shift) {
  std::mt19937_64 random(2);
  std::vector<List> state(10, List(400, 1));
  std::vector<List> lists;
  for (List& list : state) {
    for (int64_t& id : list) id = static_cast<int64_t>(random() >> 20);
  }
  for (int i = 0; i < 1000; ++i) {
    List& list = state[static_cast<size_t>(i % 10)];
    for (uint64_t n = random() % 3; n > 0; --n) {
      if (shift) list.erase(list.begin());
      list.push_back(static_cast<int64_t>(random() >> 20));
    }
    lists.push_back(list);
  }
  return lists;
}

// Reads all rows cut to the newest `width`, compares them, and returns how many values that took.
uint64_t ReadCut(const Reader& reader, const std::vector<List>& lists, uint32_t width,
                 Layout layout) {
  ScanOptions options;
  options.batch_size = 300;
  options.features = {{.name = "alone", .layout = layout, .width = width, .keep = Keep::kLast},
                      {.name = "pair", .layout = layout, .width = width, .keep = Keep::kFirst}};
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t row = 0;
  while (true) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    for (size_t i = 0; i < batch.num_rows(); ++i, ++row) {
      const auto check = [&](const char* name, List expected, bool present, auto zero) {
        using T = decltype(zero);
        const PaddedView view =
            layout == Layout::kPadded ? *batch.Padded(name) : batch.PaddedIkjt(name)->unique;
        const size_t at =
            layout == Layout::kPadded ? i : static_cast<size_t>(batch.PaddedIkjt(name)->inverse[i]);
        if (!present) expected.clear();
        EXPECT_EQ(view.present[at] != 0, present);
        EXPECT_EQ(static_cast<size_t>(view.lengths[at]), expected.size());
        expected.resize(width, 0);
        const T* const values = static_cast<const T*>(view.values) + at * width;
        for (size_t k = 0; k < width; ++k)
          ASSERT_EQ(values[k], static_cast<T>(expected[k])) << name << ", row " << row;
      };
      const List& list = lists[row];
      const auto kept = static_cast<int64_t>(std::min<size_t>(list.size(), width));
      List newest(list.end() - kept, list.end());
      check("alone", newest, true, int64_t{});
      std::reverse(newest.begin(), newest.end());
      check("pair.id", newest, row % 13 != 5, int64_t{});
      for (int64_t& id : newest) id %= 1000;
      check("pair.n", newest, row % 13 != 5, int32_t{});
    }
  }
  EXPECT_EQ(row, lists.size());
  return (*scan)->stats().values_decoded;
}

TEST(Tiers, D014ListsReadCutAreTheSameAndTakeLess) {
  const std::vector<List> lists = OneRowEach();
  auto reader = test::OpenBytes(Write(lists, false));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const uint64_t all = ReadCut(**reader, lists, 600, Layout::kPadded);
  for (const uint32_t width : {1U, 8U, 31U, 32U, 33U, 64U, 65U, 100U, 128U, 200U, 499U}) {
    const uint64_t decoded = ReadCut(**reader, lists, width, Layout::kPadded);
    EXPECT_EQ(ReadCut(**reader, lists, width, Layout::kPaddedIkjt), decoded);
    // Tiers double, so at most twice what is asked for, and a full first tier.
    EXPECT_LE(decoded, 3 * lists.size() * std::max(32U, 2 * width)) << width;
    EXPECT_LE(decoded, all);
  }
  EXPECT_LT(ReadCut(**reader, lists, 32, Layout::kPadded) * 8, all);
}

// Of lists that shift, all are as far from one end of their chain as others are from the other; of
// lists that grow, only one end is far from any.
TEST(Tiers, D014ChainsOfListsThatShiftOrGrow) {
  for (const bool shift : {true, false}) {
    const std::vector<List> lists = Changing(shift);
    auto reader = test::OpenBytes(Write(lists, true));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    for (const uint32_t width : {1U, 32U, 50U, 300U, 400U, 500U})
      ReadCut(**reader, lists, width, Layout::kPadded);
  }
}

// Of other ends and layouts everything is read.
TEST(Tiers, D014OtherEndsAndLayoutsReadAll) {
  const std::vector<List> lists = OneRowEach();
  auto reader = test::OpenBytes(Write(lists, false));
  ASSERT_TRUE(reader.ok());
  size_t entries = 0;
  for (const List& list : lists) entries += list.size();
  for (const Projection& projection :
       {Projection{.name = "alone", .width = 8, .keep = Keep::kFirst},
        Projection{.name = "alone", .layout = Layout::kJagged}}) {
    ScanOptions options;
    options.features = {projection};
    auto scan = (*reader)->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    size_t row = 0;
    while (*(*scan)->Next(&batch)) {
      for (size_t i = 0; i < batch.num_rows(); ++i, ++row) {
        const List& list = lists[row];
        if (projection.layout == Layout::kJagged) {
          const JaggedView view = *batch.Jagged("alone");
          ASSERT_EQ(static_cast<size_t>(view.offsets[i + 1] - view.offsets[i]), list.size());
          EXPECT_TRUE(std::equal(list.begin(), list.end(),
                                 static_cast<const int64_t*>(view.values) + view.offsets[i]));
        } else {
          const PaddedView view = *batch.Padded("alone");
          const auto kept = static_cast<int64_t>(std::min<size_t>(list.size(), 8));
          EXPECT_TRUE(std::equal(list.begin(), list.begin() + kept,
                                 static_cast<const int64_t*>(view.values) + i * 8));
        }
      }
    }
    EXPECT_EQ(row, lists.size());
    EXPECT_EQ((*scan)->stats().values_decoded, entries);
  }
}

// Blank entries are as many as those of all tiers, beside the column itself read cut.
TEST(Tiers, D014Ds026BlankEntries) {
  const std::vector<List> lists = OneRowEach();
  auto reader = test::OpenBytes(Write(lists, false));
  ASSERT_TRUE(reader.ok());
  ScanOptions options;
  options.features = {{.name = "alone", .width = 8},
                      {.name = "alone",
                       .layout = Layout::kJagged,
                       .blank = BlankEntries{.type = Type::kInt32, .bits = 5}}};
  auto scan = (*reader)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  size_t row = 0;
  while (*(*scan)->Next(&batch)) {
    const auto view = batch.Jagged(1);
    for (size_t i = 0; i < batch.num_rows(); ++i, ++row) {
      const int64_t begin = view->offsets[i], end = view->offsets[i + 1];
      ASSERT_EQ(static_cast<size_t>(end - begin), lists[row].size());
      const auto* fives = static_cast<const int32_t*>(view->values);
      ASSERT_EQ(std::count(fives + begin, fives + end, 5), end - begin);
    }
  }
  EXPECT_EQ(row, lists.size());
}

}  // namespace
}  // namespace dsi
