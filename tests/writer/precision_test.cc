// Declared rounding (S-014, F-081): what becomes of each value, what is refused, and that a file
// says so and can be written again unchanged.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/writer/rows/round_floats_internal.h"
#include "dsi/writer/writer.h"

namespace dsi {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename Float>
struct Rounded {
  Status status;
  double max_error = 0;
  std::vector<Float> values;
};

template <typename Float>
Rounded<Float> Round(Precision precision, const std::vector<Float>& values) {
  FeatureSpec feature;
  feature.name = "x";
  feature.columns = {{}};
  feature.columns[0].type = sizeof(Float) == 4 ? Type::kFloat32 : Type::kFloat64;
  feature.columns[0].precision = precision;
  RowBatch::FeatureBuffer rows;
  const auto bytes = std::as_bytes(std::span(values));
  rows.values.emplace_back(bytes);
  const Result<double> max_error =
      internal::RoundColumn(feature, 0, internal::LargestOf(feature, 0, rows), &rows);
  Rounded<Float> rounded;
  rounded.status = max_error.status();
  if (!max_error.ok()) return rounded;
  rounded.max_error = *max_error;
  rounded.values.resize(values.size());
  if (!values.empty())
    std::memcpy(rounded.values.data(), rows.values[0].data(), rows.values[0].size());
  return rounded;
}

template <typename Float>
void ExpectEach(Precision precision, const std::vector<std::pair<double, double>>& cases) {
  for (const auto& [value, expected] : cases) {
    const auto rounded = Round<Float>(precision, {static_cast<Float>(value)});
    ASSERT_TRUE(rounded.status.ok()) << value << rounded.status.ToString();
    EXPECT_EQ(rounded.values[0], static_cast<Float>(expected)) << value;
    EXPECT_EQ(std::signbit(rounded.values[0]), std::signbit(value)) << value;
    EXPECT_EQ(rounded.max_error,
              std::abs(static_cast<double>(static_cast<Float>(value)) - expected))
        << value;
  }
}

// Ties go to the even neighbour, the last normal and subnormal numbers are kept, what is less than
// half of the smallest is zero.
TEST(Precision, S014Fp16) {
  const std::vector<std::pair<double, double>> cases = {
      {0.0, 0.0},
      {-0.0, -0.0},
      {1.0, 1.0},
      {-2.5, -2.5},
      {1 + 0x1p-10, 1 + 0x1p-10},
      {1 + 0x1p-11, 1.0},                    // A tie, down to even.
      {1 + 0x3p-11, 1 + 0x1p-9},             // A tie, up to even.
      {1 + 0x1p-11 + 0x1p-20, 1 + 0x1p-10},  // More than half.
      {65504, 65504},
      {-65504, -65504},
      {65519, 65504},
      {0x1p-14, 0x1p-14},                      // The smallest normal number.
      {0x1p-14 - 0x1p-24, 0x1p-14 - 0x1p-24},  // The largest subnormal one.
      {0x1p-24, 0x1p-24},                      // The smallest.
      {0x1.8p-24, 0x1p-23},                    // A tie, up to even.
      {0x1p-25, 0.0},                          // A tie, down to zero.
      {-0x1p-25, -0.0},
      {0x1.1p-25, 0x1p-24},
      {1e-30, 0.0}};
  ExpectEach<float>(Precision::kFp16, cases);
  ExpectEach<double>(Precision::kFp16, cases);
}

TEST(Precision, S014Bf16) {
  const std::vector<std::pair<double, double>> cases = {
      {1 + 0x1p-7, 1 + 0x1p-7},   {1 + 0x1p-8, 1.0},
      {1 + 0x3p-8, 1 + 0x1p-6},   {0x1.FEp127, 0x1.FEp127},
      {-0x1.FEp127, -0x1.FEp127}, {0x1p-126, 0x1p-126},
      {0x1p-133, 0x1p-133},       {0x1p-134, 0.0},
      {0x1.8p-133, 0x1p-132},     {65520, 65536},
      {0x1.FE8p127, 0x1.FEp127}};
  ExpectEach<float>(Precision::kBf16, cases);
  ExpectEach<double>(Precision::kBf16, cases);
}

// Every upper half of a float32 is a bf16 number and stays, payloads of NaN included.
TEST(Precision, S014EveryBf16NumberStays) {
  std::vector<float> values(1 << 16);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<float>(i << 16 | (i & 1));
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) values[i] = std::bit_cast<float>(i << 16);
  }
  const auto rounded = Round(Precision::kBf16, values);
  ASSERT_TRUE(rounded.status.ok());
  EXPECT_EQ(std::memcmp(rounded.values.data(), values.data(), values.size() * 4), 0);
  EXPECT_EQ(rounded.max_error, 0);
}

TEST(Precision, S014Int8) {
  // The step is 1.
  const auto rounded =
      Round<double>(Precision::kInt8, {127, -127, 0.5, 0.51, 1.5, -0.4, -0.0, 126.5, kNan, kInf});
  ASSERT_TRUE(rounded.status.ok());
  const std::vector<double> expected = {127, -127, 0, 1, 2, 0, -0.0, 126};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(rounded.values[i], expected[i]) << i;
  EXPECT_FALSE(std::signbit(rounded.values[5]));
  EXPECT_TRUE(std::signbit(rounded.values[6]));
  EXPECT_TRUE(std::isnan(rounded.values[8]));
  EXPECT_EQ(rounded.values[9], kInf);
  EXPECT_EQ(rounded.max_error, 0.5);
  // Columns without any number, of zeros, and of numbers too small to divide.
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{}, {kNan, -kInf}, {0.0, -0.0}, {5e-324, -1e-322}}) {
    const auto kept = Round(Precision::kInt8, values);
    ASSERT_TRUE(kept.status.ok());
    EXPECT_EQ(kept.max_error, 0);
    ASSERT_EQ(kept.values.size(), values.size());
    if (values.empty()) continue;
    EXPECT_EQ(std::memcmp(kept.values.data(), values.data(), values.size() * 8), 0);
  }
}

template <typename Float>
void ExpectRoundingTwiceChangesNothing() {
  std::vector<Float> values;
  uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    values.push_back(static_cast<Float>(
        std::ldexp(static_cast<double>(static_cast<int64_t>(state)), -60 - i % 40)));
  }
  for (const Precision precision : {Precision::kFp16, Precision::kBf16, Precision::kInt8}) {
    const auto once = Round(precision, values);
    ASSERT_TRUE(once.status.ok());
    EXPECT_GT(once.max_error, 0);
    const auto twice = Round(precision, once.values);
    ASSERT_TRUE(twice.status.ok());
    EXPECT_EQ(twice.max_error, 0);
    EXPECT_EQ(twice.values, once.values);
    double greatest = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      greatest = std::max(
          greatest, std::abs(static_cast<double>(values[i]) - static_cast<double>(once.values[i])));
    }
    EXPECT_EQ(once.max_error, greatest);
  }
}

TEST(Precision, S014RoundingTwiceChangesNothing) {
  ExpectRoundingTwiceChangesNothing<float>();
  ExpectRoundingTwiceChangesNothing<double>();
}

// Whatever the greatest value: it is found again, although 127 times its 127th part may differ.
TEST(Precision, S014Int8FindsTheSameStepAgain) {
  for (int i = 1; i <= 2'000; ++i) {
    const double largest = std::sqrt(i) / 3;
    const auto once =
        Round<double>(Precision::kInt8, {largest, largest / 7, -largest, largest / 9});
    const auto twice = Round(Precision::kInt8, once.values);
    ASSERT_EQ(once.values[0], largest);
    ASSERT_EQ(twice.values, once.values) << largest;
  }
}

TEST(Precision, S014BeyondTheRangeIsRefused) {
  EXPECT_EQ(Round<float>(Precision::kFp16, {65520}).status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Round<double>(Precision::kFp16, {-65520}).status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Round<float>(Precision::kBf16, {0x1.FFp127F}).status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Round<double>(Precision::kBf16, {1e300}).status.code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(Round<double>(Precision::kFp16, {kInf, -kInf}).status.ok());
}

Schema RoundedSchema() {
  auto schema = Schema::FromJson(R"({"features": [
    {"name": "id", "kind": "key"},
    {"name": "price", "kind": "dense", "precision": "fp16"},
    {"name": "scores", "kind": "list", "type": "float64", "precision": "int8"},
    {"name": "tags", "kind": "weighted", "precision": "bf16"},
    {"name": "exact", "kind": "dense"}]})");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return *schema;
}

Status FillRows(RowBatch* batch) {
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> scores(static_cast<size_t>(i % 4), i * 0.37);
    const std::vector<int64_t> ids(static_cast<size_t>(i % 3), i);
    const std::vector<double> weights(ids.size(), 1.0 / (i + 1));
    DSI_RETURN_IF_ERROR(batch->SetInt(0, i));
    if (i % 5 != 0) DSI_RETURN_IF_ERROR(batch->SetDouble(1, i / 7.0));
    DSI_RETURN_IF_ERROR(batch->SetDoubles(2, 0, scores));
    DSI_RETURN_IF_ERROR(batch->SetInts(3, 0, ids));
    DSI_RETURN_IF_ERROR(batch->SetDoubles(3, 1, weights));
    DSI_RETURN_IF_ERROR(batch->SetDouble(4, i / 7.0));
    DSI_RETURN_IF_ERROR(batch->EndRow());
  }
  return Status::Ok();
}

Result<std::vector<std::byte>> WriteFile(const Schema& schema, int threads) {
  std::vector<std::byte> bytes;
  DSI_ASSIGN_OR_RETURN(auto writer, Writer::Create(CreateMemoryFile(&bytes, "memory"), schema,
                                                   {.threads = threads}));
  RowBatch batch(writer->schema());
  DSI_RETURN_IF_ERROR(FillRows(&batch));
  DSI_RETURN_IF_ERROR(writer->Append(batch));
  DSI_RETURN_IF_ERROR(writer->Finish().status());
  return bytes;
}

// F-081: which columns were rounded and how far off they are, in the schema and by column.
TEST(Precision, F081TheFileSaysSo) {
  const auto bytes = WriteFile(RoundedSchema(), 1);
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_EQ(*bytes, *WriteFile(RoundedSchema(), 3));
  const auto reader = Reader::Open(OpenMemoryFile(*bytes, "memory"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_TRUE((*reader)->Verify()->empty());
  const auto schema = (*reader)->schema();
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_EQ(schema->features[1].columns[0].precision, Precision::kFp16);
  EXPECT_EQ(schema->features[2].columns[0].precision, Precision::kInt8);
  EXPECT_EQ(schema->features[3].columns[0].precision, Precision::kExact);
  EXPECT_EQ(schema->features[3].columns[1].precision, Precision::kBf16);
  EXPECT_EQ(schema->features[4].columns[0].precision, Precision::kExact);
  const auto columns = (*reader)->Columns();
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ((*columns)[1].precision, Precision::kFp16);
  // Values up to 14.2 lie at most 2^-8 from an fp16 number.
  EXPECT_GT((*columns)[1].max_error, 0x1p-9);
  EXPECT_LE((*columns)[1].max_error, 0x1p-8);
  EXPECT_EQ((*columns)[5].max_error, 0);
  EXPECT_EQ((*reader)->FindColumn("tags.weights")->precision, Precision::kBf16);
  EXPECT_EQ(schema->features[1].columns[0].max_error, (*columns)[1].max_error);
  // The schema as text keeps the bound to the last bit.
  const auto again = Schema::FromJson(*schema->ToJson());
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again->ToJson(), *schema->ToJson());
  EXPECT_EQ(again->features[3].columns[1].max_error, schema->features[3].columns[1].max_error);
  // A writer adds to what the schema says has been lost before.
  const auto more = Reader::Open(OpenMemoryFile(*WriteFile(*schema, 1), "memory"));
  ASSERT_TRUE(more.ok());
  EXPECT_EQ((*more)->FindColumn("price")->max_error, 2 * (*columns)[1].max_error);
}

TEST(Precision, S014ErrorNamesFeatureRowAndValue) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), RoundedSchema(), {});
  ASSERT_TRUE(writer.ok());
  RowBatch batch((*writer)->schema());
  ASSERT_TRUE(FillRows(&batch).ok());
  ASSERT_TRUE(batch.SetDouble(1, 70000).ok());
  ASSERT_TRUE(batch.EndRow().ok());
  ASSERT_TRUE((*writer)->Append(batch).ok());
  const Status status = (*writer)->Finish().status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  for (const char* word : {"price", "row 100", "70000", "fp16", "65504"})
    EXPECT_NE(status.message().find(word), std::string::npos) << word << status.ToString();
  EXPECT_TRUE(bytes.empty());
}

TEST(Precision, S014WhereItMayBeDeclared) {
  const auto error = [](const std::string& members) {
    return Schema::FromJson(R"({"features": [{"name": "x", )" + members + "}]}").status().message();
  };
  EXPECT_EQ(error(R"("kind": "embedding", "length": 2, "precision": "int8")"), "");
  EXPECT_EQ(error(R"("kind": "dense", "precision": "exact")"), "");
  EXPECT_EQ(
      error(
          R"("kind": "sequence", "columns": [{"name": "a", "type": "float32", "precision": "bf16"}])"),
      "");
  EXPECT_NE(error(R"("kind": "label", "precision": "fp16")").find("kind label"), std::string::npos);
  EXPECT_NE(error(R"("kind": "key", "type": "float64", "precision": "fp16")").find("kind key"),
            std::string::npos);
  EXPECT_NE(error(R"("kind": "list", "precision": "fp16")").find("type int64"), std::string::npos);
  EXPECT_NE(error(R"("kind": "dense", "precision": "fp8")").find("expected one of"),
            std::string::npos);
  EXPECT_NE(error(R"("kind": "dense", "max_error": 1)").find("without a precision"),
            std::string::npos);
  EXPECT_NE(error(R"("kind": "dense", "precision": "fp16", "max_error": -1)").find("max_error"),
            std::string::npos);
  EXPECT_NE(error(R"("kind": "sequence", "precision": "fp16", "columns": [{"name": "a"}])")
                .find("stand in its columns"),
            std::string::npos);
}

}  // namespace
}  // namespace dsi
