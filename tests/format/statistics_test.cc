// An entry of the statistics section: round trip, order of floats, and what is refused. Rule F-083.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dsi/format/statistics_internal.h"

namespace dsi::internal {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int v : values) bytes.push_back(static_cast<std::byte>(v));
  return bytes;
}

template <typename T>
ColumnStatistics Of(Type type, const std::vector<T>& values, uint32_t num_missing = 0) {
  ColumnStatistics s{.num_missing = num_missing};
  WidenBounds(type, reinterpret_cast<const std::byte*>(values.data()), values.size(), &s);
  return s;
}

std::vector<std::byte> Encoded(Type type, const ColumnStatistics& s) {
  std::vector<std::byte> bytes;
  s.AppendTo(type, &bytes);
  std::span<const std::byte> left = bytes;
  const auto back = ColumnStatistics::TakeFrom(type, 1 << 24, &left);
  EXPECT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_TRUE(left.empty());
  EXPECT_TRUE(back.ok() && *back == s);
  return bytes;
}

TEST(Statistics, F083IntegersTakeFewBytes) {
  EXPECT_EQ(Encoded(Type::kInt64, Of<int64_t>(Type::kInt64, {0})), Bytes({0x00, 0}));
  EXPECT_EQ(Encoded(Type::kInt64, Of<int64_t>(Type::kInt64, {-1, 300, 7}, 200)),
            Bytes({0x21, 1, 0x2D, 0x01, 0xC8, 0x01}));
  EXPECT_EQ(Encoded(Type::kUint16, Of<uint16_t>(Type::kUint16, {9, 65535}, 1)),
            Bytes({0x21, 9, 0xF6, 0xFF, 1}));
  EXPECT_EQ(Encoded(Type::kBool, Of<uint8_t>(Type::kBool, {1, 0})), Bytes({0x10, 1, 0}));
  EXPECT_EQ(Encoded(Type::kInt64, {.num_missing = 1 << 24}), Bytes({0x0F, 0x80, 0x80, 0x80, 0x08}));
  const std::vector<int64_t> ends = {std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min()};
  const ColumnStatistics all = Of(Type::kInt64, ends);
  EXPECT_EQ(static_cast<int64_t>(all.least), ends[1]);
  EXPECT_EQ(Encoded(Type::kInt64, all).size(), 18U);
  for (const Type type : {Type::kInt8, Type::kInt16, Type::kInt32}) {
    const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - 8 * TypeWidth(type));
    Encoded(type, {0, true, static_cast<uint64_t>(-most - 1), static_cast<uint64_t>(most)});
  }
  Encoded(Type::kUint64, Of<uint64_t>(Type::kUint64, {~uint64_t{0}, 1}));
  Encoded(Type::kUint32, Of<uint32_t>(Type::kUint32, {~uint32_t{0}, 1}));
}

TEST(Statistics, F083FloatsHaveTheirOrder) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const ColumnStatistics s = Of<float>(Type::kFloat32, {kNan, 0.0F, -0.0F, -kNan});
  EXPECT_EQ(s.least, std::bit_cast<uint32_t>(-0.0F));
  EXPECT_EQ(s.greatest, 0U);
  EXPECT_EQ(Encoded(Type::kFloat32, s), Bytes({0x01, 0x80, 0}));
  // 0x3F000000 and 0x3F800000.
  EXPECT_EQ(Encoded(Type::kFloat32, Of<float>(Type::kFloat32, {1.0F, 0.5F})),
            Bytes({0x21, 0x3F, 0x3F, 0x80, 0}));
  const ColumnStatistics infinite = Of<float>(Type::kFloat32, {1, -kInf, kInf, -2});
  EXPECT_EQ(infinite.least, std::bit_cast<uint32_t>(-kInf));
  EXPECT_EQ(infinite.greatest, std::bit_cast<uint32_t>(kInf));
  EXPECT_FALSE(Of<float>(Type::kFloat32, {kNan}).has_bounds);
  const ColumnStatistics wide = Of<double>(Type::kFloat64, {-1.5, 1e300, -2.5}, 3);
  EXPECT_EQ(std::bit_cast<double>(wide.least), -2.5);
  EXPECT_EQ(std::bit_cast<double>(wide.greatest), 1e300);
  Encoded(Type::kFloat64, wide);
  Encoded(Type::kFloat64, Of<double>(Type::kFloat64, {}, 0));
}

ColumnStatistics OfTexts(const std::vector<std::string>& texts, uint32_t num_missing = 0) {
  ColumnStatistics s{.num_missing = num_missing};
  for (const std::string& text : texts) WidenBounds(text, &s);
  return s;
}

TEST(Statistics, F083StringsHaveTheirFirstBytes) {
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({"b", "ad", "abc"}, 2)),
            Bytes({3, 'a', 'b', 'c', 0, 1, 'b', 2}));
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({"ad", "abc"})), Bytes({3, 'a', 'b', 'c', 1, 1, 'd', 0}));
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({""})), Bytes({0, 0, 0, 0}));
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({"", "\xFF"})), Bytes({0, 0, 1, 0xFF, 0}));
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({}, 1 << 24)), Bytes({0xFF, 0x80, 0x80, 0x80, 0x08}));
  // Bytes are unsigned, and what stands behind 24 of them is not told apart.
  const std::string longest(24, 'x');
  const ColumnStatistics s = OfTexts({longest + "b", "\x80", longest, longest + "a"});
  EXPECT_EQ(s.least_text.view(), longest);
  EXPECT_FALSE(s.least_text.is_whole());
  EXPECT_EQ(s.greatest_text.view(), "\x80");
  EXPECT_TRUE(s.greatest_text.is_whole());
  EXPECT_EQ(Encoded(Type::kBytes, OfTexts({longest + "b", longest + "a"})).size(), 28U);
  // Those of two stripes together.
  ColumnStatistics sum = OfTexts({"m"}, 3);
  sum.Add(Type::kBytes, OfTexts({}, 4));
  sum.Add(Type::kBytes, OfTexts({longest, "z"}, 5));
  EXPECT_EQ(sum, OfTexts({"m", "z"}, 12));
}

TEST(Statistics, F083OthersAreRefused) {
  struct Case {
    Type type;
    std::vector<std::byte> bytes;
    const char* what;
  };
  const Case cases[] = {
      {Type::kInt64, Bytes({}), "nothing"},
      {Type::kInt64, Bytes({0x01, 5}), "no count"},
      {Type::kInt64, Bytes({0x02, 5, 0, 0}), "a longer number"},
      {Type::kInt64, Bytes({0x09, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}), "nine bytes"},
      {Type::kInt64, Bytes({0x90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}), "nine bytes above"},
      {Type::kInt64, Bytes({0x1F, 1, 0}), "no bounds, and how far"},
      {Type::kInt64, Bytes({0x0F, 9}), "integers without bounds"},
      {Type::kInt64, Bytes({0x01, 5, 10}), "bounds of no row"},
      {Type::kInt64, Bytes({0x01, 5, 11}), "more missing than there are"},
      {Type::kInt64, Bytes({0x01, 5, 0x80, 0}), "a longer count"},
      {Type::kInt64, Bytes({0x01, 5, 0x80, 0x80, 0x80, 0x80, 0}), "a count of too many bits"},
      {Type::kInt8, Bytes({0x12, 0xFE, 0x01, 1, 0}), "above int8"},
      {Type::kInt8, Bytes({0x02, 0x01, 0x01, 0}), "below int8"},
      {Type::kUint8, Bytes({0x11, 0xFF, 1, 0}), "above uint8"},
      {Type::kBool, Bytes({0x01, 2, 0}), "no bool"},
      {Type::kUint64, Bytes({0x18, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0}), "wraps"},
      {Type::kFloat32, Bytes({0x05, 1, 1, 1, 1, 1, 0}), "five bytes of a float"},
      {Type::kFloat32, Bytes({0x22, 0x7F, 0xC0, 0x7F, 0xC0, 0}), "NaN"},
      {Type::kFloat32, Bytes({0x12, 0x3F, 0x80, 0x3F, 0}), "1.0 to less"},
      {Type::kFloat32, Bytes({0x10, 0x80, 0}), "+0.0 to -0.0"},
      {Type::kFloat64, Bytes({0x23, 0x7F, 0xF0, 0x01, 0x7F, 0xF0, 0}), "NaN"},
      {Type::kBytes, Bytes({0xFF, 9}), "no string where some are"},
      {Type::kBytes, Bytes({1, 'a', 1, 0, 10}), "strings of no row"},
      {Type::kBytes, Bytes({1, 'a', 1, 0}), "strings without a count"},
      {Type::kBytes, Bytes({2, 'a'}), "half a string"},
      {Type::kBytes, Bytes({1, 'a', 1, 2, 'b'}), "half a string above"},
      {Type::kBytes, Bytes({1, 'a', 2, 0, 0}), "more in common than there is"},
      {Type::kBytes, Bytes({2, 'a', 'b', 0, 2, 'a', 'c', 0}), "more in common than stated"},
      {Type::kBytes, Bytes({2, 'a', 'b', 1, 0, 0}), "ab to a"},
      {Type::kBytes, Bytes({1, 'b', 0, 1, 'a', 0}), "b to a"},
  };
  for (const Case& c : cases) {
    std::span<const std::byte> left = c.bytes;
    const auto taken = ColumnStatistics::TakeFrom(c.type, 10, &left);
    ASSERT_FALSE(taken.ok()) << c.what;
    EXPECT_EQ(taken.status().code(), StatusCode::kCorrupt);
    EXPECT_NE(taken.status().message().find("F-083"), std::string::npos);
  }
}

}  // namespace
}  // namespace dsi::internal
