// Places of lists from their shape codes, by example.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {
namespace {

TEST(ShapesToStarts, ListsD010) {
  const std::vector<uint32_t> codes = {0, 1, 4, 2, 0, 11};
  std::vector<uint32_t> lengths(codes.size());
  std::vector<uint64_t> starts(codes.size());
  std::vector<uint8_t> present(codes.size());
  uint32_t greatest = 0;
  const Result<uint64_t> total =
      ShapesToStarts(codes, 14, lengths.data(), starts.data(), present.data(), &greatest);
  ASSERT_TRUE(total.ok());
  EXPECT_EQ(*total, 14U);
  EXPECT_EQ(lengths, (std::vector<uint32_t>{0, 0, 3, 1, 0, 10}));
  EXPECT_EQ(starts, (std::vector<uint64_t>{0, 0, 0, 3, 4, 4}));
  const Result<uint64_t> over =
      ShapesToStarts(codes, 13, lengths.data(), starts.data(), present.data(), &greatest);
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.status().code(), StatusCode::kCorrupt);
}

TEST(ShapesToStarts, RefusesCodesAboveTheLimitF090) {
  std::vector<uint32_t> codes(5, 1U << 31);
  std::vector<uint32_t> lengths(codes.size());
  std::vector<uint64_t> starts(codes.size());
  std::vector<uint8_t> present(codes.size());
  uint32_t greatest = 0;
  const Result<uint64_t> total =
      ShapesToStarts(codes, UINT64_MAX, lengths.data(), starts.data(), present.data(), &greatest);
  ASSERT_TRUE(total.ok());
  EXPECT_EQ(*total, 5 * ((1ULL << 31) - 1));
  codes[3] = UINT32_MAX;
  EXPECT_FALSE(
      ShapesToStarts(codes, UINT64_MAX, lengths.data(), starts.data(), present.data(), &greatest)
          .ok());
}

TEST(ShapesToStarts, ScalarsAndEmbeddingsD010) {
  const std::vector<uint8_t> codes = {1, 0, 1, 1};
  std::vector<uint32_t> lengths(codes.size());
  std::vector<uint64_t> starts(codes.size());
  uint32_t greatest = 0;
  const Result<uint64_t> total =
      ShapesToStarts(codes, 16, 100, lengths.data(), starts.data(), &greatest);
  ASSERT_TRUE(total.ok());
  EXPECT_EQ(*total, 48U);
  EXPECT_EQ(lengths, (std::vector<uint32_t>{16, 0, 16, 16}));
  EXPECT_EQ(starts, (std::vector<uint64_t>{0, 16, 16, 32}));
  const std::vector<uint8_t> bad = {1, 2};
  EXPECT_FALSE(ShapesToStarts(bad, 1, 100, lengths.data(), starts.data(), &greatest).ok());
  EXPECT_FALSE(
      ShapesToStarts(codes, UINT32_MAX, 100, lengths.data(), starts.data(), &greatest).ok());
}

}  // namespace
}  // namespace dsi::internal
