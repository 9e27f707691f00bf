// How streams are encoded and why, as inspect --why tells it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tools/choices/choices_internal.h"

namespace dsi::test {
namespace {

using tools::ChoiceInfo;
using tools::EncodingCost;

constexpr uint32_t kPage = 1024;

// One dense column, row by row; none: the row lacks it.
using Value = std::function<std::optional<int64_t>(size_t row)>;

struct TableOptions {
  size_t num_rows = 4 * kPage;
  uint32_t stripe_rows = 1 << 18;
  Tuning tuning = Tuning::kNvme;
};

std::vector<std::byte> Write(const std::vector<Value>& columns, const TableOptions& options) {
  Schema schema;
  for (size_t c = 0; c < columns.size(); ++c)
    schema.features.push_back(
        Feature("x" + std::to_string(c), Kind::kDense, {{"", Type::kInt64, ""}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "choices"), schema,
                               {.stripe_rows = options.stripe_rows,
                                .page_values = kPage,
                                .threads = 1,
                                .tuning = options.tuning,
                                .dedup = false});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  for (size_t row = 0; row < options.num_rows; ++row) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (const auto value = columns[c](row)) {
        EXPECT_TRUE(rows.SetInt(c, *value).ok());
      }
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

int64_t Random(size_t row) { return static_cast<int64_t>(std::mt19937_64(row)() >> 30); }

std::vector<ChoiceInfo> ChoicesOf(const std::vector<std::byte>& bytes, bool weigh) {
  const auto reader = OpenBytes(bytes);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  auto choices = tools::Choices(**reader, {.weigh = weigh});
  EXPECT_TRUE(choices.ok()) << choices.status().ToString();
  return choices.ok() ? *std::move(choices) : std::vector<ChoiceInfo>();
}

// The values of the column x<ordinal>.
ChoiceInfo ValuesOf(const std::vector<std::byte>& bytes, uint32_t ordinal = 0) {
  for (ChoiceInfo& choice : ChoicesOf(bytes, true)) {
    if (choice.column == ordinal && choice.role == "values") return std::move(choice);
  }
  ADD_FAILURE() << "no values of column " << ordinal;
  return {};
}

TEST(Choices, TellsEveryStreamOnce) {
  const auto reader = *OpenBytes(SampleFile(400, 150));
  const auto streams = *reader->Streams("");
  std::vector<std::string> expected;
  std::vector<std::string> told;
  for (const StreamInfo& stream : streams) {
    if (stream.num_values != 0) expected.push_back(stream.column + " " + stream.role);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const auto choices = *tools::Choices(*reader);
  for (const ChoiceInfo& choice : choices) {
    told.push_back(choice.owner + " " + choice.role);
    const auto same = std::find_if(streams.begin(), streams.end(), [&](const StreamInfo& stream) {
      return stream.column == choice.owner && stream.role == choice.role &&
             stream.stripe == choice.stripe;
    });
    ASSERT_NE(same, streams.end()) << told.back();
    EXPECT_EQ(choice.num_values, same->num_values) << told.back();
    EXPECT_EQ(choice.bytes, same->bytes) << told.back();
    EXPECT_TRUE(choice.chosen.encoding.empty()) << told.back();
  }
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, expected);
}

// Three of four pages are alike: they are told first, and one of them is weighed, wherever it is.
TEST(Choices, PagesThatDifferAreCounted) {
  for (const size_t odd : {size_t{0}, size_t{2}, size_t{3}}) {
    const ChoiceInfo choice =
        ValuesOf(Write({[&](size_t row) { return row / kPage == odd ? 5 : Random(row); }}, {}));
    ASSERT_EQ(choice.encodings.size(), 2U) << odd;
    EXPECT_EQ(choice.encodings[0].encoding, "packed u64");
    EXPECT_EQ(choice.encodings[0].num_pages, 3U);
    EXPECT_EQ(choice.encodings[1].encoding, "constant u64");
    EXPECT_EQ(choice.encodings[1].num_pages, 1U);
    EXPECT_EQ(choice.bytes, choice.encodings[0].bytes + choice.encodings[1].bytes);
    EXPECT_EQ(choice.chosen.encoding, "packed u64");
    EXPECT_NEAR(choice.chosen.bytes_per_value, 34 / 8.0, 0.1);
  }
}

TEST(Choices, TheLargestStripeSpeaks) {
  const TableOptions options{.num_rows = 6 * kPage, .stripe_rows = 2 * kPage};
  const auto small = [](size_t row) { return static_cast<int64_t>(row % 2); };
  const std::vector<std::byte> bytes =
      Write({[&](size_t row) { return row / kPage / 2 == 1 ? Random(row) : small(row); },
             [&](size_t row) -> std::optional<int64_t> {
               return row / kPage / 2 == 1 ? std::nullopt : std::optional(small(row));
             },
             [](size_t) { return std::nullopt; }},
            options);
  EXPECT_EQ(ValuesOf(bytes, 0).stripe, 1U);
  EXPECT_EQ(ValuesOf(bytes, 1).stripe, 0U);
  for (const ChoiceInfo& choice : ChoicesOf(bytes, false))
    EXPECT_FALSE(choice.column == 2 && choice.role == "values");
}

// Both costs are at the price of the file's own tuning, and the runner-up is another way.
TEST(Choices, CostsAreThoseOfTheTuning) {
  const auto skewed = [](size_t row) { return static_cast<int64_t>(Random(row) % 7 * 1'000'003); };
  for (const auto& [tuning, price] :
       {std::pair(Tuning::kNvme, 4.0), {Tuning::kNetwork, 12.0}, {Tuning::kArchive, 200.0}}) {
    const ChoiceInfo choice = ValuesOf(Write({skewed}, {.tuning = tuning}));
    EXPECT_NE(choice.chosen.encoding, choice.runner_up.encoding);
    EXPECT_EQ(choice.chosen.encoding, choice.encodings[0].encoding);
    for (const EncodingCost& cost : {choice.chosen, choice.runner_up}) {
      EXPECT_FALSE(cost.encoding.empty());
      EXPECT_GT(cost.ns_per_value, 0);
      EXPECT_NEAR(cost.cost, cost.bytes_per_value * price + cost.ns_per_value, 1e-9);
    }
    EXPECT_LE(choice.chosen.cost, choice.runner_up.cost) << TuningName(tuning);
  }
}

// A byte of an index is worth what it is for each feature of its group.
TEST(Choices, AnIndexCountsForEachFeature) {
  const auto reader = *OpenBytes(SampleFile());
  size_t found = 0;
  const auto choices = *tools::Choices(*reader);
  for (const ChoiceInfo& choice : choices) {
    const bool is_index = choice.role == "index" && choice.owner == "user";
    found += is_index ? 1 : 0;
    if (choice.role != "index" || is_index) {
      EXPECT_EQ(choice.ns_per_byte, is_index ? 3 * 4.0 : 4.0) << choice.owner << choice.role;
    }
  }
  EXPECT_EQ(found, 1U);
}

TEST(Choices, EqualValuesTakeNoPage) {
  const ChoiceInfo choice = ValuesOf(Write({[](size_t) { return 3; }}, {}));
  ASSERT_EQ(choice.encodings.size(), 1U);
  EXPECT_EQ(choice.encodings[0].encoding, "constant");
  EXPECT_EQ(choice.encodings[0].num_pages, 0U);
  EXPECT_TRUE(choice.chosen.encoding.empty());
}

TEST(Choices, AnAliasIsStoredOnce) {
  const std::vector<std::byte> bytes = Write({Random, Random}, {});
  EXPECT_FALSE(ValuesOf(bytes, 0).is_alias);
  const ChoiceInfo alias = ValuesOf(bytes, 1);
  EXPECT_TRUE(alias.is_alias);
  EXPECT_EQ(alias.bytes, 0U);
  EXPECT_EQ(alias.encodings[0].encoding, "packed u64");
}

TEST(Choices, MayBeCancelled) {
  const auto reader = *OpenBytes(SampleFile());
  int calls = 0;
  const auto choices =
      tools::Choices(*reader, {.weigh = true, .go_on = [&] { return ++calls < 3; }});
  EXPECT_EQ(choices.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

TEST(Choices, CallbacksThatThrow) {
  const auto reader = *OpenBytes(SampleFile());
  const auto choices = tools::Choices(*reader, {.go_on = []() -> bool { throw 5; }});
  EXPECT_EQ(choices.status().code(), StatusCode::kCancelled);
}

TEST(Choices, DamageIsReportedByStream) {
  std::vector<std::byte> bytes = Write({Random, Random}, {});
  const auto before = *tools::Choices(**OpenBytes(bytes));
  bytes[100] ^= std::byte{1};
  const auto after = *tools::Choices(**OpenBytes(bytes), {.weigh = true});
  ASSERT_EQ(after.size(), before.size());
  size_t damaged = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].owner, before[i].owner);
    EXPECT_EQ(after[i].role, before[i].role);
    if (after[i].damage.ok()) continue;
    ++damaged;
    EXPECT_EQ(after[i].damage.code(), StatusCode::kCorrupt);
    EXPECT_TRUE(after[i].encodings.empty());
  }
  EXPECT_GT(damaged, 0U);
  EXPECT_LT(damaged, after.size());
}

// E-005: what a newer writer chose does not keep from the rest.
TEST(Choices, AnUnknownEncodingIsReportedByStream) {
  EditableFile file(Write({Random, Random}, {}));
  file.Put<uint8_t>(file.Get<uint64_t>(EditableFile::Place(file.stripe(0).pages(), 0)), 99);
  const auto reader = OpenBytes(file.Reseal().bytes());
  const auto choices = tools::Choices(**reader, {.weigh = true});
  ASSERT_TRUE(choices.ok()) << choices.status().ToString();
  size_t unknown = 0;
  for (const ChoiceInfo& choice : *choices) {
    EXPECT_EQ(choice.encodings.empty(), !choice.damage.ok()) << choice.role;
    if (choice.damage.ok()) continue;
    ++unknown;
    EXPECT_EQ(choice.damage.code(), StatusCode::kUnsupported);
    EXPECT_NE(choice.damage.message().find("E-005"), std::string::npos);
  }
  EXPECT_GT(unknown, 0U);
  EXPECT_LT(unknown, choices->size());
}

}  // namespace
}  // namespace dsi::test
