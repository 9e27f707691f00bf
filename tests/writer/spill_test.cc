// Rows beyond the memory budget: the bytes of the file do not depend on where rows wait, whatever
// the order of the input and the way in; and what goes wrong there is said.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/temp_folder.h"
#include "dsi/writer/spill/record_sorter_internal.h"
#include "dsi/writer/spill/spilled_rows_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr char kFeatures[] = R"({"features": [
    {"name": "user", "kind": "key", "type": "int32"},
    {"name": "session", "kind": "key", "type": "bytes"},
    {"name": "t", "kind": "timestamp", "unit": "s"},
    {"name": "price", "kind": "dense", "type": "float32", "precision": "int8"},
    {"name": "rate", "kind": "dense", "type": "float64", "precision": "fp16"},
    {"name": "flag", "kind": "dense", "type": "bool"},
    {"name": "clicks", "kind": "list", "type": "int64"},
    {"name": "seen", "kind": "list", "type": "int64"},
    {"name": "late", "kind": "list", "type": "int32"},
    {"name": "weights", "kind": "weighted", "type": "int64", "weight_type": "float32"},
    {"name": "vector", "kind": "embedding", "type": "float32", "length": 3},
    {"name": "query", "kind": "string"}]})";

struct Table {
  std::shared_ptr<const Schema> schema;
  std::vector<RowBatch> batches;
};

// Rows in no order, features that are missing here and there, lists that repeat by session.
void Fill(uint64_t seed, int num_rows, int rows_of_batch, Table* table) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> list;
  for (int row = 0; row < num_rows; ++row) {
    if (row % rows_of_batch == 0) table->batches.emplace_back(table->schema);
    RowBatch& batch = table->batches.back();
    const auto session = static_cast<int64_t>(random() % static_cast<uint64_t>(num_rows / 8));
    std::mt19937_64 of_session(static_cast<uint64_t>(session));
    list.resize(of_session() % 12);
    for (int64_t& id : list) id = static_cast<int64_t>(of_session() >> 3);
    if (session % 7 != 0) EXPECT_TRUE(batch.SetInt(0, session % 50).ok());
    if (session % 11 != 0) EXPECT_TRUE(batch.SetBytes(1, std::to_string(session)).ok());
    EXPECT_TRUE(batch.SetInt(2, static_cast<int64_t>(random() % 1'000)).ok());
    if (random() % 3 != 0)
      EXPECT_TRUE(batch.SetDouble(3, static_cast<double>(random() % 10'000) / 7).ok());
    EXPECT_TRUE(batch.SetDouble(4, static_cast<double>(random() % 10'000) / 7).ok());
    if (random() % 2 != 0) EXPECT_TRUE(batch.SetInt(5, 1).ok());
    EXPECT_TRUE(batch.SetInts(6, 0, list).ok());
    if (session % 3 != 0) EXPECT_TRUE(batch.SetInts(7, 0, list).ok());
    if (row > num_rows * 9 / 10)
      EXPECT_TRUE(batch.SetInts(8, 0, std::vector<int64_t>{1, 2, row}).ok());
    if (random() % 4 == 0) {
      EXPECT_TRUE(batch.SetInts(9, 0, list).ok());
      EXPECT_TRUE(batch.SetDoubles(9, 1, std::vector<double>(list.size(), 0.5)).ok());
    }
    EXPECT_TRUE(batch.SetDoubles(10, 0, std::vector<double>{0.25, 1.0 * row, 3}).ok());
    EXPECT_TRUE(batch.SetBytes(11, std::string(random() % 40, 'q')).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
}

struct Written {
  Status status;
  std::vector<std::byte> bytes;
  WriteReport report;
};

// In batches, copied or moved.
Written Write(uint64_t seed, int num_rows, int rows_of_batch, WriterOptions options,
              bool moved = false) {
  Written written;
  auto writer = Writer::Create(CreateMemoryFile(&written.bytes, "memory"),
                               *Schema::FromJson(kFeatures), std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  Table table{(*writer)->schema(), {}};
  Fill(seed, num_rows, rows_of_batch, &table);
  for (RowBatch& batch : table.batches) {
    written.status = moved ? (*writer)->Append(std::move(batch)) : (*writer)->Append(batch);
    if (!written.status.ok()) return written;
  }
  auto report = (*writer)->Finish();
  written.status = report.status();
  if (report.ok()) written.report = *report;
  return written;
}

using Names = std::vector<std::string>;

TEST(Spill, TheBytesDependOnNeitherBudgetNorThreads) {
  uint64_t seed = 1;
  for (const Names& keys :
       {Names{"session", "t"}, Names{"user", "session", "t"}, Names{"user"}, Names{"t"}, Names{}}) {
    for (const uint32_t stripe_rows : {400U, 100'000U}) {
      WriterOptions options{.cluster_by = keys,
                            .keep_position = seed % 2 == 0,
                            .stripe_rows = stripe_rows,
                            .page_values = 1'024};
      const Written held = Write(++seed, 6'000, 500, options);
      ASSERT_TRUE(held.status.ok()) << held.status.ToString();
      EXPECT_EQ(held.report.spilled_bytes, 0U);
      for (const uint64_t budget : {1'000U, 60'000U, 400'000U}) {
        for (const int rows_of_batch : {17, 500, 6'000}) {
          options.memory_bytes = budget;
          options.threads = rows_of_batch % 3 + 1;
          const Written spilled = Write(seed, 6'000, rows_of_batch, options, rows_of_batch == 500);
          ASSERT_TRUE(spilled.status.ok()) << spilled.status.ToString();
          EXPECT_GT(spilled.report.spilled_bytes, 0U);
          EXPECT_TRUE(spilled.bytes == held.bytes)
              << keys.size() << " keys, stripes of " << stripe_rows << ", budget " << budget
              << ", batches of " << rows_of_batch;
          EXPECT_EQ(spilled.report.values_in, held.report.values_in);
        }
      }
    }
  }
}

// Budgets that have room for threads: rows are read and compressed beside what is encoded.
TEST(Spill, TheBytesDoNotDependOnWhatIsReadAhead) {
  constexpr int kManyRows = 20'000;
  constexpr int kEntries = 250;
  const auto write = [&](const Names& keys, uint64_t memory_bytes, int threads) {
    Written written;
    auto writer = Writer::Create(CreateMemoryFile(&written.bytes, "memory"),
                                 *Schema::FromJson(R"({"features": [
                                     {"name": "session", "kind": "key", "type": "int64"},
                                     {"name": "seen", "kind": "list", "type": "int64"},
                                     {"name": "liked", "kind": "list", "type": "int64"}]})"),
                                 {.cluster_by = keys,
                                  .stripe_rows = 1'000,
                                  .memory_bytes = memory_bytes,
                                  .threads = threads});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    std::mt19937_64 random(3);
    std::vector<int64_t> list(kEntries);
    for (int first = 0; first < kManyRows; first += 500) {
      RowBatch batch((*writer)->schema());
      for (int row = first; row < first + 500; ++row) {
        const uint64_t session = random() % (kManyRows / 8);
        std::mt19937_64 of_session(session);
        for (int64_t& id : list) id = static_cast<int64_t>(of_session() % 100'000);
        EXPECT_TRUE(batch.SetInt(0, static_cast<int64_t>(session)).ok());
        EXPECT_TRUE(batch.SetInts(1, 0, list).ok());
        list[0] = row;
        EXPECT_TRUE(batch.SetInts(2, 0, list).ok());
        EXPECT_TRUE(batch.EndRow().ok());
      }
      EXPECT_TRUE((*writer)->Append(std::move(batch)).ok());
    }
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    if (report.ok()) written.report = *report;
    return written;
  };
  for (const Names& keys : {Names{"session"}, Names{}}) {
    const Written held = write(keys, 4ULL << 30, 1);
    EXPECT_EQ(held.report.spilled_bytes, 0U);
    for (const int threads : {2, 3}) {
      const Written spilled = write(keys, static_cast<uint64_t>(threads) * (25 << 20), threads);
      // Rows that keep their order go as they come, and may all find room.
      if (!keys.empty()) {
        EXPECT_GT(spilled.report.spilled_bytes, 0U);
      }
      EXPECT_TRUE(spilled.bytes == held.bytes) << keys.size() << " keys, " << threads;
    }
  }
}

TEST(Spill, ColumnsOfAnySizeAreSpilled) {
  constexpr size_t kRows = 100'000;
  std::mt19937_64 random(5);
  std::vector<int64_t> keys(kRows);
  std::vector<int64_t> offsets(kRows + 1);
  std::vector<uint8_t> validity(kRows / 8 + 1);
  for (size_t i = 0; i < kRows; ++i) keys[i] = static_cast<int64_t>(random() % 5'000);
  for (uint8_t& bits : validity) bits = static_cast<uint8_t>(random());
  for (size_t i = 0; i < kRows; ++i) offsets[i + 1] = offsets[i] + (i % 3 == 0 ? 4 : 0);
  std::vector<int64_t> ids(static_cast<size_t>(offsets.back()));
  for (int64_t& id : ids) id = static_cast<int64_t>(random() % 1'000);
  const std::vector<float> vectors(kRows * 2, 0.5F);
  const auto write = [&](uint64_t memory_bytes, uint64_t* spilled) {
    std::vector<std::byte> bytes;
    auto writer = Writer::Create(
        CreateMemoryFile(&bytes, "memory"),
        *Schema::FromJson(R"({"features": [{"name": "k", "kind": "key", "type": "int64"},
                              {"name": "l", "kind": "list", "type": "int64"},
                              {"name": "v", "kind": "embedding", "type": "float32", "length": 2}],
                              "cluster_by": ["k"]})"),
        {.stripe_rows = 20'000, .memory_bytes = memory_bytes});
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    FeatureColumns key{.feature = 0, .values = {keys.data()}};
    FeatureColumns list{.feature = 1,
                        .validity = validity.data(),
                        .offsets64 = offsets.data(),
                        .values = {ids.data()}};
    FeatureColumns vector{.feature = 2, .validity = validity.data(), .values = {vectors.data()}};
    EXPECT_TRUE((*writer)->AppendColumns(kRows, std::vector{key, list, vector}).ok());
    EXPECT_EQ((*writer)->num_rows(), kRows);
    // What is wrong is found before any of it is spilled.
    list.offsets64 = nullptr;
    EXPECT_EQ((*writer)->AppendColumns(kRows, std::vector{key, list}).code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ((*writer)->num_rows(), kRows);
    const auto report = (*writer)->Finish();
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    *spilled = report->spilled_bytes;
    return bytes;
  };
  uint64_t spilled = 0;
  const auto held = write(0, &spilled);
  EXPECT_EQ(spilled, 0U);
  EXPECT_TRUE(write(100'000, &spilled) == held);
  EXPECT_GT(spilled, 0U);
}

TEST(Spill, NothingIsLeftInTheFolder) {
  const test::TempFolder folder;
  for (const bool cancels : {false, true}) {
    int calls = 0;
    const Written written = Write(3, 3'000, 100,
                                  {.stripe_rows = 200,
                                   .memory_bytes = 10'000,
                                   .spill_folder = folder.path(),
                                   .progress = [&](const WriteProgress&) {
                                     EXPECT_EQ(folder.Names(), std::set<std::string>());
                                     return !cancels || ++calls < 20;
                                   }});
    EXPECT_EQ(written.status.code(), cancels ? StatusCode::kCancelled : StatusCode::kOk);
    EXPECT_EQ(folder.Names(), std::set<std::string>());
  }
}

TEST(Spill, AFolderThatIsNotThereIsNamed) {
  const Written written =
      Write(3, 3'000, 100, {.memory_bytes = 10'000, .spill_folder = "/nowhere/at/all"});
  EXPECT_EQ(written.status.code(), StatusCode::kIo);
  for (const char* part : {"/nowhere/at/all", "memory budget", "No such file"})
    EXPECT_NE(written.status.message().find(part), std::string::npos) << written.status.message();
}

// As on a full disk: at any size, an error that says where, or the right file.
TEST(Spill, AFileThatCannotGrowFailsTheCallAndNoRowIsLost) {
  std::signal(SIGXFSZ, SIG_IGN);
  const auto with_limit = [](rlim_t limit, const auto& work) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit now{limit, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
    work();
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  };
  const WriterOptions options{
      .cluster_by = {"session", "t"}, .stripe_rows = 700, .memory_bytes = 20'000};
  const Written whole = Write(9, 3'000, 50, options);
  ASSERT_TRUE(whole.status.ok());
  // Rows that are handed over come back as they were.
  for (const bool hands_over : {false, true}) {
    size_t failed = 0;
    for (rlim_t limit = 1; limit < whole.report.spilled_bytes; limit += 1 + limit / 3) {
      std::vector<std::byte> bytes;
      auto writer =
          Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(kFeatures), options);
      ASSERT_TRUE(writer.ok());
      Table table{(*writer)->schema(), {}};
      Fill(9, 3'000, hands_over ? 500 : 50, &table);
      Table pristine{(*writer)->schema(), {}};
      Fill(9, 3'000, hands_over ? 500 : 50, &pristine);
      for (size_t i = 0; i < table.batches.size(); ++i) {
        RowBatch& batch = table.batches[i];
        const uint64_t before = (*writer)->num_rows();
        const auto append = [&] {
          return hands_over ? (*writer)->Append(std::move(batch))
                            : (*writer)->Append(std::as_const(batch));
        };
        Status status;
        with_limit(limit, [&] { status = append(); });
        if (status.ok()) continue;
        ++failed;
        EXPECT_EQ(status.code(), StatusCode::kIo);
        EXPECT_NE(status.message().find("spill folder"), std::string::npos) << status.message();
        EXPECT_EQ((*writer)->num_rows(), before);
        const auto& rates = batch.feature(4).values[0];
        const auto& given = pristine.batches[i].feature(4).values[0];
        ASSERT_EQ(rates.size(), given.size());
        EXPECT_EQ(std::memcmp(rates.data(), given.data(), given.size()), 0) << "rounded";
        // There is room again.
        ASSERT_TRUE(append().ok());
      }
      ASSERT_TRUE((*writer)->Finish().ok());
      EXPECT_TRUE(bytes == whole.bytes) << limit << hands_over;
    }
    EXPECT_GT(failed, 5U);
  }
}

// Every bit of a block, its head included, and a block in another's place.
TEST(SpillFile, DamageIsFound) {
  const test::TempFolder folder;
  internal::SpillFile file(folder.path());
  const std::vector<std::byte> zeros(3'000);
  std::vector<std::byte> noise(200);
  std::mt19937_64 random(1);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
  const auto packed = file.Append(zeros);
  const auto plain = file.Append(noise);
  ASSERT_TRUE(packed.ok() && plain.ok());
  std::vector<std::byte> bytes;
  ASSERT_TRUE(file.Read(*packed, &bytes).ok());
  EXPECT_EQ(bytes, zeros);
  ASSERT_TRUE(file.Read(*plain, &bytes).ok());
  EXPECT_EQ(bytes, noise);
  EXPECT_EQ(file.Read(8, &bytes).code(), StatusCode::kCorrupt);
  const auto each_byte = [&](const auto& work) {
    for (uint64_t at = 0; at < file.size(); ++at) {
      std::byte before{};
      ASSERT_EQ(pread(file.descriptor(), &before, 1, static_cast<off_t>(at)), 1);
      work(at, before);
      ASSERT_EQ(pwrite(file.descriptor(), &before, 1, static_cast<off_t>(at)), 1);
    }
  };
  each_byte([&](uint64_t at, std::byte before) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::byte flipped = before ^ static_cast<std::byte>(1 << bit);
      ASSERT_EQ(pwrite(file.descriptor(), &flipped, 1, static_cast<off_t>(at)), 1);
      EXPECT_EQ(file.Read(at < *plain ? *packed : *plain, &bytes).code(), StatusCode::kCorrupt)
          << at << ", bit " << bit;
    }
  });
  ASSERT_EQ(ftruncate(file.descriptor(), static_cast<off_t>(file.size() - 1)), 0);
  EXPECT_EQ(file.Read(*plain, &bytes).code(), StatusCode::kCorrupt);
  EXPECT_TRUE(file.Read(*packed, &bytes).ok());
}

TEST(SpillFile, BlocksThatAreCompressedTogetherStandInTheirOrder) {
  const test::TempFolder folder;
  std::mt19937_64 random(2);
  std::vector<std::vector<std::byte>> blocks(40);
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].resize(random() % 5'000);
    for (std::byte& byte : blocks[i])
      byte = static_cast<std::byte>(i % 2 == 0 ? random() : random() % 3);
  }
  internal::SpillFile one(folder.path());
  std::vector<uint64_t> expected;
  for (const auto& block : blocks) expected.push_back(*one.Append(block));
  for (const int threads : {1, 2, 8}) {
    internal::SpillFile file(folder.path());
    const auto offsets = file.AppendAll(blocks, threads);
    ASSERT_TRUE(offsets.ok());
    EXPECT_EQ(*offsets, expected);
    EXPECT_EQ(file.size(), one.size());
    std::vector<std::byte> bytes;
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_TRUE(file.Read(expected[i], &bytes).ok());
      EXPECT_EQ(bytes, blocks[i]);
    }
  }
}

TEST(RecordSorter, SortsWhatDoesNotFit) {
  for (const size_t count : {0, 1, 1'000, 5'000, 300'000}) {
    internal::RecordSorter sorter(12, 12, 1, "");
    std::mt19937 random(4);
    std::vector<std::string> expected;
    for (size_t i = 0; i < count; ++i) {
      std::string record(12, '\0');
      for (char& c : record) c = static_cast<char>(random() % 4);
      ASSERT_TRUE(sorter.Add(reinterpret_cast<const std::byte*>(record.data())).ok());
      expected.push_back(std::move(record));
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_TRUE(sorter.Sort().ok());
    EXPECT_EQ(sorter.spilled_bytes() != 0, count > 1'024);
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::string& record : expected) {
        const auto next = sorter.Next();
        ASSERT_TRUE(next.ok() && *next != nullptr);
        ASSERT_EQ(std::memcmp(*next, record.data(), record.size()), 0);
      }
      EXPECT_EQ(*sorter.Next(), nullptr);
      ASSERT_TRUE(sorter.Rewind().ok());
    }
  }
}

}  // namespace
}  // namespace dsi
