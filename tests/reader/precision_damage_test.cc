// The section of rounded columns under valid seals: what breaks F-081 and S-014 is found when the
// file is opened, asked for its schema, and verified.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

// Columns 0 and 3 are rounded; 1 is no float, 2 a label.
std::vector<std::byte> RoundedFile() {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "x", "kind": "dense", "precision": "fp16"},
    {"name": "n", "kind": "dense", "type": "int32"}, {"name": "l", "kind": "label"},
    {"name": "v", "kind": "embedding", "length": 2, "precision": "int8"}]})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *schema, {});
  EXPECT_TRUE(writer.ok());
  RowBatch batch((*writer)->schema());
  for (int i = 0; i < 10; ++i) {
    const std::vector<double> vector = {i * 0.1, 1};
    EXPECT_TRUE(batch.SetDouble(0, i / 3.0).ok());
    EXPECT_TRUE(batch.SetInt(1, i).ok());
    EXPECT_TRUE(batch.SetDouble(2, i).ok());
    EXPECT_TRUE(batch.SetDoubles(3, 0, vector).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

constexpr uint64_t kColumn = 0;
constexpr uint64_t kPrecision = 4;
constexpr uint64_t kError = 8;
constexpr uint64_t kSecond = 16;

struct Case {
  const char* what;
  const char* rule;
  std::vector<std::pair<uint64_t, uint32_t>> edits;  // Place in the section, number there.
};

std::vector<Case> Cases() {
  const auto error = [](double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return std::vector<std::pair<uint64_t, uint32_t>>{
        {kError, static_cast<uint32_t>(bits)}, {kError + 4, static_cast<uint32_t>(bits >> 32)}};
  };
  return {{"precision 0", "F-081", {{kPrecision, 0}}},
          {"precision 4", "F-081", {{kPrecision, 4}}},
          {"no such column", "F-081", {{kSecond + kColumn, 4}}},
          {"a column twice", "F-081", {{kSecond + kColumn, 0}}},
          {"columns fall", "F-081", {{kColumn, 3}, {kSecond + kColumn, 0}}},
          {"error NaN", "F-081", error(std::nan(""))},
          {"error infinite", "F-081", error(std::numeric_limits<double>::infinity())},
          {"error negative", "F-081", error(-1.0)},
          {"error -0", "F-081", error(-0.0)},
          {"a whole number", "S-014", {{kColumn, 1}}},
          {"a label", "S-014", {{kColumn, 2}}}};
}

TEST(PrecisionDamage, RecordsThatBreakARule) {
  const std::vector<std::byte> good = RoundedFile();
  for (const Case& c : Cases()) {
    EditableFile file(good);
    for (const auto& [at, number] : c.edits)
      file.Put<uint32_t>(file.section(0).offset() + at, number);
    const auto reader = Reader::Open(OpenMemoryFile(file.Reseal().bytes(), "memory"));
    ASSERT_TRUE(reader.ok()) << c.what << reader.status().ToString();
    for (const Status& status : {(*reader)->schema().status(), (*reader)->Columns().status()}) {
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << c.what;
      EXPECT_NE(status.message().find(c.rule), std::string::npos) << c.what << status.ToString();
    }
    const auto found = (*reader)->Verify();
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->size(), 1U) << c.what;
    EXPECT_NE((*found)[0].status.message().find(c.rule), std::string::npos) << c.what;
  }
}

// Sizes are refused before a record is read.
TEST(PrecisionDamage, SectionsThatBreakARule) {
  const std::vector<std::byte> good = RoundedFile();
  for (const uint64_t size :
       {uint64_t{0}, uint64_t{31}, uint64_t{33}, uint64_t{80}, ~uint64_t{0}}) {
    EditableFile file(good);
    wire::SectionRef& section = file.section(0);
    section = wire::SectionRef(2, 0, section.offset(), size, section.seal());
    const Status status = Reader::Open(OpenMemoryFile(file.Reseal().bytes(), "memory")).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << size;
    EXPECT_NE(status.message().find("F-081"), std::string::npos) << size << status.ToString();
  }
}

}  // namespace
}  // namespace dsi::test
