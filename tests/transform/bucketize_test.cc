// bucketize against published vectors and a count of borders per value.
#include <algorithm>
#include <cmath>

#include "dsi/tests/transform/chains.h"

namespace dsi {
namespace {

using namespace test;

TransformStep Bucketize(std::vector<double> borders, BorderSide side) {
  return {.op = TransformOp::kBucketize, .borders = std::move(borders), .side = side};
}

// T-023 in its own words: borders below the value (left) or not above it (right); a value equal to
// a border that stands twice is above the first and not above the second.
template <typename T, typename Border>
int32_t Bucket(const std::vector<double>& borders, BorderSide side, T value) {
  int32_t bucket = 0;
  for (size_t i = 0; i < borders.size(); ++i) {
    const auto border = static_cast<Border>(borders[i]);
    const bool first = i + 1 < borders.size() && static_cast<Border>(borders[i + 1]) == border;
    const bool second = i > 0 && static_cast<Border>(borders[i - 1]) == border;
    bool equal_counts = side == BorderSide::kRight;
    if (first) equal_counts = true;
    if (second) equal_counts = false;
    const auto wide = static_cast<long double>(value);
    if (wide > border || (wide == border && equal_counts)) ++bucket;
  }
  return bucket;
}

template <typename T, typename Border>
void CheckAll(const std::vector<double>& borders) {
  const std::vector<T> values = Samples<T>();
  for (const BorderSide side : {BorderSide::kLeft, BorderSide::kRight}) {
    std::vector<int32_t> expected;
    for (const T value : values) expected.push_back(Bucket<T, Border>(borders, side, value));
    OnEveryTarget([&] {
      const auto buckets = Apply<int32_t, T>({Bucketize(borders, side)}, values);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(buckets[i], expected[i]) << values[i] << " of " << borders.size();
      }
    });
  }
}

TEST(BucketizeTest, T023PublishedVectors) {
  const std::vector<int64_t> values = {1, 2, 3, 5, 8, 10, 11};
  const std::vector<float> floats(values.begin(), values.end());
  const std::vector<double> borders = {2, 5, 10};
  const std::vector<int32_t> left = {0, 0, 1, 1, 2, 2, 3};
  const std::vector<int32_t> right = {0, 1, 1, 2, 2, 3, 3};
  OnEveryTarget([&] {
    EXPECT_EQ((Apply<int32_t, int64_t>({Bucketize(borders, BorderSide::kLeft)}, values)), left);
    EXPECT_EQ((Apply<int32_t, float>({Bucketize(borders, BorderSide::kLeft)}, floats)), left);
    EXPECT_EQ((Apply<int32_t, float>({Bucketize(borders, BorderSide::kRight)}, floats)), right);
  });
}

TEST(BucketizeTest, T023BorderThatStandsTwice) {
  const std::vector<float> values = {1, 1.5F, 2, 2.5F, 3, 4};
  const std::vector<double> borders = {1, 2, 2, 3};
  EXPECT_EQ((Apply<int32_t, float>({Bucketize(borders, BorderSide::kLeft)}, values)),
            (std::vector<int32_t>{0, 1, 2, 3, 3, 4}));
  EXPECT_EQ((Apply<int32_t, float>({Bucketize(borders, BorderSide::kRight)}, values)),
            (std::vector<int32_t>{1, 1, 2, 3, 4, 4}));
}

TEST(BucketizeTest, T023CountsBorders) {
  std::mt19937_64 random(11);
  for (const size_t count : {1, 2, 7, 24, 25, 31, 32, 1000}) {
    std::vector<double> borders = {0};
    while (borders.size() < count) {
      borders.push_back(static_cast<double>(static_cast<int64_t>(random() % 100000)) / 16 - 100);
    }
    std::sort(borders.begin(), borders.end());
    // At most twice.
    for (size_t i = 2; i < borders.size(); ++i) {
      if (borders[i] <= borders[i - 1]) borders[i] = borders[i - 1] + (i % 5 == 0 ? 0 : 1);
      if (borders[i] == borders[i - 2]) borders[i] += 1;
    }
    CheckAll<float, float>(borders);
    CheckAll<double, double>(borders);
    CheckAll<int32_t, double>(borders);
    CheckAll<int64_t, double>(borders);
  }
}

TEST(BucketizeTest, T023BordersBeyondTheType) {
  CheckAll<int64_t, double>({-1e300, -0x1p63, -0x1p63, 0.5, 0x1p62, 0x1p63, 1e300});
  CheckAll<int32_t, double>({-0x1p40, 0, 0x1p40});
  CheckAll<double, double>({-1e308, -0.0, 0, 1e-320, 1.7e308});
}

}  // namespace
}  // namespace dsi
