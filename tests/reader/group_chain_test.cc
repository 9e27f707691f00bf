// How many groups may stand in a chain of parents (F-073, F-090).
#include <gtest/gtest.h>

#include <string>

#include "dsi/format/limits.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

constexpr uint32_t kParentPlace = 16;  // In a group record.

// A file of declared groups, of which `length` are a chain.
std::vector<std::byte> FileWithChain(uint32_t length) {
  Schema schema;
  schema.features.push_back(Feature("session", Kind::kKey, {{"", Type::kInt64, ""}}));
  schema.cluster_by = {"session"};
  for (uint32_t g = 0; g < 12; ++g) {
    const std::string name = "f" + std::to_string(g);
    schema.features.push_back(Feature(name, Kind::kDense, {{"", Type::kInt64, ""}}));
    schema.groups.push_back({"g" + std::to_string(g), "", {name}});
  }
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "chain"), schema, {.threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(rows.SetInt(0, i / 10).ok());
    for (uint32_t f = 1; f <= 12; ++f) EXPECT_TRUE(rows.SetInt(f, i / (f + 1)).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  EditableFile file(std::move(bytes));
  EXPECT_GE(file.groups().count(), 13U);
  // Groups 1 … length: each has the one before as its parent.
  for (uint32_t g = 1; g <= length; ++g)
    file.Put<uint32_t>(EditableFile::Place(file.groups(), g) + kParentPlace, g - 1);
  for (uint32_t g = length + 1; g < file.groups().count(); ++g)
    file.Put<uint32_t>(EditableFile::Place(file.groups(), g) + kParentPlace, 0);
  return file.Reseal().bytes();
}

TEST(GroupChain, AsLongAsItMayBe) {
  const auto reader = Reader::Open(OpenMemoryFile(FileWithChain(kMaxGroupChain), "chain"));
  ASSERT_TRUE(reader.ok());
  const auto damage = (*reader)->Verify();
  ASSERT_TRUE(damage.ok());
  EXPECT_TRUE(damage->empty()) << damage->front().status.ToString();
  auto scan = (*reader)->NewScan({});
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  EXPECT_TRUE(*(*scan)->Next(&batch));
}

TEST(GroupChain, OneMoreIsRefused) {
  const auto reader = Reader::Open(OpenMemoryFile(FileWithChain(kMaxGroupChain + 1), "chain"));
  ASSERT_TRUE(reader.ok());
  const auto scan = (*reader)->NewScan({});
  EXPECT_EQ(scan.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(scan.status().message().find("F-073, F-090"), std::string::npos)
      << scan.status().ToString();
  const auto damage = (*reader)->Verify();
  ASSERT_TRUE(damage.ok());
  bool found = false;
  for (const Damage& d : *damage)
    found = found ||
            (d.where == "dedup group 9" && d.status.message().find("F-073") != std::string::npos);
  EXPECT_TRUE(found);
  // The columns of other groups can be read.
  EXPECT_TRUE((*reader)->FindColumn("f0").ok());
}

}  // namespace
}  // namespace dsi::test
