// Features that jobs read lie beside each other, the most read first, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/batch_rows.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

constexpr size_t kFeatures = 60;
constexpr size_t kRows = 4000;

std::string NameOf(size_t f) { return "f" + std::to_string(f); }

std::unique_ptr<Reader> WriteFor(std::vector<FeatureUse> uses) {
  Schema schema;
  for (size_t f = 0; f < kFeatures; ++f) {
    FeatureSpec& feature = schema.features.emplace_back();
    feature.name = NameOf(f);
    feature.kind = Kind::kList;
    feature.columns = {{"", Type::kInt64, ""}};
  }
  WriterOptions options;
  options.uses = std::move(uses);
  options.stripe_rows = 1000;
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "used"), schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  std::mt19937_64 random(1);
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t f = 0; f < kFeatures; ++f) {
      // Neighbours of one group repeat each other's rows.
      const auto user = static_cast<int64_t>(row / 8);
      const int64_t noise = f % 3 == 0 ? static_cast<int64_t>(random() >> 1) : user * 7919;
      EXPECT_TRUE(rows.SetInts(f, 0, std::vector<int64_t>{noise, user, noise + user}).ok());
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "used"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

ScanOptions ScanOf(const FeatureUse& use) {
  ScanOptions options;
  for (const std::string& name : use.features)
    options.features.push_back({.name = name, .layout = Layout::kJagged});
  return options;
}

// First and last byte of the first stripe that a job reads, and in how many ranges.
struct Reads {
  size_t ranges = 0;
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
};

Reads ReadsOf(const Reader& reader, const FeatureUse& use) {
  const auto plan = reader.Plan(ScanOf(use));
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  Reads reads;
  for (const ReadPlan::Range& range : plan->ranges) {
    if (range.stripe != 0) continue;
    ++reads.ranges;
    reads.begin = std::min(reads.begin, range.offset);
    reads.end = std::max(reads.end, range.offset + range.size);
  }
  return reads;
}

FeatureUse Use(std::vector<size_t> features, uint64_t times) {
  FeatureUse use{.times = times};
  for (const size_t f : features) use.features.push_back(NameOf(f));
  return use;
}

TEST(StorageOrder, JobsReadFewerAndLongerRanges) {
  const FeatureUse hot = Use({3, 18, 33, 48, 54}, 100);
  const FeatureUse warm = Use({6, 21, 36, 51, 54}, 10);
  const FeatureUse cold = Use({9, 24}, 1);
  const auto plain = WriteFor({});
  const auto used = WriteFor({hot, warm, cold, Use({777}, 1000)});
  // And a page of small streams of all features. The hot job reads what both read, then its own;
  // between that and its own the other has the rest of the hot one.
  for (const auto& [use, ranges] : {std::pair(hot, size_t{2}), std::pair(warm, size_t{3})}) {
    const Reads before = ReadsOf(*plain, use);
    const Reads after = ReadsOf(*used, use);
    EXPECT_LT(after.end - after.begin, before.end - before.begin);
    EXPECT_LE(after.ranges, ranges);
    EXPECT_GT(before.ranges, after.ranges);
  }
  EXPECT_LT(ReadsOf(*used, hot).end - ReadsOf(*used, hot).begin,
            (ReadsOf(*plain, hot).end - ReadsOf(*plain, hot).begin) / 2);
  // The most read first.
  EXPECT_LT(ReadsOf(*used, hot).begin, ReadsOf(*used, cold).begin);
  EXPECT_LT(ReadsOf(*used, Use({3}, 1)).end, ReadsOf(*used, Use({6}, 1)).end);
  // No value is another, and none is lost.
  EXPECT_TRUE(used->Verify()->empty());
  const auto a = plain->NewScan({});
  const auto b = used->NewScan({});
  Batch batch_a;
  Batch batch_b;
  while (*(*a)->Next(&batch_a)) {
    ASSERT_TRUE(*(*b)->Next(&batch_b));
    for (size_t c = 0; c < kFeatures; ++c) {
      const auto left = batch_a.Jagged(c);
      const auto right = batch_b.Jagged(c);
      ASSERT_EQ(left->num_values, right->num_values);
      const auto* values = static_cast<const int64_t*>(left->values);
      ASSERT_TRUE(std::equal(values, values + left->num_values,
                             static_cast<const int64_t*>(right->values)));
    }
  }
  EXPECT_EQ(plain->info().num_rows, used->info().num_rows);
}

TEST(StorageOrder, WithoutKnownNamesNothingChanges) {
  const auto plain = WriteFor({});
  const auto same = WriteFor({Use({777}, 5), {}});
  EXPECT_EQ(plain->info().file_bytes, same->info().file_bytes);
  const FeatureUse some = Use({1, 2, 40}, 1);
  EXPECT_EQ(ReadsOf(*plain, some).begin, ReadsOf(*same, some).begin);
}

}  // namespace
}  // namespace dsi::test
