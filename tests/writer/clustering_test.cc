// Row order: keys by first time, then input position; rows by time, then input position (design:
// row order).
#include "dsi/writer/cluster/clustering_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "dsi/writer/cluster/stripe_cuts_internal.h"

namespace dsi::internal {
namespace {

Schema TwoKeys() {
  Schema schema;
  schema.features = {
      {.name = "user",
       .kind = Kind::kKey,
       .columns = {{.name = "", .type = Type::kInt64, .id_space = ""}}},
      {.name = "session",
       .kind = Kind::kKey,
       .columns = {{.name = "", .type = Type::kBytes, .id_space = ""}}},
      {.name = "t",
       .kind = Kind::kTimestamp,
       .columns = {
           {.name = "", .type = Type::kInt64, .id_space = "", .time_unit = TimeUnit::kSeconds}}}};
  return schema;
}

struct Order {
  std::vector<uint32_t> input_row;
  std::vector<uint32_t> session_starts;

  bool operator==(const Order&) const = default;
};

struct Rows {
  std::shared_ptr<const Schema> schema = std::make_shared<const Schema>(TwoKeys());
  RowBatch batch{schema};
  void Add(int64_t user, const char* session, int64_t time) {
    ASSERT_TRUE(batch.SetInt(0, user).ok());
    if (session != nullptr) ASSERT_TRUE(batch.SetBytes(1, session).ok());
    ASSERT_TRUE(batch.SetInt(2, time).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  std::vector<FeatureSource> Sources() const {
    std::vector<FeatureSource> sources;
    for (size_t f = 0; f < schema->features.size(); ++f)
      sources.push_back({.spec = &schema->features[f], .rows = &batch.feature(f)});
    return sources;
  }
  Result<RowList> List(const std::vector<std::string>& names, uint64_t memory = UINT64_MAX) {
    auto keys = ResolveClusterKeys(*schema, names);
    EXPECT_TRUE(keys.ok());
    const auto records = [&](const auto& visit) {
      std::vector<std::byte> bytes;
      AppendKeyRecords(Sources(), *keys, 0, RowBytes(Sources(), batch.num_rows()), &bytes);
      return visit(bytes);
    };
    return ClusterRows(*keys, batch.num_rows(), records, {.bytes = memory, .spill_folder = ""},
                       [] { return Status::Ok(); });
  }
  Order Sorted(const std::vector<std::string>& names, uint64_t memory = UINT64_MAX) {
    const auto list = List(names, memory);
    EXPECT_TRUE(list.ok()) << list.status().ToString();
    Order order;
    for (uint32_t p = 0; list.ok() && p < list->size(); ++p) {
      const auto row = list->At(p);
      EXPECT_TRUE(row.ok()) << row.status().ToString();
      order.input_row.push_back(row->input_row);
      if (row->starts_session) order.session_starts.push_back(p);
    }
    return order;
  }
};

using Positions = std::vector<uint32_t>;

TEST(Clustering, SessionsComeByFirstTimeAndRowsByTime) {
  Rows rows;
  rows.Add(1, "b", 30);
  rows.Add(1, "a", 20);
  rows.Add(1, "b", 10);
  rows.Add(1, "a", 40);
  const Order order = rows.Sorted({"session", "t"});
  EXPECT_EQ(order.input_row, (Positions{2, 0, 1, 3}));
  EXPECT_EQ(order.session_starts, (Positions{0, 2}));
}

TEST(Clustering, EqualTimesKeepInputOrder) {
  Rows rows;
  for (const char* s : {"x", "y", "x", "y"}) rows.Add(1, s, 5);
  EXPECT_EQ(rows.Sorted({"session", "t"}).input_row, (Positions{0, 2, 1, 3}));
}

TEST(Clustering, OuterKeysHoldTheirSessionsTogether) {
  Rows rows;
  rows.Add(7, "s1", 1);
  rows.Add(8, "s2", 2);
  rows.Add(7, "s3", 3);
  rows.Add(8, "s2", 4);
  const Order order = rows.Sorted({"user", "session", "t"});
  EXPECT_EQ(order.input_row, (Positions{0, 2, 1, 3}));
  EXPECT_EQ(order.session_starts, (Positions{0, 1, 2}));
}

TEST(Clustering, MissingKeyIsOneKeyAndNotTheEmptyString) {
  Rows rows;
  rows.Add(1, nullptr, 1);
  rows.Add(1, "", 2);
  rows.Add(1, nullptr, 3);
  const Order order = rows.Sorted({"session", "t"});
  EXPECT_EQ(order.input_row, (Positions{0, 2, 1}));
  EXPECT_EQ(order.session_starts.size(), 2U);
}

TEST(Clustering, WithoutKeysRowsKeepTheirOrder) {
  Rows rows;
  rows.Add(1, "b", 3);
  rows.Add(1, "a", 1);
  const Order order = rows.Sorted({});
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

// Those of a file whose rows take so much, with sessions that start at these.
std::vector<StripeCut> CutStripes(const std::vector<uint32_t>& starts,
                                  const std::vector<uint64_t>& bytes, uint32_t stripe_rows,
                                  uint64_t stripe_bytes) {
  RowList rows(!starts.empty(), UINT64_MAX, "");
  for (uint32_t p = 0; p < bytes.size(); ++p) {
    const bool is_start = std::find(starts.begin(), starts.end(), p) != starts.end();
    EXPECT_TRUE(rows.Append({.time = 0,
                             .input_row = p,
                             .bytes = static_cast<uint32_t>(bytes[p]),
                             .starts_session = is_start})
                    .ok());
  }
  auto cuts = internal::CutStripes(rows, {.rows = stripe_rows, .bytes = stripe_bytes});
  EXPECT_TRUE(cuts.ok());
  return *std::move(cuts);
}

std::vector<uint32_t> Sessions(std::vector<uint32_t> starts) { return starts; }

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

TEST(StripeCuts, BytesOfRowsDoNotDependOnOtherRows) {
  Rows rows;
  rows.Add(1, "a", 5);
  rows.Add(2, nullptr, 4);
  rows.Add(3, "a long one", 3);
  // Of each feature that it has the row; two numbers; of a string its bytes and its length.
  const std::vector<uint64_t> bytes = {8 + 16 + 9, 8 + 16, 8 + 16 + 18};
  EXPECT_EQ(RowBytes(rows.Sources(), 3), bytes);
  EXPECT_EQ(RowBytes(rows.Sources(), 3, 1), std::vector<uint64_t>(bytes.begin() + 1, bytes.end()));
  EXPECT_EQ(TableTotals::Of(rows.batch, false).row_bytes, bytes[0] + bytes[1] + bytes[2]);
}

// Sorting through spill files, of one level, two, and none.
TEST(Clustering, TheOrderDoesNotDependOnTheMemory) {
  Rows rows;
  std::mt19937_64 random(7);
  for (int i = 0; i < 30'000; ++i) {
    const std::string session = std::to_string(random() % 3'000);
    const auto user = static_cast<int64_t>(std::hash<std::string>{}(session) % 300);
    rows.Add(random() % 8 == 0 ? 5 : user, i % 11 == 0 ? nullptr : session.c_str(),
             static_cast<int64_t>(random() % 1'000) - 500);
  }
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"session", "t"}, {"user", "session", "t"}, {"user"}, {"t"}, {}}) {
    const Order held = rows.Sorted(names);
    EXPECT_EQ(held.input_row.size(), 30'000U);
    for (const uint64_t memory : {1'000U, 400'000U}) {
      EXPECT_TRUE(rows.Sorted(names, memory) == held) << names.size() << " keys, " << memory;
      EXPECT_GT(rows.List(names, memory)->spilled_bytes(), 0U);
    }
    auto sorted = held.input_row;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
  }
}

}  // namespace
}  // namespace dsi::internal
