// The faults themselves: a test double that does not fail proves nothing.
#include "dsi/tests/support/fault_file.h"

#include <gtest/gtest.h>

#include <memory>

#include "dsi/tests/io/file_bytes.h"

namespace dsi {
namespace {

using test::Bytes;
using test::ReadFaults;
using test::WithReadFaults;
using test::WithWriteFaults;

std::unique_ptr<RandomAccessFile> Reader(ReadFaults faults) {
  return WithReadFaults(OpenMemoryFile(Bytes("0123456789"), "m"), std::move(faults));
}

TEST(FaultFileTest, NoFaultsChangeNothing) {
  std::vector<std::byte> got(10);
  const auto file = Reader({});
  ASSERT_TRUE(file->ReadAt(0, got).ok());
  EXPECT_EQ(got, Bytes("0123456789"));
}

TEST(FaultFileTest, FailsWhereAsked) {
  const auto file = Reader({.fail_at = 5});
  std::vector<std::byte> got(3);
  EXPECT_TRUE(file->ReadAt(2, got).ok());
  EXPECT_TRUE(file->ReadAt(6, got).ok());
  for (const uint64_t offset : {3u, 4u, 5u}) {
    EXPECT_EQ(file->ReadAt(offset, got).code(), StatusCode::kIo);
  }
}

TEST(FaultFileTest, FailsOneCall) {
  const auto file = Reader({.fail_call = 1});
  std::vector<std::byte> got(1);
  EXPECT_TRUE(file->ReadAt(0, got).ok());
  EXPECT_EQ(file->ReadAt(0, got).code(), StatusCode::kIo);
  EXPECT_TRUE(file->ReadAt(0, got).ok());
}

TEST(FaultFileTest, CutsAndShortens) {
  std::vector<std::byte> got(3);
  const auto cut = Reader({.cut_at = 4});
  EXPECT_EQ(cut->size(), 4u);
  EXPECT_TRUE(cut->ReadAt(1, got).ok());
  EXPECT_EQ(cut->ReadAt(2, got).code(), StatusCode::kTruncated);
  const auto shortened = Reader({.shorten_to = 4});
  EXPECT_EQ(shortened->size(), 10u);
  EXPECT_TRUE(shortened->ReadAt(1, got).ok());
  EXPECT_EQ(shortened->ReadAt(2, got).code(), StatusCode::kTruncated);
}

TEST(FaultFileTest, FlipsBits) {
  const auto file = Reader({.flip_bits = {8 * 3 + 0, 8 * 9 + 6}});
  std::vector<std::byte> got(10);
  ASSERT_TRUE(file->ReadAt(0, got).ok());
  EXPECT_EQ(got, Bytes("012245678y"));
  got.resize(2);
  ASSERT_TRUE(file->ReadAt(3, got).ok());
  EXPECT_EQ(got, Bytes("24"));
}

TEST(FaultFileTest, WriteFailuresAreFinal) {
  std::vector<std::byte> sink;
  const auto file = WithWriteFaults(CreateMemoryFile(&sink, "m"), {.fail_at = 4});
  EXPECT_TRUE(file->Append(Bytes("0123")).ok());
  EXPECT_EQ(file->Append(Bytes("4")).code(), StatusCode::kIo);
  EXPECT_EQ(file->Append({}).code(), StatusCode::kIo);
  EXPECT_EQ(file->Publish().code(), StatusCode::kIo);
  EXPECT_TRUE(sink.empty());
}

TEST(FaultFileTest, PublishFails) {
  std::vector<std::byte> sink;
  const auto file = WithWriteFaults(CreateMemoryFile(&sink, "m"),
                                    {.fail_publish = true, .code = StatusCode::kResourceExhausted});
  EXPECT_TRUE(file->Append(Bytes("0123")).ok());
  EXPECT_EQ(file->Publish().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(sink.empty());
}

}  // namespace
}  // namespace dsi
