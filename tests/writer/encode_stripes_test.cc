// Stripes that are encoded beside each other: the bytes are those of one after another.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dsi/writer/finish_memory_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr uint32_t kStripeRows = 500;
constexpr int kStripes = 9;
const internal::ClusterKeys kNoKeys;
constexpr int kRows = kStripes * static_cast<int>(kStripeRows);

constexpr char kFeatures[] = R"({"cluster_by": ["session", "time"], "features": [
    {"name": "session", "kind": "key", "type": "int64"},
    {"name": "user", "kind": "key", "type": "int64"},
    {"name": "time", "kind": "timestamp", "unit": "ms"},
    {"name": "price", "kind": "dense", "type": "float64"},
    {"name": "seen", "kind": "list", "type": "int64"},
    {"name": "liked", "kind": "list", "type": "int64"},
    {"name": "scores", "kind": "weighted", "type": "int32", "weight_type": "float32"},
    {"name": "city", "kind": "string"},
    {"name": "click", "kind": "label", "type": "int8"}]})";

// A caller who is slow between pieces: other threads go ahead as far as they may.
bool Dawdle(const WriteProgress&) {
  std::this_thread::sleep_for(std::chrono::microseconds(500));
  return true;
}

// Users whose lists shift, and values that drift from stripe to stripe, so that what was chosen for
// one stripe is looked at again in the next.
std::vector<std::byte> Write(int threads, uint64_t memory_bytes) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(kFeatures),
                               {.stripe_rows = kStripeRows,
                                .page_values = 1'024,
                                .memory_bytes = memory_bytes,
                                .threads = threads,
                                .progress = Dawdle});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  std::mt19937_64 random(11);
  std::vector<std::vector<int64_t>> seen(40);
  for (int row = 0; row < kRows; ++row) {
    const int64_t drift = row / static_cast<int>(kStripeRows);
    const size_t user = static_cast<size_t>(row / 6) % seen.size();
    std::vector<int64_t>& list = seen[user];
    list.push_back(static_cast<int64_t>(random() % (50ULL << (2 * drift))));
    if (list.size() > 30) list.erase(list.begin());
    EXPECT_TRUE(batch.SetInt(0, row / 6).ok());
    EXPECT_TRUE(batch.SetInt(1, static_cast<int64_t>(user)).ok());
    EXPECT_TRUE(batch.SetInt(2, 1'000 * row).ok());
    if (row % 3 != 0)
      EXPECT_TRUE(batch.SetDouble(3, static_cast<double>(random() % 900) / 100).ok());
    EXPECT_TRUE(batch.SetInts(4, 0, list).ok());
    const size_t half = list.size() / 2;
    EXPECT_TRUE(batch.SetInts(5, 0, std::span(list).subspan(half)).ok());
    EXPECT_TRUE(batch.SetInts(6, 0, std::vector<int64_t>{drift, row % 5}).ok());
    EXPECT_TRUE(batch.SetDoubles(6, 1, std::vector<double>{0.25, 1.0 * (row % 7)}).ok());
    EXPECT_TRUE(batch.SetBytes(7, "city " + std::to_string(user % (5 + drift))).ok());
    EXPECT_TRUE(batch.SetInt(8, static_cast<int64_t>(random() % 10 == 0)).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(std::move(batch)).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (report.ok()) EXPECT_EQ(report->num_stripes, static_cast<uint64_t>(kStripes));
  return bytes;
}

TEST(EncodeStripes, TheBytesAreThoseOfOneAfterAnother) {
  constexpr uint64_t kMemory = 1ULL << 30;
  const std::vector<std::byte> one = Write(1, kMemory);
  for (const int threads : {2, 4, 16}) EXPECT_EQ(Write(threads, kMemory), one) << threads;
}

// Of rows of 600 bytes whose lists `seen` and `liked` have 30 entries.
internal::TableTotals ThirtyEntriesEach(const Schema& schema, uint64_t num_rows) {
  internal::TableTotals totals;
  totals.num_rows = num_rows;
  totals.size_bytes = totals.row_bytes = 600 * num_rows;
  totals.features.assign(schema.features.size(),
                         {.num_present = num_rows, .num_entries = num_rows});
  totals.features[4].num_entries = totals.features[5].num_entries = 30 * num_rows;
  return totals;
}

TEST(EncodeStripes, AsManyAsThereIsMemoryFor) {
  const auto schema = Schema::FromJson(kFeatures);
  ASSERT_TRUE(schema.ok());
  const internal::TableTotals totals = ThirtyEntriesEach(*schema, 1'000'000);
  const WriterOptions options{.stripe_rows = 65'536, .threads = 16};
  const auto within = [&](uint64_t memory_bytes) {
    return internal::FinishMemory(*schema, kNoKeys, options)
        .Stripes(totals, memory_bytes, totals.size_bytes);
  };
  EXPECT_EQ(within(100 << 20), 1U);
  EXPECT_EQ(within(64ULL << 30), 16U);
  uint64_t memory = 100 << 20;
  while (within(memory) == 1) memory += 1 << 20;
  // Another stripe fits once there is room for it beside all that Finish takes.
  EXPECT_GE(memory, totals.size_bytes +
                        internal::FinishMemory(*schema, kNoKeys, options).Bytes(totals, memory) -
                        (1 << 20));
  size_t before = 1;
  for (; memory < 8ULL << 30; memory += 16 << 20) {
    EXPECT_GE(within(memory), before);
    before = within(memory);
  }
  EXPECT_EQ(before, 16U);
}

TEST(FinishMemory, ListsThatRowsShareCountOnceWhereTheyAreStoredOnce) {
  auto schema = Schema::FromJson(kFeatures);
  ASSERT_TRUE(schema.ok());
  internal::TableTotals totals = ThirtyEntriesEach(*schema, 1'000'000);
  WriterOptions options{.stripe_rows = 262'144, .threads = 2};
  const auto finish = [&] {
    return internal::FinishMemory(*schema, kNoKeys, options).Bytes(totals, 16ULL << 30);
  };
  const auto stripe_bytes = [&] {
    WriterOptions budget = options;
    budget.memory_bytes = 300 << 20;
    return internal::FinishMemory(*schema, kNoKeys, budget).Limits(totals).fresh_bytes;
  };
  const uint64_t each_its_own = finish();
  const uint64_t limit = stripe_bytes();
  EXPECT_LT(limit, totals.size_bytes);
  totals.features[4].num_repeated = totals.features[5].num_repeated = 29'500'000;
  const uint64_t shared = finish();
  EXPECT_LT(shared, each_its_own / 2);
  // The stripes of a file do not depend on which rows are held, and so on threads.
  EXPECT_EQ(stripe_bytes(), limit);
  // What sessions repeat is the same wherever rows are.
  totals.features[4].num_in_session = totals.features[5].num_in_session = 29'500'000;
  EXPECT_GT(stripe_bytes(), 2 * limit);
  // A group that is declared stores them with each of its unique rows, no dedup with each row.
  options.dedup = false;
  const uint64_t by_row = finish();
  options.dedup = true;
  schema->groups = {{.name = "all", .owner = "", .features = {"seen", "liked"}}};
  EXPECT_EQ(finish(), by_row);
  EXPECT_GT(by_row, 2 * shared);
}

TEST(EncodeStripes, SpilledRowsAreReadAheadWhereThereIsMemoryFor) {
  const auto schema = Schema::FromJson(kFeatures);
  ASSERT_TRUE(schema.ok());
  const internal::TableTotals totals = ThirtyEntriesEach(*schema, 10'000'000);
  WriterOptions options{.stripe_rows = 65'536, .threads = 8};
  const auto within = [&](uint64_t memory_bytes) {
    return internal::FinishMemory(*schema, kNoKeys, options)
        .SpilledStripes(totals, {}, memory_bytes);
  };
  EXPECT_EQ(within(100 << 20).encoded, 1U);
  EXPECT_FALSE(within(100 << 20).reads_ahead);
  EXPECT_EQ(within(64ULL << 30).encoded, 8U);
  uint64_t memory = 100 << 20;
  while (!within(memory).reads_ahead) memory += 1 << 20;
  // The rows of two stripes, and what encodes one, which takes as much as its rows or more.
  EXPECT_GE(memory, 3 * 65'536 * (totals.size_bytes / totals.num_rows));
  EXPECT_EQ(within(memory).encoded, 1U);
  size_t before = 1;
  for (; memory < 16ULL << 30; memory += 64 << 20) {
    EXPECT_TRUE(within(memory).reads_ahead);
    EXPECT_GE(within(memory).encoded, before);
    before = within(memory).encoded;
  }
  EXPECT_EQ(before, 8U);
  // One thread has nothing beside it.
  options.threads = 1;
  EXPECT_FALSE(within(64ULL << 30).reads_ahead);
  EXPECT_EQ(within(64ULL << 30).encoded, 1U);
}

}  // namespace
}  // namespace dsi
