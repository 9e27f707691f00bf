// How many reads wait for one another from opening a file to its first batch: at most four,
// whatever is projected.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/batch_rows.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/counting_file.h"

namespace dsi::test {
namespace {

constexpr uint64_t kMostSteps = 4;

struct Source {
  const char* name;
  SourceCosts costs;
};
constexpr Source kSources[] = {{"local", kLocalCosts}, {"HTTP", kHttpCosts}, {"S3", kS3Costs}};

// The values of the projected features of the first batch.
std::string FirstBatch(Scan* scan, const ScanOptions& options) {
  Batch batch;
  const auto more = scan->Next(&batch);
  EXPECT_TRUE(more.ok()) << more.status().ToString();
  std::string bytes;
  if (!more.ok() || !*more) return bytes;
  for (const Projection& projection : options.features) {
    const auto view = batch.Jagged(projection.name);
    if (!view.ok()) continue;  // A name of several columns.
    const auto size = view->num_values * static_cast<size_t>(TypeWidth(view->dtype));
    bytes.append(static_cast<const char*>(view->values), size);
    bytes.append(reinterpret_cast<const char*>(view->offsets), 8 * (view->rows + 1));
  }
  return bytes + std::to_string(batch.num_rows());
}

// Steps from opening to the first batch, from each kind of source; the plan says the same.
void ExpectFewSteps(const std::vector<std::byte>& file, const ScanOptions& options,
                    uint64_t most_bytes = UINT64_MAX) {
  const auto plain = Reader::Open(OpenMemoryFile(file, "steps"));
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  auto plain_scan = (*plain)->NewScan(options);
  ASSERT_TRUE(plain_scan.ok()) << plain_scan.status().ToString();
  const std::string expected = FirstBatch(plain_scan->get(), options);
  for (const Source& source : kSources) {
    SCOPED_TRACE(source.name);
    ReadCounts counts;
    const auto open = [&] {
      return Reader::Open(
          std::make_unique<CountingFile>(OpenMemoryFile(file, "steps"), source.costs, &counts));
    };
    const auto reader = open();
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    auto scan = (*reader)->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    EXPECT_EQ(FirstBatch(scan->get(), options), expected);
    EXPECT_LE(counts.steps, kMostSteps);
    EXPECT_LE(counts.bytes, most_bytes);
    const uint64_t steps = counts.steps;
    if (options.features.empty()) continue;
    const auto planner = open();
    const auto plan = (*planner)->Plan(options);
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    EXPECT_GE(plan->steps, steps);  // What lies in the tail takes no step of its own.
    EXPECT_LE(plan->steps, kMostSteps + 1);
  }
}

ScanOptions Some(uint32_t num_features, uint32_t of) {
  ScanOptions options;
  options.batch_size = 4;
  for (uint32_t i = 0; i < num_features; ++i) {
    const uint64_t f = uint64_t{i} * of / num_features + i % 7;
    options.features.push_back({.name = "feature_" + std::to_string(f), .layout = Layout::kJagged});
  }
  return options;
}

std::vector<std::byte> WideFile(uint32_t num_features, int num_rows) {
  Schema schema;
  for (uint32_t f = 0; f < num_features; ++f)
    schema.features.push_back(
        Feature("feature_" + std::to_string(f), Kind::kList, {{"", Type::kInt64, ""}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "wide"), schema,
                               {.threads = 1, .find_groups = false});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  uint64_t state = 1;
  for (int r = 0; r < num_rows; ++r) {
    for (uint32_t f = 0; f < num_features; ++f) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const int64_t ids[2] = {static_cast<int64_t>(state >> 40), static_cast<int64_t>(f)};
      EXPECT_TRUE(rows.SetInts(f, 0, std::span(ids, (state >> 33) % 3)).ok());
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

TEST(ReadSteps, SmallFile) {
  const std::vector<std::byte> file = SampleFile(200, 70);
  ExpectFewSteps(file, {});
  ScanOptions options;
  options.batch_size = 30;
  for (const char* name : {"user.clicks", "user.history.time", "topics.weights", "query", "label"})
    options.features.push_back({.name = name, .layout = Layout::kJagged});
  ExpectFewSteps(file, options);
  options.filter.where = {{"label", Compare::kEqual, 1}};
  ExpectFewSteps(file, options);
  options.row_begin = 150;
  ExpectFewSteps(file, options);
}

TEST(ReadSteps, SlowWideFile) {
  const std::vector<std::byte> file = WideFile(20'000, 40);
  ExpectFewSteps(file, Some(10, 20'000), 2 << 20);
  ExpectFewSteps(file, Some(100, 20'000), 4 << 20);
  ScanOptions globbed;
  globbed.batch_size = 4;
  globbed.features.push_back({.name = "feature_123?", .layout = Layout::kJagged});
  ExpectFewSteps(file, globbed);
}

TEST(ReadSteps, SlowVeryWideFile) {
  const std::vector<std::byte> file = WideFile(200'000, 4);
  ExpectFewSteps(file, Some(10, 200'000), 4 << 20);
  ExpectFewSteps(file, Some(100, 200'000));
}

}  // namespace
}  // namespace dsi::test
