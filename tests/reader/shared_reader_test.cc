// One Reader, many threads: what reader.h promises for const calls. The thread sanitizer looks on
// in its own tier.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

constexpr int kThreads = 4;

// What a call found, in a few bytes.
class Digest {
 public:
  void Add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < size; ++i) hash_ = (hash_ ^ bytes[i]) * 0x100000001B3;
  }
  void Add(const std::string& text) { Add(text.data(), text.size() + 1); }
  void Add(uint64_t number) { Add(&number, sizeof(number)); }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xCBF29CE484222325;
};

uint64_t DigestScan(const Reader& reader, const ScanOptions& options) {
  Digest digest;
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  if (!scan.ok()) return 0;
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    digest.Add(batch.num_rows());
    digest.Add(batch.first_row());
    for (const Projection& projection : options.features) {
      const auto view = batch.Ikjt(projection.name);
      EXPECT_TRUE(view.ok()) << view.status().ToString();
      digest.Add(view->unique.values,
                 view->unique.num_values * static_cast<size_t>(TypeWidth(view->unique.dtype)));
      digest.Add(view->inverse, batch.num_rows() * sizeof(int32_t));
    }
  }
  return digest.value();
}

ScanOptions Ikjts(const std::vector<std::string>& names, uint32_t batch_size) {
  ScanOptions options;
  options.batch_size = batch_size;
  for (const std::string& name : names)
    options.features.push_back({.name = name, .layout = Layout::kIkjt});
  return options;
}

using Call = std::function<uint64_t(const Reader&)>;

std::vector<Call> Calls() {
  std::vector<Call> calls;
  calls.push_back([](const Reader& r) {
    return DigestScan(r, Ikjts({"user.history.item", "item.viewers"}, 100));
  });
  calls.push_back([](const Reader& r) {
    ScanOptions options = Ikjts({"user.profile", "label", "noise"}, 64);
    options.filter.where = {{"label", Compare::kEqual, 1}};
    return DigestScan(r, options);
  });
  calls.push_back([](const Reader& r) {
    ScanOptions options = Ikjts({"item.words", "topics.ids"}, 333);
    options.row_begin = 700;
    options.row_end = 1500;
    return DigestScan(r, options);
  });
  calls.push_back([](const Reader& r) {
    const auto damages = r.Verify();
    EXPECT_TRUE(damages.ok() && damages->empty());
    return damages.ok() ? damages->size() : 1;
  });
  calls.push_back([](const Reader& r) {
    Digest digest;
    const auto columns = r.Columns();
    EXPECT_TRUE(columns.ok()) << columns.status().ToString();
    for (const ColumnInfo& column : *columns) digest.Add(column.name);
    const auto groups = r.Groups();
    EXPECT_TRUE(groups.ok()) << groups.status().ToString();
    for (const GroupInfo& group : *groups) digest.Add(group.stripes.size());
    return digest.value();
  });
  calls.push_back([](const Reader& r) {
    Digest digest;
    const auto column = r.FindColumn("item.views");
    EXPECT_TRUE(column.ok());
    digest.Add(column->stored_values);
    const auto plan = r.Plan(Ikjts({"user.*"}, 100));
    EXPECT_TRUE(plan.ok());
    digest.Add(plan->bytes);
    const auto schema = r.schema();
    EXPECT_TRUE(schema.ok());
    digest.Add(*schema->ToJson());
    digest.Add(r.stripes().size());
    return digest.value();
  });
  calls.push_back([](const Reader& r) {
    ScanOptions options;
    options.filter.where = {{"item.views", Compare::kGreater, 5}};
    return *r.CountRows(options);
  });
  calls.push_back([](const Reader& r) {
    const auto dedup = r.Dedup();
    EXPECT_TRUE(dedup.ok());
    const auto streams = r.Streams("item.viewers");
    EXPECT_TRUE(streams.ok());
    return dedup->size() + streams->size();
  });
  return calls;
}

TEST(SharedReader, ConstCallsOfManyThreadsAgreeWithThoseOfOne) {
  const ModelTable table = HistoryTable(8, 2000);
  const std::vector<std::byte> bytes = WriteTable(table, StripesOf(600));
  const std::vector<Call> calls = Calls();
  std::vector<uint64_t> expected;
  {
    const auto reader = Reader::Open(OpenMemoryFile(bytes, "table"));
    ASSERT_TRUE(reader.ok());
    for (const Call& call : calls) expected.push_back(call(**reader));
  }
  // A reader that has read nothing yet: the threads meet where records are loaded first.
  for (int round = 0; round < 3; ++round) {
    const auto reader = Reader::Open(OpenMemoryFile(bytes, "table"));
    ASSERT_TRUE(reader.ok());
    std::atomic<int> waiting{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        ++waiting;
        while (waiting < kThreads) std::this_thread::yield();
        for (size_t i = 0; i < calls.size(); ++i) {
          // In every round other calls meet.
          const size_t k = (i + static_cast<size_t>(t * (round + 1))) % calls.size();
          EXPECT_EQ(calls[k](**reader), expected[k]) << "call " << k << ", thread " << t;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// Views of a batch may be looked at by many threads.
TEST(SharedReader, ConstUseOfABatch) {
  const ModelTable table = HistoryTable(8, 500);
  const auto reader = OpenTable(table, StripesOf(600));
  auto scan = reader->NewScan(Ikjts({"item.words", "label"}, 500));
  ASSERT_TRUE(scan.ok());
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  std::vector<std::thread> threads;
  std::atomic<size_t> unique{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) unique += batch.Ikjt("item.words")->unique.rows;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unique, kThreads * 100 * batch.Ikjt("item.words")->unique.rows);
}

}  // namespace
}  // namespace dsi::test
