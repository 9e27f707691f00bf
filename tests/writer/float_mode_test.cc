// The bytes of a file do not depend on what a thread makes of subnormal numbers (S-014, F-001).
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "dsi/tests/support/flush_floats.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr size_t kRows = 3'000;

struct TinyColumns {
  std::vector<float> singles;
  std::vector<double> doubles;

  // Subnormal numbers of every size, and some that are none.
  TinyColumns() {
    for (uint32_t i = 0; i < kRows; ++i) {
      singles.push_back(std::bit_cast<float>((i * 2'654'435'761U) >> (9 + i % 12)));
      doubles.push_back(std::bit_cast<double>((i * 0x9E3779B97F4A7C15U) >> (12 + i % 30)));
      if (i % 7 == 0) singles.back() = static_cast<float>(i) / 8;
    }
  }
};

Result<std::vector<std::byte>> Write(const TinyColumns& columns, bool by_columns, int threads) {
  const auto schema = Schema::FromJson(R"({"features": [
    {"name": "rounded", "kind": "dense", "type": "float32", "precision": "bf16"},
    {"name": "exact", "kind": "dense", "type": "float32"},
    {"name": "wide", "kind": "dense", "type": "float64"},
    {"name": "stepped", "kind": "dense", "type": "float64", "precision": "int8"},
    {"name": "half", "kind": "dense", "type": "float64", "precision": "fp16"}]})");
  std::vector<std::byte> bytes;
  DSI_ASSIGN_OR_RETURN(auto writer, Writer::Create(CreateMemoryFile(&bytes, "memory"), *schema,
                                                   {.threads = threads}));
  std::vector<FeatureColumns> given(5);
  for (size_t f = 0; f < given.size(); ++f) {
    given[f].feature = f;
    given[f].values = {f < 2 ? static_cast<const void*>(columns.singles.data())
                             : static_cast<const void*>(columns.doubles.data())};
  }
  if (by_columns) {
    DSI_RETURN_IF_ERROR(writer->AppendColumns(kRows, given));
  } else {
    RowBatch batch(writer->schema());
    DSI_RETURN_IF_ERROR(batch.AppendColumns(kRows, given));
    DSI_RETURN_IF_ERROR(writer->Append(std::move(batch)));
  }
  DSI_RETURN_IF_ERROR(writer->Finish().status());
  return bytes;
}

TEST(WriterFloatModeTest, S014BytesAreTheSame) {
  if (!test::kCanFlushFloats) GTEST_SKIP() << "no such mode on this machine";
  const TinyColumns columns;
  const auto expected = Write(columns, true, 1);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  for (const bool by_columns : {true, false}) {
    for (const int threads : {1, 3}) {
      const test::FlushedFloats flushed;
      const auto found = Write(columns, by_columns, threads);
      EXPECT_TRUE(test::FlushedFloats::AreOn());
      ASSERT_TRUE(found.ok()) << found.status().ToString();
      EXPECT_TRUE(*found == *expected) << by_columns << threads;
    }
  }
}

}  // namespace
}  // namespace dsi
