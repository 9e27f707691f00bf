// Wide schemas cost what their features cost, not their square.
#include <gtest/gtest.h>

#include <ctime>

#include "dsi/writer/encode/plan_memory_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr uint32_t kFeatures = 100'000;
constexpr int kRows = 20;

// A key and numbers that stay as long as it does, in so many declared groups.
Schema WideSchema(uint32_t num_groups) {
  Schema schema;
  for (uint32_t f = 0; f < kFeatures; ++f) {
    FeatureSpec& feature = schema.features.emplace_back();
    feature.name = "feature_" + std::to_string(f);
    feature.kind = f == 0 ? Kind::kKey : Kind::kDense;
    feature.columns = {{.name = "", .type = Type::kInt64, .id_space = ""}};
  }
  schema.groups.resize(num_groups);
  for (uint32_t g = 0; g < num_groups; ++g) {
    schema.groups[g].name = "group_" + std::to_string(g);
    schema.groups[g].owner = "feature_0";
  }
  for (uint32_t f = 1; f < kFeatures && num_groups != 0; ++f)
    schema.groups[f % num_groups].features.push_back(schema.features[f].name);
  return schema;
}

double CpuSecondsToWrite(uint32_t num_groups) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), WideSchema(num_groups));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  for (int row = 0; row < kRows; ++row) {
    for (uint32_t f = 0; f < kFeatures; ++f) {
      if (f == 0 || f % 97 == 5) EXPECT_TRUE(batch.SetInt(f, row / 5).ok());
    }
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  const std::clock_t start = std::clock();
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(ManyFeatures, SlowDeclaringThemIsLinear) {
  const double undeclared = CpuSecondsToWrite(0);
  for (const uint32_t num_groups : {1U, 1'000U}) {
    const double declared = CpuSecondsToWrite(num_groups);
    RecordProperty("groups_" + std::to_string(num_groups), std::to_string(declared));
    EXPECT_LT(declared, 5 * undeclared + 5) << num_groups << " groups";
  }
}

// Kept per stream of a file, most of which have no values in wide tables.
TEST(ManyFeatures, PlansAreSmall) { EXPECT_LE(sizeof(internal::RememberedPlan), 160U); }

TEST(ManyFeatures, AreFoundByName) {
  const Schema schema = WideSchema(0);
  const FeatureIndex index(schema);
  for (uint32_t f = 0; f < kFeatures; ++f)
    ASSERT_EQ(index.Find(schema.features[f].name), static_cast<int>(f));
  EXPECT_EQ(index.Find("feature_"), -1);
}

}  // namespace
}  // namespace dsi
