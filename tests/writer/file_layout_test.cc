// What is fixed for the whole file: which lists get a dictionary where there are more than can be
// numbered, and that every record of a stripe is what readers will ask for.
#include "dsi/writer/layout/file_layout_internal.h"

#include <gtest/gtest.h>

#include <random>

#include "dsi/io/file.h"
#include "dsi/writer/encode/encode_stripes_internal.h"
#include "dsi/writer/publish/check_stripe_internal.h"

namespace dsi::internal {
namespace {

ColumnSpec Ids(std::string space = "") {
  return {.name = "", .type = Type::kInt64, .id_space = std::move(space)};
}

// All rows of a batch in their order, as a file's.
struct HeldTable {
  TableTotals totals;
  std::vector<FeatureSource> sources;
  std::vector<ClusteredFeature> features;
  RowSample sample;

  void Take(const Schema& schema, const RowBatch& batch) {
    totals = TableTotals::Of(batch, true);
    const auto num_rows = static_cast<uint32_t>(batch.num_rows());
    for (size_t f = 0; f < schema.features.size(); ++f)
      sources.push_back({&schema.features[f], &batch.feature(f), &totals.features[f]});
    for (const FeatureSource& source : sources) features.emplace_back(source);
    sample.ranges = {{0, num_rows}};
    for (uint32_t row = 0; row < num_rows; ++row) sample.rows_in_time.push_back(row);
  }
};

// Lists of ids, the first of a declared space and small, the others the larger the later; a string
// and a number that repeat in runs.
class FileLayoutTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kRows = 3'000;

  FileLayoutTest() {
    Schema schema;
    schema.features = {{.name = "small", .kind = Kind::kList, .columns = {Ids("item")}},
                       {.name = "a", .kind = Kind::kList, .columns = {Ids()}},
                       {.name = "b", .kind = Kind::kList, .columns = {Ids()}},
                       {.name = "c", .kind = Kind::kList, .columns = {Ids()}},
                       {.name = "text",
                        .kind = Kind::kString,
                        .columns = {{.name = "", .type = Type::kBytes, .id_space = ""}}},
                       {.name = "number", .kind = Kind::kDense, .columns = {Ids()}}};
    schema_ = std::make_shared<const Schema>(std::move(schema));
    batch_.emplace(schema_);
    std::mt19937_64 random(5);
    std::string text;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (size_t f = 0; f < 4; ++f) {
        std::vector<int64_t> ids(f);
        for (int64_t& id : ids) id = static_cast<int64_t>(random() % 50'000);
        EXPECT_TRUE(batch_->SetInts(f, 0, ids).ok());
      }
      if (row % 30 == 0) text = std::string(random() % 50, static_cast<char>('a' + random() % 26));
      EXPECT_TRUE(batch_->SetBytes(4, text).ok());
      EXPECT_TRUE(batch_->SetInt(5, row / 30 * 7919).ok());
      EXPECT_TRUE(batch_->EndRow().ok());
    }
    held_.Take(*schema_, *batch_);
  }

  FileLayout Plan(const LayoutOptions& options) {
    auto layout = PlanFileLayout(*schema_, held_.features, held_.sample, options);
    EXPECT_TRUE(layout.ok()) << layout.status().ToString();
    return *std::move(layout);
  }

  std::vector<bool> HasDictionary(uint32_t most) {
    std::vector<bool> has;
    for (const ColumnLayout& column : Plan({.most_id_spaces = most}).columns)
      has.push_back(column.id_space != kNone16);
    return has;
  }

  std::shared_ptr<const Schema> schema_;
  std::optional<RowBatch> batch_;
  HeldTable held_;
};

TEST_F(FileLayoutTest, TheLargestListsGetTheDictionariesThatCanBeNumbered) {
  using Has = std::vector<bool>;
  EXPECT_EQ(HasDictionary(kMaxIdSpaces), (Has{true, true, true, true, false, false}));
  EXPECT_EQ(HasDictionary(3), (Has{true, false, true, true, false, false}));
  EXPECT_EQ(HasDictionary(2), (Has{true, false, false, true, false, false}));
  EXPECT_EQ(HasDictionary(1), (Has{true, false, false, false, false, false}));
}

// Two lists and a key of the same hashed ids; a key and a list of others.
TEST(IdSpacesOfAFile, AreFoundAndAKeySharesThatOfLists) {
  constexpr uint32_t kRows = 3'000;
  Schema schema;
  schema.features = {{.name = "list", .kind = Kind::kList, .columns = {Ids()}},
                     {.name = "same", .kind = Kind::kList, .columns = {Ids()}},
                     {.name = "key", .kind = Kind::kKey, .columns = {Ids()}},
                     {.name = "other_key", .kind = Kind::kKey, .columns = {Ids()}},
                     {.name = "other", .kind = Kind::kList, .columns = {Ids()}}};
  const auto shared = std::make_shared<const Schema>(std::move(schema));
  RowBatch batch(shared);
  std::mt19937_64 random(5);
  const auto id = [&](uint64_t space) {
    return static_cast<int64_t>((random() % 1'000 + space) * 0x9E3779B97F4A7C15ULL >> 1);
  };
  for (uint32_t row = 0; row < kRows; ++row) {
    EXPECT_TRUE(batch.SetInts(0, 0, std::vector<int64_t>{id(0), id(0)}).ok());
    EXPECT_TRUE(batch.SetInts(1, 0, std::vector<int64_t>{id(0)}).ok());
    EXPECT_TRUE(batch.SetInt(2, id(0)).ok());
    EXPECT_TRUE(batch.SetInt(3, id(5'000)).ok());
    EXPECT_TRUE(batch.SetInts(4, 0, std::vector<int64_t>{id(9'000)}).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  HeldTable held;
  held.Take(*shared, batch);
  const auto layout = PlanFileLayout(*shared, held.features, held.sample, {});
  ASSERT_TRUE(layout.ok());
  std::vector<uint16_t> spaces;
  for (const ColumnLayout& column : layout->columns) spaces.push_back(column.id_space);
  EXPECT_EQ(spaces, (std::vector<uint16_t>{0, 0, 0, kNone16, 1}));
  EXPECT_EQ(layout->id_spaces[0].columns, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(layout->id_spaces[0].name, "");
}

class CheckStripeTest : public FileLayoutTest {
 protected:
  static constexpr uint32_t kPageValues = 1'024;

  CheckStripeTest() : layout_(Plan({})) {
    PlanMemory plans(layout_.num_slots, false);
    const StripeOptions options{.page_values = kPageValues, .plans = &plans};
    const StripeInput rows{held_.features, held_.sample.rows_in_time, {0, kRows}};
    auto encoded = EncodeStripes(layout_, {&rows, 1}, options, [] { return Status::Ok(); });
    EXPECT_TRUE(encoded.ok()) << encoded.status().ToString();
    auto file = CreateMemoryFile(&bytes_, "memory");
    FileSink sink(file.get(), 1);
    EXPECT_TRUE(sink.AppendHeader().ok());
    stripe_.num_rows = kRows;
    EXPECT_TRUE(PlaceStripe(encoded->stripes[0], layout_.storage_order, &sink, &stripe_).ok());
  }

  Status Check() { return CheckPlacedStripe(layout_, held_.features, kPageValues, stripe_); }

  // What is said of the stripe with one record changed.
  template <typename Record, typename Change>
  std::string Broken(std::vector<std::byte> PlacedStripe::*records, size_t i, Change change) {
    std::vector<std::byte>& bytes = stripe_.*records;
    const std::vector<std::byte> before = bytes;
    auto record = Record::DecodeFrom(bytes.data() + i * Record::kSize);
    EXPECT_TRUE(record.ok());
    change(&*record);
    record->EncodeTo(bytes.data() + i * Record::kSize);
    const Status status = Check();
    bytes = before;
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return status.message();
  }

  FileLayout layout_;
  std::vector<std::byte> bytes_;
  PlacedStripe stripe_;
};

TEST_F(CheckStripeTest, WhatIsWrittenIsSound) {
  ASSERT_GT(layout_.groups.size(), 1U);
  EXPECT_TRUE(Check().ok()) << Check().ToString();
}

TEST_F(CheckStripeTest, WhatBreaksARuleIsNotPublished) {
  const auto says = [](const std::string& message, const char* rule) {
    EXPECT_NE(message.find(rule), std::string::npos) << message;
  };
  const uint32_t values = layout_.columns[3].values_slot;
  says(Broken<StreamRecord>(&PlacedStripe::streams, values,
                            [](StreamRecord* r) { r->num_values = uint64_t{1} << 32; }),
       "F-090");
  says(Broken<StreamRecord>(&PlacedStripe::streams, values,
                            [](StreamRecord* r) { r->num_values += 1; }),
       "column c: values stream");
  says(Broken<StreamRecord>(&PlacedStripe::streams, values,
                            [](StreamRecord* r) { r->first_page += 1'000; }),
       "F-061");
  says(Broken<StreamRecord>(&PlacedStripe::streams, layout_.columns[3].shape_slot,
                            [](StreamRecord* r) { r->num_values -= 1; }),
       "D-010");
  says(Broken<StreamRecord>(&PlacedStripe::streams, layout_.id_spaces[0].dictionary_slot,
                            [](StreamRecord* r) { r->width = 2; }),
       "F-074");
  says(Broken<StripeGroupRecord>(&PlacedStripe::groups, 1,
                                 [](StripeGroupRecord* r) { r->num_unique = kRows + 1; }),
       "D-003");
  says(Broken<StripeGroupRecord>(&PlacedStripe::groups, 1,
                                 [](StripeGroupRecord* r) { r->num_unique -= 1; }),
       "D-001");
  says(Broken<PageRecord>(&PlacedStripe::pages, 1, [](PageRecord* r) { r->offset += 8; }), "F-062");
}

}  // namespace
}  // namespace dsi::internal
