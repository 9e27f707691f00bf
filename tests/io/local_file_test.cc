#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi {
namespace {

using test::Bytes;
using test::PatternBytes;
using test::TempFolder;
using test::WriteWhole;

std::string AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ExpectOpenFails(const std::string& path, StatusCode code, const std::string& words) {
  const auto file = OpenLocalFile(path);
  ASSERT_FALSE(file.ok()) << path;
  EXPECT_EQ(file.status().code(), code) << file.status().ToString();
  EXPECT_NE(file.status().message().find(words), std::string::npos) << file.status().ToString();
}

TEST(LocalFileTest, ReadsAnyRange) {
  const TempFolder folder;
  const auto bytes = PatternBytes(3000);
  WriteWhole(folder.File("a"), AsText(bytes));
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ((*file)->size(), 3000u);
  EXPECT_EQ((*file)->name(), folder.File("a"));
  for (const size_t offset : {0u, 1u, 511u, 2999u, 3000u}) {
    for (const size_t size : {0u, 1u, 2u, 1000u, 3000u}) {
      std::vector<std::byte> got(size);
      const Status status = (*file)->ReadAt(offset, got);
      if (offset + size <= 3000) {
        ASSERT_TRUE(status.ok()) << status.ToString();
        EXPECT_TRUE(
            std::equal(got.begin(), got.end(), bytes.begin() + static_cast<ptrdiff_t>(offset)));
      } else {
        EXPECT_EQ(status.code(), StatusCode::kTruncated);
      }
    }
  }
}

TEST(LocalFileTest, OffsetsBeyondTheEndNeverWrap) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "0123456789");
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> got(4);
  for (const uint64_t offset :
       {uint64_t{7}, uint64_t{11}, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 3}) {
    const Status status = (*file)->ReadAt(offset, got);
    EXPECT_EQ(status.code(), StatusCode::kTruncated) << offset;
    EXPECT_NE(status.message().find(folder.File("a")), std::string::npos);
    EXPECT_NE(status.message().find(std::to_string(offset)), std::string::npos);
  }
}

TEST(LocalFileTest, EmptyFile) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "");
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), 0u);
  EXPECT_TRUE((*file)->ReadAt(0, {}).ok());
  std::byte one{};
  EXPECT_EQ((*file)->ReadAt(0, {&one, 1}).code(), StatusCode::kTruncated);
}

TEST(LocalFileTest, ShortenedWhileOpenIsTruncatedAndNoSignal) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), AsText(PatternBytes(100000)));
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  std::vector<std::byte> got(100000);
  for (const off_t size : {99999, 4096, 1, 0}) {
    ASSERT_EQ(::truncate(folder.File("a").c_str(), size), 0);
    const Status status = (*file)->ReadAt(0, got);
    EXPECT_EQ(status.code(), StatusCode::kTruncated);
    EXPECT_NE(status.message().find("offset " + std::to_string(size)), std::string::npos)
        << status.ToString();
  }
  EXPECT_EQ((*file)->size(), 100000u);
}

TEST(LocalFileTest, KeepsTheSizeItHadWhenOpened) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "1234");
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  WriteWhole(folder.File("a"), "123456789");
  std::vector<std::byte> got(5);
  EXPECT_EQ((*file)->ReadAt(0, got).code(), StatusCode::kTruncated);
}

TEST(LocalFileTest, ReplacedOrRemovedNameDoesNotMatter) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "old");
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  WriteWhole(folder.File("b"), "new");
  std::filesystem::rename(folder.File("b"), folder.File("a"));
  std::vector<std::byte> got(3);
  ASSERT_TRUE((*file)->ReadAt(0, got).ok());
  EXPECT_EQ(got, Bytes("old"));
}

TEST(LocalFileTest, PathsThatAreNoFile) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "x");
  ExpectOpenFails("", StatusCode::kInvalidArgument, "empty");
  ExpectOpenFails(folder.path(), StatusCode::kInvalidArgument, "folder");
  ExpectOpenFails(folder.path() + "/", StatusCode::kInvalidArgument, "folder");
  ExpectOpenFails(folder.File("none"), StatusCode::kNotFound, "No such file");
  ExpectOpenFails(folder.File("none/a"), StatusCode::kNotFound, "No such file");
  ExpectOpenFails(folder.File("a/"), StatusCode::kNotFound, "Not a directory");
  ExpectOpenFails(folder.File(std::string("a\0b", 3)), StatusCode::kInvalidArgument, "NUL");
  ExpectOpenFails(folder.File(std::string(256, 'x')), StatusCode::kIo, "too long");
  ExpectOpenFails("/dev/null", StatusCode::kInvalidArgument, "not a regular file");
  ExpectOpenFails("/dev/full", StatusCode::kInvalidArgument, "not a regular file");
}

TEST(LocalFileTest, FifoAndSocketAreRefusedWithoutWaiting) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.File("fifo").c_str(), 0600), 0);
  const auto start = std::chrono::steady_clock::now();
  ExpectOpenFails(folder.File("fifo"), StatusCode::kInvalidArgument, "not a regular file");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));

  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, folder.File("socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ExpectOpenFails(folder.File("socket"), StatusCode::kInvalidArgument, "not a regular file");
  ::close(fd);
}

TEST(LocalFileTest, FollowsLinks) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "x");
  std::filesystem::create_symlink("a", folder.File("link"));
  std::filesystem::create_symlink("loop", folder.File("loop"));
  EXPECT_TRUE(OpenLocalFile(folder.File("link")).ok());
  ExpectOpenFails(folder.File("loop"), StatusCode::kIo, "levels of symbolic links");
}

TEST(LocalFileTest, DescriptorIsNotInherited) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "x");
  // The lowest free number is the one that the next open gets.
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(::fcntl(next, F_GETFD), FD_CLOEXEC);
}

TEST(LocalFileTest, ManyThreadsReadAtOnce) {
  const TempFolder folder;
  const auto bytes = PatternBytes(1 << 16);
  WriteWhole(folder.File("a"), AsText(bytes));
  const auto file = OpenLocalFile(folder.File("a"));
  ASSERT_TRUE(file.ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::byte> got(97);
      for (size_t i = 0; i < 500; ++i) {
        const size_t offset = (t * 7919 + i * 104729) % (bytes.size() - got.size());
        if (!(*file)->ReadAt(offset, got).ok() ||
            std::memcmp(got.data(), bytes.data() + offset, got.size()) != 0) {
          ++wrong;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dsi
