// Stripes that the least and the greatest string rule out (F-083): never one with a row that
// matches, and every other one as far as 24 bytes tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/filter/predicate_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/filter_model.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

// Strings that begin alike, some with bytes behind the 24 that count.
std::string SomeText(std::mt19937_64* random, size_t shared) {
  std::string text(shared, 'x');
  for (uint64_t n = (*random)() % 3; n > 0; --n)
    text += static_cast<char>("ab\xFF"[(*random)() % 3]);
  return text;
}

TEST(TextStatistics, F083RuleOutWhatCannotMatch) {
  std::mt19937_64 random(1);
  uint64_t ruled_out = 0;
  for (int i = 0; i < 20'000; ++i) {
    const size_t shared = std::vector<size_t>{0, 1, 22, 23, 24}[random() % 5];
    ModelTable table;
    ModelColumn& column = table.columns.emplace_back();
    column.name = "s";
    column.kind = Kind::kString;
    column.type = Type::kBytes;
    std::vector<std::optional<std::vector<uint64_t>>>& rows = column.rows;
    internal::ColumnStatistics statistics;
    bool all_short = true;
    for (uint64_t n = 1 + random() % 3; n > 0; --n) {
      if (random() % 6 == 0) {
        rows.emplace_back();
        ++statistics.num_missing;
        continue;
      }
      const std::string text = SomeText(&random, shared);
      rows.emplace_back(std::vector<uint64_t>(text.size()));
      std::transform(text.begin(), text.end(), rows.back()->begin(),
                     [](char c) { return static_cast<uint8_t>(c); });
      internal::WidenBounds(text, &statistics);
      all_short &= text.size() < 24;
    }
    table.num_rows = rows.size();
    Predicate predicate{.column = "s", .compare = static_cast<Compare>(random() % 10)};
    predicate.value = SomeText(&random, shared);
    for (uint64_t n = random() % 3; n > 0; --n)
      predicate.values.push_back(SomeText(&random, shared));
    size_t matches = 0;
    for (size_t row = 0; row < rows.size(); ++row) matches += Passes(table, predicate, row) ? 1 : 0;
    const bool may = internal::ReadyPredicate(predicate, Type::kBytes, TimeUnit::kNone)
                         .MayMatch(statistics, table.num_rows);
    ASSERT_TRUE(may || matches == 0) << i;
    ruled_out += may ? 0 : 1;
    // Bounds tell all of these.
    const bool is_order =
        predicate.compare >= Compare::kLess && predicate.compare <= Compare::kGreaterEqual;
    if (all_short && is_order) {
      ASSERT_EQ(may, matches != 0) << i;
    }
  }
  EXPECT_GT(ruled_out, 5000U);
}

// Ten stripes of ten days each: "2026-01-01" … "2026-01-10", then "2026-02-01" …, as keys.
std::vector<std::byte> DaysFile() {
  Schema schema;
  schema.features.push_back({.name = "day", .kind = Kind::kKey});
  schema.features.back().columns.emplace_back().type = Type::kBytes;
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "days"), schema,
                               {.keep_order = true, .stripe_rows = 10, .threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (int row = 0; row < 100; ++row) {
    const std::string month = std::to_string(101 + row / 10).substr(1);
    const std::string day = std::to_string(101 + row % 10).substr(1);
    EXPECT_TRUE(rows.SetBytes(0, "2026-" + month + "-" + day).ok());
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

std::unique_ptr<Reader> Open(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "days"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

TEST(TextStatistics, F082OneStripeIsReadOfTen) {
  const auto reader = Open(DaysFile());
  ScanOptions options;
  options.features = {{.name = "day"}};
  struct Case {
    Predicate predicate;
    uint64_t rows;
    uint64_t skipped;
  };
  const Case cases[] = {
      {{.column = "day", .compare = Compare::kEqual, .value = "2026-03-05"}, 1, 9},
      {{.column = "day", .compare = Compare::kEqual, .value = "2026-03-11"}, 0, 10},
      {{.column = "day", .compare = Compare::kGreaterEqual, .value = "2026-09-09"}, 12, 8},
      {{.column = "day", .compare = Compare::kLess, .value = "2026-02-01"}, 10, 9},
      {{.column = "day", .compare = Compare::kIn, .values = {"2026-01-01", "2026-10-10"}}, 2, 8},
      {{.column = "day", .compare = Compare::kMissing}, 0, 10},
  };
  for (const Case& one : cases) {
    options.filter.where = {one.predicate};
    EXPECT_EQ(*reader->CountRows(options), one.rows);
    EXPECT_EQ(reader->Plan(options)->stripes_skipped, one.skipped);
  }
}

TEST(TextStatistics, F083VerifyFindsEveryLie) {
  const std::vector<std::byte> bytes = DaysFile();
  ASSERT_TRUE(Open(bytes)->Verify()->empty());
  EditableFile file(bytes);
  const auto& sections = *file.core().sections();
  uint32_t section = 0;
  while (sections.Get(section)->kind() != internal::kSectionStatistics) ++section;
  const uint64_t begin = file.section(section).offset();
  for (uint64_t at = begin; at < begin + file.section(section).size(); ++at) {
    for (const int change : {1, 0x20, 0xFF}) {
      EditableFile edited(bytes);
      edited.Put<uint8_t>(at, static_cast<uint8_t>(edited.Get<uint8_t>(at) ^ change));
      const auto found = Open(edited.Reseal().bytes())->Verify();
      ASSERT_TRUE(found.ok());
      ASSERT_FALSE(found->empty()) << "byte " << at - begin;
    }
  }
}

}  // namespace
}  // namespace dsi::test
