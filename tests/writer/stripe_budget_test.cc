// Stripes under a budget that is stated: what sessions repeat is counted once, and nothing but the
// rows and the options says where stripes end.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/rows/session_repeats_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

Schema ListsOfSessions() {
  return *Schema::FromJson(R"({"features": [
      {"name": "session", "kind": "key", "type": "int64"},
      {"name": "price", "kind": "dense", "type": "float32"},
      {"name": "clicks", "kind": "list", "type": "int64"},
      {"name": "seen", "kind": "list", "type": "int64"}],
      "cluster_by": ["session"]})");
}

// Of sessions of `repeats` rows, which all have the same lists; features are missing in parts of
// the rows, so that some batches have them in every row and others do not.
struct Table {
  uint32_t num_rows = 30'000;
  uint32_t repeats = 1;

  Status Set(uint32_t row, RowBatch* batch) const {
    const uint32_t session = row / repeats;
    std::mt19937_64 draw(session);
    std::vector<int64_t> ids(40);
    for (int64_t& id : ids) id = static_cast<int64_t>(draw() >> 20);
    DSI_RETURN_IF_ERROR(batch->SetInt(0, session));
    if (row < num_rows / 2 || row % 7 != 0) DSI_RETURN_IF_ERROR(batch->SetDouble(1, row % 50));
    DSI_RETURN_IF_ERROR(batch->SetInts(2, 0, ids));
    if (row > num_rows / 3) DSI_RETURN_IF_ERROR(batch->SetInts(3, 0, ids));
    return batch->EndRow();
  }

  std::vector<std::byte> Write(uint32_t batch_rows, int threads, uint64_t memory_bytes,
                               uint64_t* num_stripes, uint64_t* spilled = nullptr) const {
    std::vector<std::byte> bytes;
    WriterOptions options;
    options.threads = threads;
    options.memory_bytes = memory_bytes;
    options.spill_folder = ::testing::TempDir();
    auto writer = Writer::Create(CreateMemoryFile(&bytes, "m"), ListsOfSessions(), options);
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    for (uint32_t row = 0; row < num_rows;) {
      RowBatch batch((*writer)->schema());
      for (uint32_t i = 0; i < batch_rows && row < num_rows; ++i)
        EXPECT_TRUE(Set(row++, &batch).ok());
      EXPECT_TRUE((*writer)->Append(std::move(batch)).ok());
    }
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    *num_stripes = report->num_stripes;
    if (spilled != nullptr) *spilled = report->spilled_bytes;
    return bytes;
  }
};

constexpr uint64_t kBudget = 4 << 20;

TEST(StripeBudget, BytesDoNotDependOnBatchesOrThreads) {
  for (const uint32_t repeats : {1U, 5U}) {
    const Table table{.repeats = repeats};
    uint64_t stripes = 0, spilled = 0;
    const auto one = table.Write(table.num_rows, 1, kBudget, &stripes, &spilled);
    EXPECT_GT(stripes, 1U);
    EXPECT_GT(spilled, 0U);
    for (const uint32_t batch_rows : {777U, 3'000U}) {
      for (const int threads : {1, 4})
        EXPECT_EQ(table.Write(batch_rows, threads, kBudget, &stripes), one) << batch_rows;
    }
  }
}

TEST(StripeBudget, WhatSessionsRepeatCountsOnce) {
  uint64_t apart = 0, repeated = 0;
  Table{.repeats = 1}.Write(5'000, 1, kBudget, &apart);
  Table{.repeats = 20}.Write(5'000, 1, kBudget, &repeated);
  EXPECT_GE(apart, 4 * repeated);
  // The same of rows that are held.
  uint64_t stripes = 0, spilled = 1;
  Table{.repeats = 20}.Write(5'000, 1, 60 << 20, &stripes, &spilled);
  EXPECT_EQ(spilled, 0U);
  EXPECT_EQ(stripes, 1U);
}

TEST(SessionRepeats, AreListsThatTheSessionHadBefore) {
  const Schema schema = ListsOfSessions();
  std::set<uint64_t> found;
  for (const size_t batch_rows : {1U, 7U, 600U}) {
    internal::SessionRepeats repeats(schema, std::vector<bool>(schema.features.size()));
    std::mt19937_64 draw(3);
    std::set<std::pair<uint64_t, std::vector<int64_t>>> had;
    internal::TableTotals totals;
    totals.features.resize(schema.features.size());
    uint64_t sum = 0;
    for (size_t row = 0; row < 600; row += batch_rows) {
      RowBatch batch(std::make_shared<const Schema>(schema));
      std::vector<uint64_t> sessions, expected;
      for (size_t i = 0; i < batch_rows && row + i < 600; ++i) {
        sessions.push_back(draw() % 20);
        const std::vector<int64_t> list(draw() % 4, static_cast<int64_t>(draw() % 3));
        const bool is_present = draw() % 5 != 0;
        ASSERT_TRUE(!is_present || batch.SetInts(2, 0, list).ok());
        ASSERT_TRUE(batch.EndRow().ok());
        const bool is_repeated = is_present && !had.emplace(sessions.back(), list).second;
        expected.push_back(is_repeated ? 8 * list.size() : 0);
        sum += expected.back();
      }
      std::vector<internal::FeatureSource> sources;
      for (size_t f = 0; f < schema.features.size(); ++f)
        sources.push_back({.spec = &schema.features[f], .rows = &batch.feature(f)});
      std::vector<uint64_t> bytes;
      repeats.Add(sources, sessions, &bytes, &totals);
      ASSERT_EQ(bytes.size(), expected.size());
      for (size_t i = 0; i < bytes.size(); ++i)
        EXPECT_TRUE(bytes[i] == expected[i] || bytes[i] == 0) << bytes[i];
    }
    // Some may not be found.
    EXPECT_LE(totals.repeated_bytes, sum);
    EXPECT_GE(totals.repeated_bytes, sum * 9 / 10);
    EXPECT_EQ(totals.features[2].num_in_session * 8, totals.repeated_bytes);
    found.insert(totals.repeated_bytes);
  }
  EXPECT_EQ(found.size(), 1U);  // The same in whichever batches.
  // Of features that a stripe may store with every row nothing is repeated.
  internal::SessionRepeats none(schema, std::vector<bool>(schema.features.size(), true));
  RowBatch batch(std::make_shared<const Schema>(schema));
  for (int row = 0; row < 2; ++row) {
    ASSERT_TRUE(batch.SetInts(2, 0, std::vector<int64_t>{1, 2}).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  std::vector<internal::FeatureSource> sources;
  for (size_t f = 0; f < schema.features.size(); ++f)
    sources.push_back({.spec = &schema.features[f], .rows = &batch.feature(f)});
  internal::TableTotals totals = internal::TableTotals::Of(batch, false);
  std::vector<uint64_t> bytes;
  none.Add(sources, std::vector<uint64_t>{1, 1}, &bytes, &totals);
  EXPECT_EQ(bytes, (std::vector<uint64_t>{0, 0}));
}

TEST(StripeCuts, WhatARowRepeatsIsNotThereAtTheStartOfAStripe) {
  internal::RowList rows(true, UINT64_MAX, "");
  for (uint32_t p = 0; p < 12; ++p) {
    ASSERT_TRUE(rows.Append({.input_row = p,
                             .bytes = 10,
                             .fresh_bytes = p == 0 ? 10U : 1U,
                             .starts_session = p == 0})
                    .ok());
  }
  const auto cuts = internal::CutStripes(rows, {.rows = 100, .fresh_bytes = 14});
  ASSERT_TRUE(cuts.ok());
  std::vector<uint32_t> sizes;
  for (const internal::StripeCut& cut : *cuts) sizes.push_back(cut.num_rows);
  EXPECT_EQ(sizes, (std::vector<uint32_t>{5, 5, 2}));
}

}  // namespace
}  // namespace dsi::test
