#include "dsi/io/s3_multipart_internal.h"

#include <gtest/gtest.h>

namespace dsi::internal {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(S3MultipartTest, PartsAreAsLargeAsTheirNumberAsks) {
  EXPECT_EQ(PartBytesFor(1, 32 * kMiB), 32 * kMiB);
  EXPECT_EQ(PartBytesFor(kMaxParts * 32 * kMiB, 32 * kMiB), 32 * kMiB);
  EXPECT_EQ(PartBytesFor(kMaxParts * 32 * kMiB + 1, 32 * kMiB), 33 * kMiB);
  // The largest that there may be, and one that is larger.
  EXPECT_EQ(PartBytesFor(kMaxParts * kMaxPutBytes, 32 * kMiB), kMaxPutBytes);
  EXPECT_GT(PartBytesFor(kMaxParts * kMaxPutBytes + 1, 32 * kMiB), kMaxPutBytes);
  for (uint64_t bytes : {uint64_t{1}, 999 * kMiB, uint64_t{1} << 40, uint64_t{45} << 40}) {
    const uint64_t part = PartBytesFor(bytes, 8 * kMiB);
    EXPECT_LE((bytes + part - 1) / part, kMaxParts);
  }
}

}  // namespace
}  // namespace dsi::internal
