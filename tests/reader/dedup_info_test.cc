// Reader::Dedup against scans of the same file: it reads indexes and shapes, they decode values.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/counting_file.h"

namespace dsi {
namespace {

std::unique_ptr<Reader> Open(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "sample"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

TEST(DedupInfo, CountsWhatScansExpand) {
  for (const uint32_t stripe_rows : {1U << 18, 700U}) {
    const auto reader = Open(test::SampleFile(3000, stripe_rows));
    const auto features = reader->Dedup();
    ASSERT_TRUE(features.ok()) << features.status().ToString();
    ASSERT_EQ(features->size(), reader->info().num_features);
    for (const FeatureDedup& feature : *features) {
      ScanOptions options;
      Projection& projection = options.features.emplace_back();
      projection.name = feature.feature;
      projection.layout = Layout::kJagged;
      const auto scan = reader->NewScan(options);
      ASSERT_TRUE(scan.ok()) << scan.status().ToString();
      Batch batch;
      while (true) {
        const auto more = (*scan)->Next(&batch);
        ASSERT_TRUE(more.ok()) << more.status().ToString();
        if (!*more) break;
      }
      EXPECT_EQ(feature.row_entries * feature.num_columns, (*scan)->stats().values_expanded)
          << feature.feature;
      EXPECT_LE(feature.rows_present, 3000U);
      if (feature.windowed_stripes == 0) {
        EXPECT_EQ(feature.pool_entries, feature.unique_entries);
      }
      EXPECT_LE(feature.windowed_entries, feature.unique_entries);
    }
  }
}

// However many features a far file has, nobody waits for each of them.
TEST(DedupInfo, WhatIsLookedAtIsReadInOneStep) {
  const std::vector<std::byte> bytes = test::SampleFile(200'000);
  const auto expected = Open(bytes)->Dedup();
  test::ReadCounts counts;
  const auto reader = Reader::Open(std::make_unique<test::CountingFile>(
      OpenMemoryFile(bytes, "sample"), SourceCosts{2e-3, 1e6}, &counts));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  counts = {};
  const auto features = (*reader)->Dedup();
  ASSERT_TRUE(features.ok() && expected.ok()) << features.status().ToString();
  EXPECT_EQ(counts.steps, 1U);
  ASSERT_EQ(features->size(), expected->size());
  for (size_t i = 0; i < features->size(); ++i) {
    EXPECT_EQ((*features)[i].feature, (*expected)[i].feature);
    EXPECT_EQ((*features)[i].row_entries, (*expected)[i].row_entries);
    EXPECT_EQ((*features)[i].unique_entries, (*expected)[i].unique_entries);
    EXPECT_EQ((*features)[i].rows_present, (*expected)[i].rows_present);
  }
}

TEST(DedupInfo, EmptyFile) {
  const auto reader = Open(test::SampleFile(0));
  const auto features = reader->Dedup();
  ASSERT_TRUE(features.ok()) << features.status().ToString();
  for (const FeatureDedup& feature : *features) EXPECT_EQ(feature.row_entries, 0U);
}

// Whatever byte is hit, the answer is an error or one: nothing is believed that is not sealed.
TEST(DedupInfo, DamageIsAnError) {
  const std::vector<std::byte> good = test::SampleFile(300, 100);
  size_t refused = 0;
  for (size_t at = 0; at < good.size(); at += 7) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x21};
    auto reader = Reader::Open(OpenMemoryFile(std::move(bad), "damaged"));
    if (!reader.ok()) continue;
    refused += (*reader)->Dedup().ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace dsi
