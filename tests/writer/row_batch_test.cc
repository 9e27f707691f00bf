#include "dsi/writer/row_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace dsi {
namespace {

constexpr char kSchema[] = R"({"features": [
    {"name": "i8", "kind": "dense", "type": "int8"},
    {"name": "f64", "kind": "dense", "type": "float64"},
    {"name": "f32", "kind": "dense", "type": "float32"},
    {"name": "list", "kind": "list", "type": "int32"},
    {"name": "seq", "kind": "sequence", "columns": [{"name": "item"},
        {"name": "w", "type": "float32"}]},
    {"name": "vec", "kind": "embedding", "type": "float32", "length": 2},
    {"name": "text", "kind": "string"},
    {"name": "flag", "kind": "label", "type": "bool"},
    {"name": "u64", "kind": "list", "type": "uint64"}]})";
enum : size_t { kI8, kF64, kF32, kList, kSeq, kVec, kText, kFlag, kU64, kNumFeatures };

std::shared_ptr<const Schema> MakeSchema() {
  Result<Schema> schema = Schema::FromJson(kSchema);
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return std::make_shared<const Schema>(*std::move(schema));
}

template <typename T>
std::vector<T> Values(const RowBatch& batch, size_t feature, size_t column = 0) {
  const GrowingBytes& bytes = batch.feature(feature).values[column];
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Every row of a batch as text: what a feature holds there, or nothing.
std::vector<std::map<size_t, std::string>> Rows(const RowBatch& batch) {
  std::vector<std::map<size_t, std::string>> rows(batch.num_rows());
  for (size_t f = 0; f < batch.schema().features.size(); ++f) {
    const RowBatch::FeatureBuffer& buffer = batch.feature(f);
    const FeatureSpec& spec = batch.schema().features[f];
    EXPECT_EQ(buffer.num_present, buffer.all_present ? batch.num_rows() : buffer.rows.size());
    std::vector<size_t> at(spec.columns.size());
    for (size_t k = 0; k < buffer.num_present; ++k) {
      size_t length = spec.kind == Kind::kEmbedding ? spec.fixed_length : 1;
      if (HasLengths(spec.kind, spec.columns[0].type)) length = buffer.lengths[k];
      std::string text = std::to_string(length) + ":";
      for (size_t c = 0; c < spec.columns.size(); ++c) {
        const size_t bytes = length * static_cast<size_t>(TypeWidth(spec.columns[c].type));
        const auto* from = reinterpret_cast<const char*>(buffer.values[c].data());
        text.append(from + at[c], bytes);
        at[c] += bytes;
      }
      rows[buffer.all_present ? k : buffer.rows[k]][f] = text;
    }
    for (size_t c = 0; c < at.size(); ++c) EXPECT_EQ(at[c], buffer.values[c].size());
  }
  return rows;
}

uint64_t BytesHeld(const RowBatch& batch) {
  uint64_t bytes = 0;
  for (size_t f = 0; f < batch.schema().features.size(); ++f) {
    const RowBatch::FeatureBuffer& buffer = batch.feature(f);
    bytes += 4 * (buffer.rows.size() + buffer.lengths.size());
    for (const auto& values : buffer.values) bytes += values.size();
  }
  return bytes;
}

StatusCode CodeOf(const Status& status) { return status.code(); }

TEST(RowBatchTest, ListsRowsOnlyOfWhatIsMissingSomewhere) {
  RowBatch batch(MakeSchema());
  for (int row = 0; row < 5; ++row) {
    ASSERT_TRUE(batch.SetInt(kI8, row).ok());
    ASSERT_TRUE(row < 2 || batch.SetDouble(kF64, row + 0.5).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE(batch.feature(kI8).all_present);
  EXPECT_TRUE(batch.feature(kI8).rows.empty());
  EXPECT_EQ(batch.feature(kI8).num_present, 5U);
  EXPECT_FALSE(batch.feature(kF64).all_present);
  EXPECT_EQ(batch.feature(kF64).rows, (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(Values<int8_t>(batch, kI8), (std::vector<int8_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(batch.size_bytes(), BytesHeld(batch));
  // A feature that was there in every row so far and then is not.
  ASSERT_TRUE(batch.EndRow().ok());
  EXPECT_EQ(batch.feature(kI8).rows, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(batch.size_bytes(), BytesHeld(batch));
  batch.Clear();
  EXPECT_EQ(batch.num_rows(), 0U);
  EXPECT_EQ(batch.size_bytes(), 0U);
  EXPECT_TRUE(batch.feature(kF64).all_present);
}

TEST(RowBatchTest, ConvertsWhatFitsAndRefusesTheRest) {
  RowBatch batch(MakeSchema());
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto fits = [&](Status status) {
    const bool ok = status.ok();
    EXPECT_TRUE(ok || CodeOf(status) == StatusCode::kOutOfRange) << status.ToString();
    batch.DropRow();
    return ok;
  };
  EXPECT_TRUE(fits(batch.SetInt(kI8, -128)));
  EXPECT_FALSE(fits(batch.SetInt(kI8, 128)));
  EXPECT_FALSE(fits(batch.SetUint(kI8, 300)));
  EXPECT_TRUE(fits(batch.SetDouble(kI8, 5.0)));
  EXPECT_FALSE(fits(batch.SetDouble(kI8, 5.5)));
  EXPECT_FALSE(fits(batch.SetDouble(kI8, 128.0)));
  EXPECT_FALSE(fits(batch.SetDouble(kI8, NAN)));
  EXPECT_FALSE(fits(batch.SetDouble(kI8, kInf)));
  EXPECT_TRUE(fits(batch.SetInt(kF64, int64_t{1} << 53)));
  EXPECT_FALSE(fits(batch.SetInt(kF64, (int64_t{1} << 53) + 1)));
  EXPECT_TRUE(fits(batch.SetInt(kF64, std::numeric_limits<int64_t>::min())));
  EXPECT_FALSE(fits(batch.SetInt(kF64, std::numeric_limits<int64_t>::max())));
  EXPECT_TRUE(fits(batch.SetUint(kF64, uint64_t{1} << 63)));
  EXPECT_FALSE(fits(batch.SetUint(kF64, ~uint64_t{0})));
  EXPECT_TRUE(fits(batch.SetDouble(kF32, 0.1)));
  EXPECT_TRUE(fits(batch.SetDouble(kF32, -kInf)));
  EXPECT_FALSE(fits(batch.SetDouble(kF32, 1e300)));
  EXPECT_TRUE(fits(batch.SetInt(kFlag, 1)));
  EXPECT_FALSE(fits(batch.SetInt(kFlag, 2)));
  EXPECT_TRUE(fits(batch.SetUints(kU64, 0, std::vector<uint64_t>{~uint64_t{0}})));
  EXPECT_FALSE(fits(batch.SetInts(kU64, 0, std::vector<int64_t>{1, -1})));
  EXPECT_FALSE(fits(batch.SetDoubles(kList, 0, std::vector<double>{1, 2147483648.0})));
  EXPECT_EQ(batch.num_rows(), 0U);
  EXPECT_EQ(BytesHeld(batch), 0U);

  const Status status = batch.SetInts(kList, 0, std::vector<int64_t>{7, 1LL << 40});
  EXPECT_NE(status.message().find("\"list\": found 1099511627776"), std::string::npos)
      << status.ToString();
}

TEST(RowBatchTest, KeepsBits) {
  RowBatch batch(MakeSchema());
  const uint64_t payload = 0x7ff8000000000123;
  double nan = 0;
  std::memcpy(&nan, &payload, 8);
  for (const double value : {-0.0, nan, 5e-324, 1e308}) {
    ASSERT_TRUE(batch.SetDouble(kF64, value).ok());
    ASSERT_TRUE(batch.EndRow().ok());
  }
  const std::vector<uint64_t> bits = Values<uint64_t>(batch, kF64);
  EXPECT_EQ(bits[0], uint64_t{1} << 63);
  EXPECT_EQ(bits[1], payload);
  EXPECT_EQ(bits[2], 1U);
}

TEST(RowBatchTest, RefusesCallsThatDoNotFitTheKind) {
  RowBatch batch(MakeSchema());
  const std::vector<int64_t> one = {1};
  const auto expect_invalid = [](const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
  };
  expect_invalid(batch.SetInt(kNumFeatures, 1));
  expect_invalid(batch.SetInt(kList, 1));
  expect_invalid(batch.SetInts(kI8, 0, one));
  expect_invalid(batch.SetInt(kText, 1));
  expect_invalid(batch.SetBytes(kI8, "x"));
  expect_invalid(batch.SetInts(kSeq, 2, one));
  ASSERT_TRUE(batch.SetInt(kI8, 1).ok());
  expect_invalid(batch.SetInt(kI8, 1));
  ASSERT_TRUE(batch.SetInts(kSeq, 0, one).ok());
  expect_invalid(batch.SetInts(kSeq, 0, one));
  EXPECT_EQ(CodeOf(batch.SetInts(kVec, 0, one)), StatusCode::kBadInput);
}

// S-015. What texts become is in hashed_text_test.cc.
TEST(RowBatchTest, TextsOnlyIntoHashedColumns) {
  RowBatch batch(MakeSchema());
  const std::string_view texts[] = {"a", "b"};
  for (const size_t feature : {kList, kU64}) {
    const Status status = batch.SetTexts(feature, 0, texts);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("which is not hashed"), std::string::npos);
  }
  EXPECT_EQ(batch.SetTexts(kText, 0, texts).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.SetTexts(kVec, 0, texts).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.SetBytes(kI8, "a").code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(batch.SetInt(kI8, 1).ok());
  ASSERT_TRUE(batch.EndRow().ok());
  EXPECT_EQ(Rows(batch)[0].size(), 1U);  // Nothing else was left behind.
}

TEST(RowBatchTest, DropsRowsThatAreNotWhole) {
  RowBatch batch(MakeSchema());
  const std::vector<int64_t> two = {1, 2};
  const std::vector<double> one = {0.5};
  const std::vector<double> weights = {0.5, 1};
  ASSERT_TRUE(batch.SetInts(kSeq, 0, two).ok());
  ASSERT_TRUE(batch.SetDoubles(kSeq, 1, weights).ok());
  ASSERT_TRUE(batch.SetBytes(kText, "").ok());
  ASSERT_TRUE(batch.EndRow().ok());
  const auto before = Rows(batch);

  ASSERT_TRUE(batch.SetInts(kSeq, 0, two).ok());
  ASSERT_TRUE(batch.SetBytes(kText, "lost").ok());
  Status status = batch.EndRow();
  EXPECT_EQ(status.code(), StatusCode::kBadInput);
  EXPECT_NE(status.message().find("column \"w\" is missing"), std::string::npos);
  ASSERT_TRUE(batch.SetInts(kSeq, 0, two).ok());
  ASSERT_TRUE(batch.SetDoubles(kSeq, 1, one).ok());
  status = batch.EndRow();
  EXPECT_NE(status.message().find("unequal"), std::string::npos);
  ASSERT_TRUE(batch.SetInt(kI8, 3).ok());
  batch.DropRow();

  EXPECT_EQ(Rows(batch), before);
  EXPECT_EQ(batch.size_bytes(), BytesHeld(batch));
  ASSERT_TRUE(batch.SetInts(kSeq, 0, std::span<const int64_t>()).ok());
  ASSERT_TRUE(batch.SetDoubles(kSeq, 1, {}).ok());
  ASSERT_TRUE(batch.EndRow().ok());
  EXPECT_EQ(batch.feature(kSeq).lengths, (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(batch.feature(kText).rows, (std::vector<uint32_t>{0}));  // Missing is not empty.
}

TEST(RowBatchTest, NarrowSpansAreAsWideOnes) {
  const std::shared_ptr<const Schema> schema = MakeSchema();
  RowBatch narrow(schema);
  RowBatch wide(schema);
  const std::vector<int32_t> ints32 = {-3, 7};
  const std::vector<int64_t> ints64 = {-3, 7};
  const std::vector<float> floats = {0.25F, -1.5F};
  const std::vector<double> doubles = {0.25, -1.5};
  ASSERT_TRUE(narrow.SetInts(kSeq, 0, ints32).ok());
  ASSERT_TRUE(narrow.SetFloats(kSeq, 1, floats).ok());
  ASSERT_TRUE(narrow.EndRow().ok());
  ASSERT_TRUE(wide.SetInts(kSeq, 0, ints64).ok());
  ASSERT_TRUE(wide.SetDoubles(kSeq, 1, doubles).ok());
  ASSERT_TRUE(wide.EndRow().ok());
  EXPECT_EQ(Rows(narrow), Rows(wide));
}

TEST(RowBatchTest, MovedRowsAreNotCopied) {
  const std::shared_ptr<const Schema> schema = MakeSchema();
  RowBatch target(schema);
  RowBatch source(schema);
  const auto fill = [&](int64_t value) {
    ASSERT_TRUE(source.SetInt(kI8, value).ok());
    ASSERT_TRUE(source.EndRow().ok());
  };
  fill(1);
  ASSERT_TRUE(source.SetInt(kI8, 9).ok());  // Not ended: it is not taken.
  const std::byte* const values = source.feature(kI8).values[0].data();
  ASSERT_TRUE(target.Append(std::move(source)).ok());
  EXPECT_EQ(target.feature(kI8).values[0].data(), values);
  EXPECT_EQ(source.num_rows(), 0U);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(source.size_bytes(), 0U);
  fill(2);
  ASSERT_TRUE(target.Append(std::move(source)).ok());
  EXPECT_EQ(source.num_rows(), 0U);  // NOLINT(bugprone-use-after-move)
  fill(3);
  ASSERT_TRUE(target.Append(std::move(source)).ok());
  EXPECT_EQ(Values<int8_t>(target, kI8), (std::vector<int8_t>{1, 2, 3}));
  EXPECT_EQ(target.size_bytes(), BytesHeld(target));
  RowBatch other(MakeSchema());
  EXPECT_EQ(target.Append(std::move(other)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(target.Append(std::move(target)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(target.num_rows(), 3U);  // NOLINT(bugprone-use-after-move)
}

struct Arrow {
  std::vector<uint8_t> validity;
  size_t validity_offset = 0;
  std::vector<int32_t> offsets32;
  std::vector<int64_t> offsets64;
  std::vector<std::vector<std::byte>> values;
};

TEST(RowBatchTest, ColumnsEqualRowByRow) {
  std::mt19937_64 random(1);
  const std::shared_ptr<const Schema> schema = MakeSchema();
  for (int trial = 0; trial < 60; ++trial) {
    RowBatch by_row(schema);
    RowBatch by_column(schema);
    for (int part = 0; part < 3; ++part) {
      const size_t num_rows = random() % 300;
      const uint64_t missing_of_8 = trial % 3 == 0 ? 0 : random() % 9;
      std::vector<Arrow> arrays(kNumFeatures);
      std::vector<FeatureColumns> columns;
      std::vector<std::vector<bool>> present(kNumFeatures, std::vector<bool>(num_rows));
      for (size_t f = 0; f < kNumFeatures; ++f) {
        if (random() % 5 == 0) continue;
        const FeatureSpec& spec = schema->features[f];
        Arrow& array = arrays[f];
        array.validity_offset = random() % 70;
        array.validity.resize((array.validity_offset + num_rows + 7) / 8);
        const bool has_lengths = HasLengths(spec.kind, spec.columns[0].type);
        uint64_t entries = random() % 3;
        for (size_t row = 0; row < num_rows; ++row) {
          if (has_lengths) array.offsets32.push_back(static_cast<int32_t>(entries));
          // Arrow lets a missing row have entries; they do not count.
          if (has_lengths) entries += random() % 4;
          present[f][row] = random() % 8 >= missing_of_8;
          const size_t bit = array.validity_offset + row;
          if (present[f][row]) array.validity[bit / 8] |= static_cast<uint8_t>(1 << (bit % 8));
        }
        if (!has_lengths) entries = num_rows * (spec.kind == Kind::kEmbedding ? 2 : 1);
        array.offsets32.push_back(static_cast<int32_t>(entries));
        array.offsets64.assign(array.offsets32.begin(), array.offsets32.end());
        FeatureColumns from;
        from.feature = f;
        if (missing_of_8 > 0) from.validity = array.validity.data();
        from.validity_offset = array.validity_offset;
        if (has_lengths && f % 2 == 0) from.offsets32 = array.offsets32.data();
        if (has_lengths && f % 2 == 1) from.offsets64 = array.offsets64.data();
        for (const ColumnSpec& column : spec.columns) {
          std::vector<std::byte>& bytes =
              array.values.emplace_back(entries * static_cast<size_t>(TypeWidth(column.type)) + 1);
          for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 2);
          from.values.push_back(bytes.data());
        }
        columns.push_back(std::move(from));
      }
      ASSERT_TRUE(by_column.AppendColumns(num_rows, columns).ok());
      for (size_t row = 0; row < num_rows; ++row) {
        for (const FeatureColumns& from : columns) {
          if (!present[from.feature][row]) continue;
          const FeatureSpec& spec = schema->features[from.feature];
          const Arrow& array = arrays[from.feature];
          size_t begin = row * (spec.kind == Kind::kEmbedding ? 2 : 1);
          size_t end = begin + (spec.kind == Kind::kEmbedding ? 2 : 1);
          if (!array.offsets32.empty() && array.offsets32.size() > 1) {
            begin = static_cast<size_t>(array.offsets32[row]);
            end = static_cast<size_t>(array.offsets32[row + 1]);
          }
          for (size_t c = 0; c < spec.columns.size(); ++c) {
            std::vector<int64_t> ints;
            std::vector<double> doubles;
            for (size_t i = begin; i < end; ++i) {
              const std::byte* at =
                  array.values[c].data() + i * static_cast<size_t>(TypeWidth(spec.columns[c].type));
              switch (spec.columns[c].type) {
                case Type::kFloat32: {
                  float value = 0;
                  std::memcpy(&value, at, 4);
                  doubles.push_back(value);
                  break;
                }
                case Type::kFloat64: {
                  double value = 0;
                  std::memcpy(&value, at, 8);
                  doubles.push_back(value);
                  break;
                }
                default: {
                  int64_t value = 0;
                  std::memcpy(&value, at, static_cast<size_t>(TypeWidth(spec.columns[c].type)));
                  ints.push_back(value);
                }
              }
            }
            const bool many = IsListKind(spec.kind) || spec.kind == Kind::kEmbedding;
            Status status;
            if (spec.columns[c].type == Type::kBytes) {
              status = by_row.SetBytes(
                  from.feature,
                  {reinterpret_cast<const char*>(array.values[c].data()) + begin, end - begin});
            } else if (many) {
              status = ints.empty() && !doubles.empty()
                           ? by_row.SetDoubles(from.feature, c, doubles)
                           : by_row.SetInts(from.feature, c, ints);
            } else {
              status = ints.empty() ? by_row.SetDouble(from.feature, doubles[0])
                                    : by_row.SetInt(from.feature, ints[0]);
            }
            ASSERT_TRUE(status.ok()) << status.ToString();
          }
        }
        ASSERT_TRUE(by_row.EndRow().ok());
      }
      ASSERT_EQ(Rows(by_column), Rows(by_row));
      for (size_t f = 0; f < kNumFeatures; ++f) {
        EXPECT_EQ(by_column.feature(f).all_present, by_row.feature(f).all_present);
        EXPECT_EQ(by_column.feature(f).rows, by_row.feature(f).rows);
      }
      EXPECT_EQ(by_column.size_bytes(), BytesHeld(by_column));
      EXPECT_EQ(by_row.size_bytes(), by_column.size_bytes());
    }
    RowBatch joined(schema);
    ASSERT_TRUE(joined.Append(by_row).ok());
    ASSERT_TRUE(joined.Append(by_column).ok());
    ASSERT_TRUE(joined.Append(joined).ok());
    auto expected = Rows(by_row);
    for (int twice = 0; twice < 2; ++twice) {
      const auto copy = expected;
      expected.insert(expected.end(), copy.begin(), copy.end());
    }
    EXPECT_EQ(Rows(joined), expected);
    EXPECT_EQ(joined.size_bytes(), BytesHeld(joined));
  }
}

TEST(RowBatchTest, ColumnsAreAllOrNothing) {
  const std::shared_ptr<const Schema> schema = MakeSchema();
  RowBatch batch(schema);
  const std::vector<int8_t> bytes = {1, 2};
  const std::vector<int32_t> offsets = {0, 1, 2};
  const std::vector<int32_t> descending = {0, 2, 1};
  const std::vector<int32_t> negative = {-1, 0, 1};
  const std::vector<int32_t> entries = {7, 8};
  FeatureColumns sound;
  sound.feature = kI8;
  sound.values = {bytes.data()};
  FeatureColumns list;
  list.feature = kList;
  list.offsets32 = offsets.data();
  list.values = {entries.data()};
  const auto expect_refused = [&](const FeatureColumns& bad) {
    const Status status = batch.AppendColumns(2, std::vector<FeatureColumns>{sound, bad});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
    EXPECT_EQ(batch.num_rows(), 0U);
    EXPECT_EQ(BytesHeld(batch), 0U);
  };
  expect_refused(sound);  // Named twice.
  FeatureColumns bad = list;
  bad.feature = kNumFeatures;
  expect_refused(bad);
  bad = list;
  bad.offsets32 = descending.data();
  expect_refused(bad);
  bad.offsets32 = negative.data();
  expect_refused(bad);
  bad.offsets32 = nullptr;
  expect_refused(bad);
  bad = list;
  bad.values = {nullptr};
  expect_refused(bad);
  bad.values = {};
  expect_refused(bad);
  bad = sound;
  bad.feature = kFlag;  // S-011: 2 is no bool.
  expect_refused(bad);
  bad = sound;
  bad.feature = kF32;
  bad.offsets32 = offsets.data();
  expect_refused(bad);

  ASSERT_TRUE(batch.SetInt(kI8, 1).ok());
  EXPECT_EQ(batch.AppendColumns(2, std::vector<FeatureColumns>{list}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Append(batch).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(batch.EndRow().ok());
  ASSERT_TRUE(batch.AppendColumns(2, std::vector<FeatureColumns>{sound, list}).ok());
  ASSERT_TRUE(batch.AppendColumns(0, std::vector<FeatureColumns>{sound}).ok());
  EXPECT_EQ(batch.num_rows(), 3U);
  EXPECT_TRUE(batch.feature(kI8).all_present);
  EXPECT_EQ(Values<int32_t>(batch, kList), entries);
  EXPECT_EQ(batch.feature(kList).rows, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(batch.Append(RowBatch(MakeSchema())).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dsi
