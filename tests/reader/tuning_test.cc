// The tuning that a file names (F-053): recorded, absent, of a later version.
#include <gtest/gtest.h>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

using wire::CoreFooter;

std::vector<std::byte> OneRow(Tuning tuning) {
  Schema schema;
  schema.features.push_back(Feature("x", Kind::kDense, {{"", Type::kInt64, ""}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "tuned"), schema, {.tuning = tuning});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  EXPECT_TRUE(rows.SetInt(0, 7).ok());
  EXPECT_TRUE(rows.EndRow().ok());
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

// What the reader says of an edited file, whose rows must not depend on it.
FileInfo InfoOf(EditableFile file) {
  const auto reader = OpenBytes(file.ResealFooter().bytes());
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  if (!reader.ok()) return {};
  EXPECT_TRUE((*reader)->Verify()->empty());
  EXPECT_EQ(*(*reader)->CountRows({}), 1U);
  return (*reader)->info();
}

TEST(Tuning, F053IsRecorded) {
  for (const auto& [tuning, ns_per_byte] :
       {std::pair(Tuning::kNvme, 4.0), {Tuning::kNetwork, 12.0}, {Tuning::kArchive, 200.0}}) {
    const FileInfo info = InfoOf(EditableFile(OneRow(tuning)));
    EXPECT_EQ(info.tuning, tuning);
    EXPECT_EQ(info.ns_per_byte, ns_per_byte) << TuningName(tuning);
  }
}

TEST(Tuning, F053AnyNumberIsRead) {
  for (const uint8_t number : {uint8_t{4}, uint8_t{255}}) {
    EditableFile file(OneRow(Tuning::kArchive));
    file.SetCore<uint8_t>(CoreFooter::VT_TUNING, number);
    const FileInfo info = InfoOf(std::move(file));
    ASSERT_TRUE(info.tuning.has_value());
    EXPECT_EQ(static_cast<uint8_t>(*info.tuning), number);
    EXPECT_EQ(TuningName(*info.tuning), "");
    EXPECT_EQ(info.ns_per_byte, 4.0);
  }
}

TEST(Tuning, F053MayBeUnsaid) {
  EditableFile zero(OneRow(Tuning::kArchive));
  zero.SetCore<uint8_t>(CoreFooter::VT_TUNING, 0);
  const FileInfo info = InfoOf(std::move(zero));
  EXPECT_FALSE(info.tuning.has_value());
  EXPECT_EQ(info.ns_per_byte, 4.0);
}

}  // namespace
}  // namespace dsi::test
