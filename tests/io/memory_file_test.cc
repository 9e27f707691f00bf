#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"

namespace dsi {
namespace {

using test::Bytes;

TEST(MemoryFileTest, ReadsAnyRangeAndNeverWraps) {
  const auto file = OpenMemoryFile(Bytes("0123456789"), "m");
  EXPECT_EQ(file->size(), 10u);
  EXPECT_EQ(file->name(), "m");
  std::vector<std::byte> got(4);
  ASSERT_TRUE(file->ReadAt(6, got).ok());
  EXPECT_EQ(got, Bytes("6789"));
  EXPECT_TRUE(file->ReadAt(10, {}).ok());
  for (const uint64_t offset :
       {uint64_t{7}, uint64_t{11}, std::numeric_limits<uint64_t>::max() - 3}) {
    const Status status = file->ReadAt(offset, got);
    EXPECT_EQ(status.code(), StatusCode::kTruncated);
    EXPECT_EQ(status.message().substr(0, 3), "m: ");
  }
  EXPECT_TRUE(OpenMemoryFile({}, "empty")->ReadAt(0, {}).ok());
}

TEST(MemoryFileTest, ReadsManyInAnyOrderOrFails) {
  const auto file = OpenMemoryFile(Bytes("0123456789"), "m");
  std::vector<std::byte> a(3), b(4), c(2);
  std::vector<ReadRequest> requests = {{7, a}, {0, b}, {3, c}, {10, {}}};
  ASSERT_TRUE(file->ReadMany(requests).ok());
  EXPECT_EQ(a, Bytes("789"));
  EXPECT_EQ(b, Bytes("0123"));
  EXPECT_EQ(c, Bytes("34"));
  EXPECT_TRUE(file->ReadMany({}).ok());
  requests.push_back({9, c});
  EXPECT_EQ(file->ReadMany(requests).code(), StatusCode::kTruncated);
  EXPECT_EQ(file->costs().latency_s, kMemoryCosts.latency_s);
}

TEST(MemoryFileTest, SinkIsUntouchedBeforePublish) {
  auto sink = Bytes("old");
  {
    const auto file = CreateMemoryFile(&sink, "m");
    ASSERT_TRUE(file->Append(Bytes("abc")).ok());
    ASSERT_TRUE(file->Append({}).ok());
    ASSERT_TRUE(file->Append(Bytes("de")).ok());
    EXPECT_EQ(sink, Bytes("old"));
    ASSERT_TRUE(file->Publish().ok());
  }
  EXPECT_EQ(sink, Bytes("abcde"));
}

TEST(MemoryFileTest, DestructionWithoutPublishLeavesTheSink) {
  auto sink = Bytes("old");
  { ASSERT_TRUE(CreateMemoryFile(&sink, "m")->Append(Bytes("abc")).ok()); }
  EXPECT_EQ(sink, Bytes("old"));
}

TEST(MemoryFileTest, PublishesOnce) {
  std::vector<std::byte> sink;
  const auto file = CreateMemoryFile(&sink, "m");
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(file->Append(Bytes("x")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(file->Publish().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sink, Bytes("abc"));
}

TEST(MemoryFileTest, EmptyFile) {
  auto sink = Bytes("old");
  ASSERT_TRUE(CreateMemoryFile(&sink, "m")->Publish().ok());
  EXPECT_TRUE(sink.empty());
}

}  // namespace
}  // namespace dsi
