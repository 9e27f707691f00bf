// Row order: keys by first time, then input position; rows by time, then input position (design:
// row order).
#include "dsi/writer/cluster/clustering_internal.h"

#include <gtest/gtest.h>

#include <memory>

#include "dsi/writer/cluster/stripe_cuts_internal.h"

namespace dsi::internal {
namespace {

Schema TwoKeys() {
  Schema schema;
  schema.features = {{.name = "user",
                      .kind = Kind::kKey,
                      .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}},
                     {.name = "session",
                      .kind = Kind::kKey,
                      .columns = {{.name = "", .type = Type::kBytes, .id_space = ""}}},
                     {.name = "t",
                      .kind = Kind::kTimestamp,
                      .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}},
                      .time_unit = TimeUnit::kSeconds}};
  return schema;
}

struct Rows {
  std::shared_ptr<const Schema> schema = std::make_shared<const Schema>(TwoKeys());
  RowBatch batch{schema};
  void Add(int64_t user, const char* session, int64_t time) {
    ASSERT_TRUE(batch.SetInt(0, user).ok());
    if (session != nullptr) ASSERT_TRUE(batch.SetBytes(1, session).ok());
    ASSERT_TRUE(batch.SetInt(2, time).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  RowOrder Order(const std::vector<std::string>& names) {
    auto keys = ResolveClusterKeys(*schema, names);
    EXPECT_TRUE(keys.ok());
    std::vector<FeatureSource> sources;
    for (size_t f = 0; f < schema->features.size(); ++f)
      sources.push_back({&schema->features[f], &batch.feature(f)});
    return ClusterRows(sources, *keys, batch.num_rows());
  }
};

using Positions = std::vector<uint32_t>;

TEST(Clustering, SessionsComeByFirstTimeAndRowsByTime) {
  Rows rows;
  rows.Add(1, "b", 30);
  rows.Add(1, "a", 20);
  rows.Add(1, "b", 10);
  rows.Add(1, "a", 40);
  const RowOrder order = rows.Order({"session", "t"});
  EXPECT_EQ(order.input_row, (Positions{2, 0, 1, 3}));
  EXPECT_EQ(order.session_starts, (Positions{0, 2}));
}

TEST(Clustering, EqualTimesKeepInputOrder) {
  Rows rows;
  for (const char* s : {"x", "y", "x", "y"}) rows.Add(1, s, 5);
  EXPECT_EQ(rows.Order({"session", "t"}).input_row, (Positions{0, 2, 1, 3}));
}

TEST(Clustering, OuterKeysHoldTheirSessionsTogether) {
  Rows rows;
  rows.Add(7, "s1", 1);
  rows.Add(8, "s2", 2);
  rows.Add(7, "s3", 3);
  rows.Add(8, "s2", 4);
  const RowOrder order = rows.Order({"user", "session", "t"});
  EXPECT_EQ(order.input_row, (Positions{0, 2, 1, 3}));
  EXPECT_EQ(order.session_starts, (Positions{0, 1, 2}));
}

TEST(Clustering, MissingKeyIsOneKeyAndNotTheEmptyString) {
  Rows rows;
  rows.Add(1, nullptr, 1);
  rows.Add(1, "", 2);
  rows.Add(1, nullptr, 3);
  const RowOrder order = rows.Order({"session", "t"});
  EXPECT_EQ(order.input_row, (Positions{0, 2, 1}));
  EXPECT_EQ(order.session_starts.size(), 2U);
}

TEST(Clustering, WithoutKeysRowsKeepTheirOrder) {
  Rows rows;
  rows.Add(1, "b", 3);
  rows.Add(1, "a", 1);
  const RowOrder order = rows.Order({});
  EXPECT_EQ(order.input_row, (Positions{0, 1}));
  EXPECT_TRUE(order.session_starts.empty());
}

TEST(Clustering, UnknownAndListKeysAreRefused) {
  Schema schema = TwoKeys();
  schema.features.push_back({.name = "l",
                             .kind = Kind::kList,
                             .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}});
  EXPECT_EQ(ResolveClusterKeys(schema, {"nope"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ResolveClusterKeys(schema, {"l"}).status().code(), StatusCode::kInvalidArgument);
}

RowOrder Sessions(std::vector<uint32_t> starts) {
  RowOrder order;
  order.session_starts = std::move(starts);
  return order;
}

std::vector<uint64_t> Bytes(size_t rows, uint64_t each) {
  return std::vector<uint64_t>(rows, each);
}

TEST(StripeCuts, FallBetweenSessions) {
  const auto cuts = CutStripes(Sessions({0, 3, 6, 9}), Bytes(12, 1), 7, 1000);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_EQ(cuts[0].num_rows, 6U);
  EXPECT_EQ(cuts[0].num_sessions, 2U);
  EXPECT_EQ(cuts[1].num_rows, 6U);
  EXPECT_FALSE(cuts[1].continues_session);
}

TEST(StripeCuts, SplitASessionLongerThanAStripeAndSaySo) {
  const auto cuts = CutStripes(Sessions({0, 10}), Bytes(16, 1), 4, 1000);
  ASSERT_EQ(cuts.size(), 4U);
  EXPECT_EQ(cuts[0].num_rows, 4U);
  EXPECT_FALSE(cuts[0].continues_session);
  EXPECT_TRUE(cuts[1].continues_session);
  EXPECT_EQ(cuts[1].num_sessions, 0U);
  EXPECT_TRUE(cuts[2].continues_session);
  EXPECT_EQ(cuts[2].num_rows, 2U);  // Up to where the next session starts.
  EXPECT_FALSE(cuts[3].continues_session);
  uint32_t sessions = 0;
  for (const StripeCut& cut : cuts) sessions += cut.num_sessions;
  EXPECT_EQ(sessions, 2U);
}

// Up to half as many rows more are no stripe of their own, where their bytes leave room.
TEST(StripeCuts, TheLastTakesAShortRest) {
  const auto rows_of = [](uint32_t num_rows, uint64_t stripe_bytes) {
    Positions rows;
    for (const StripeCut& cut : CutStripes(Sessions({}), Bytes(num_rows, 1), 8, stripe_bytes))
      rows.push_back(cut.num_rows);
    return rows;
  };
  EXPECT_EQ(rows_of(8, 1000), (Positions{8}));
  EXPECT_EQ(rows_of(12, 1000), (Positions{12}));
  EXPECT_EQ(rows_of(13, 1000), (Positions{8, 5}));
  EXPECT_EQ(rows_of(20, 1000), (Positions{8, 12}));
  EXPECT_EQ(rows_of(21, 1000), (Positions{8, 8, 5}));
  EXPECT_EQ(rows_of(12, 10), (Positions{10, 2}));
  EXPECT_EQ(CutStripes(Sessions({}), Bytes(kMaxStripeRows + 1, 1), kMaxStripeRows, 1 << 30).size(),
            2U);
}

TEST(StripeCuts, BytesCapTheRows) {
  const auto cuts = CutStripes(Sessions({}), Bytes(100, 10), 1000, 250);
  ASSERT_EQ(cuts.size(), 4U);
  EXPECT_EQ(cuts[0].num_rows, 25U);
}

// Strings of a megabyte among light rows: no stripe may hold more than the bytes asked for, so that
// no stream of it has more values than F-090 allows.
TEST(StripeCuts, HeavyRowsAreNotAveraged) {
  std::vector<uint64_t> bytes = Bytes(300'000, 10);
  bytes.insert(bytes.begin() + 100'000, 4'300, 1 << 20);
  const uint64_t most = 1 << 30;
  const auto cuts = CutStripes(Sessions({}), bytes, 1 << 18, most);
  uint32_t row = 0;
  for (const StripeCut& cut : cuts) {
    EXPECT_EQ(cut.first_row, row);
    uint64_t sum = 0;
    for (const uint32_t end = row + cut.num_rows; row < end; ++row) sum += bytes[row];
    EXPECT_LE(sum, most);
  }
  EXPECT_EQ(row, bytes.size());
  EXPECT_LE(cuts.size(), 7U);
}

TEST(StripeCuts, ARowLargerThanAStripeStandsAlone) {
  std::vector<uint64_t> bytes = Bytes(9, 10);
  bytes[0] = bytes[4] = 1000;
  const auto cuts = CutStripes(Sessions({0, 3, 6}), bytes, 100, 50);
  std::vector<uint32_t> rows;
  for (const StripeCut& cut : cuts) rows.push_back(cut.num_rows);
  EXPECT_EQ(rows, (Positions{1, 2, 1, 1, 4}));
  EXPECT_TRUE(cuts[1].continues_session);
  EXPECT_FALSE(cuts[2].continues_session);
}

TEST(StripeCuts, BytesOfRowsAreThoseOfTheBatch) {
  Rows rows;
  rows.Add(1, "a", 5);
  rows.Add(2, nullptr, 4);
  rows.Add(3, "a long one", 3);
  std::vector<FeatureSource> sources;
  for (size_t f = 0; f < rows.schema->features.size(); ++f)
    sources.push_back({&rows.schema->features[f], &rows.batch.feature(f)});
  // Two numbers; of a string its bytes, its length and the row that has it.
  EXPECT_EQ(RowBytes(sources, rows.Order({"t"})), (std::vector<uint64_t>{34, 16, 25}));
  EXPECT_EQ(rows.batch.size_bytes(), 34U + 16 + 25);
}

}  // namespace
}  // namespace dsi::internal
