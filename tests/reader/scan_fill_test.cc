// What stands in tensors where a row has no value, and bits handed on as another type.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "dsi/tests/support/scan_model.h"

namespace dsi::test {
namespace {

// All rows as one batch.
Result<Batch> ReadAll(const Reader& reader, std::vector<Projection> features) {
  ScanOptions options;
  options.features = std::move(features);
  options.batch_size = 1 << 14;
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  DSI_RETURN_IF_ERROR(scan->Next(&batch).status());
  return batch;
}

class ScanFillTest : public ::testing::Test {
 protected:
  ScanFillTest() : table_(RandomTable(3, 900, 9)) {
    for (FeatureSpec& feature : table_.schema.features) {
      if (feature.name == "flag") feature.default_bits = 1;
    }
    reader_ = OpenTable(table_, StripesOf(400));
  }
  ModelTable table_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(ScanFillTest, MissingNumbersAreOneRuleForDenseAndPadded) {
  const std::vector<std::string> names = {"user.age", "flag", "nothing", "item.price", "full"};
  for (const std::optional<double> fill :
       {std::optional<double>(), std::optional<double>(0), std::optional<double>(-7)}) {
    std::vector<Projection> features;
    for (const std::string& name : names) {
      for (const Layout layout : {Layout::kPadded, Layout::kDense}) {
        features.push_back(
            {.name = name, .layout = layout, .pad_value = fill, .dtype = Type::kFloat32});
      }
    }
    const auto batch = ReadAll(*reader_, features);
    ASSERT_TRUE(batch.ok()) << batch.status().ToString();
    const auto dense = batch->Dense();
    for (size_t column = 0; column < names.size(); ++column) {
      const auto padded = batch->Padded(names[column]);
      const float unfilled = names[column] == "flag" ? 1 : std::nanf("");
      const float expected = fill ? static_cast<float>(*fill) : unfilled;
      const auto& rows = table_.Column(names[column]).rows;
      for (size_t row = 0; row < rows.size(); ++row) {
        const float in_dense =
            static_cast<const float*>(dense->values)[row * names.size() + column];
        const float in_padded = static_cast<const float*>(padded->values)[row];
        ASSERT_EQ(std::bit_cast<uint32_t>(in_dense), std::bit_cast<uint32_t>(in_padded))
            << names[column] << " row " << row;
        if (rows[row].has_value()) continue;
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(in_dense) : in_dense == expected)
            << names[column] << " row " << row << ": " << in_dense;
      }
    }
  }
}

TEST_F(ScanFillTest, PlacesBesideEntriesAreZeroUnlessGiven) {
  const auto batch = ReadAll(*reader_, {{.name = "user.clicks", .width = 9, .dtype = {}},
                                        {.name = "item.vector", .dtype = {}},
                                        {.name = "small", .width = 9, .pad_value = 0, .dtype = {}},
                                        {.name = "nothing", .dtype = {}}});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  const auto clicks = batch->Padded("user.clicks");
  const auto vector = batch->Padded("item.vector");
  const auto nothing = batch->Padded("nothing");
  for (size_t row = 0; row < batch->num_rows(); ++row) {
    if (clicks->lengths[row] < 9) {
      EXPECT_EQ(static_cast<const int64_t*>(clicks->values)[row * 9 + 8], 0);
    }
    if (vector->present[row] == 0) {
      EXPECT_EQ(static_cast<const float*>(vector->values)[row * 3], 0.0F);
    }
    EXPECT_EQ(static_cast<const int32_t*>(nothing->values)[row], 0) << "no integer is NaN";
  }
}

TEST_F(ScanFillTest, BitCastKeepsTheBitsOfUnsignedIds) {
  const auto batch = ReadAll(
      *reader_,
      {{.name = "big", .dtype = Type::kInt64, .bit_cast = true},
       {.name = "big", .layout = Layout::kIkjt, .dtype = Type::kInt64, .bit_cast = true},
       {.name = "big", .layout = Layout::kDense, .dtype = Type::kInt64, .bit_cast = true},
       {.name = "unsigned", .layout = Layout::kJagged, .dtype = Type::kInt32, .bit_cast = true},
       {.name = "unsigned", .layout = Layout::kVbe, .dtype = Type::kInt64, .bit_cast = true}});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  const auto padded = batch->Padded("big");
  const auto ikjt = batch->Ikjt("big");
  const auto dense = batch->Dense();
  ASSERT_EQ(padded->dtype, Type::kInt64);
  bool any_negative = false;
  const auto& big = table_.Column("big").rows;
  for (size_t row = 0; row < big.size(); ++row) {
    if (!big[row].has_value()) continue;
    const auto expected = std::bit_cast<int64_t>(big[row]->front());
    any_negative |= expected < 0;
    EXPECT_EQ(static_cast<const int64_t*>(padded->values)[row], expected);
    EXPECT_EQ(static_cast<const int64_t*>(dense->values)[row], expected);
    const auto at = ikjt->unique.offsets[ikjt->inverse[row]];
    EXPECT_EQ(static_cast<const int64_t*>(ikjt->unique.values)[at], expected);
  }
  EXPECT_TRUE(any_negative);
  const auto jagged = batch->Jagged("unsigned");
  const auto vbe = batch->Vbe();
  size_t at = 0;
  for (const auto& row : table_.Column("unsigned").rows) {
    for (const uint64_t bits : row.value_or(std::vector<uint64_t>{})) {
      EXPECT_EQ(static_cast<const int32_t*>(jagged->values)[at], static_cast<int32_t>(bits));
      // Another width has no bits to keep: the number itself.
      EXPECT_EQ(static_cast<const int64_t*>(vbe->values)[at], static_cast<int64_t>(bits));
      ++at;
    }
  }
  EXPECT_EQ(at, jagged->num_values);
}

TEST_F(ScanFillTest, BitCastIsAskedForAndBelongsToOneOutput) {
  const auto code = [&](std::vector<Projection> features) {
    return ReadAll(*reader_, std::move(features)).status().code();
  };
  const Projection cast = {.name = "big", .dtype = Type::kInt64, .bit_cast = true};
  EXPECT_EQ(code({cast}), StatusCode::kOk);
  EXPECT_EQ(code({cast, {.name = "big", .layout = Layout::kJagged, .dtype = Type::kInt64}}),
            StatusCode::kOutOfRange);
  EXPECT_EQ(code({{.name = "big", .dtype = Type::kInt32, .bit_cast = true}}),
            StatusCode::kOutOfRange);
  EXPECT_EQ(code({{.name = "big", .dtype = {}, .bit_cast = true}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{.name = "big", .dtype = Type::kFloat32, .bit_cast = true}}),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dsi::test
