// Many ranges of local files: cached or not, past the page cache or through it, with io_uring or
// without, from many threads and after a fork, the same bytes and the same errors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <thread>

#include "dsi/io/direct_reads_internal.h"
#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"
#include "dsi/tests/support/forked_child.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi {
namespace {

constexpr size_t kSize = 3'000'123;

class LocalManyTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    bytes_ = test::PatternBytes(kSize);
    path_ = folder_.File("a");
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()), kSize);
  }

  std::unique_ptr<RandomAccessFile> Open() {
    auto file = OpenLocalFile(path_, {.direct = GetParam()});
    EXPECT_TRUE(file.ok()) << file.status().ToString();
    return file.ok() ? *std::move(file) : nullptr;
  }

  void DropFromCache() {
    const int fd = ::open(path_.c_str(), O_RDONLY);
    ::fdatasync(fd);
    EXPECT_EQ(::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    ::close(fd);
  }

  // Ranges here and there, empty and touching ones among them, and the last bytes.
  std::vector<std::pair<uint64_t, size_t>> Ranges() {
    std::vector<std::pair<uint64_t, size_t>> ranges{{0, 0}, {kSize, 0}, {kSize - 5, 5}, {0, 1}};
    std::mt19937 random(3);
    for (int i = 0; i < 100; ++i) {
      const uint64_t offset = random() % kSize;
      ranges.emplace_back(offset, std::min<size_t>(random() % 70'000, kSize - offset));
    }
    ranges.emplace_back(0, kSize);
    return ranges;
  }

  bool ReadsRight(const RandomAccessFile& file) {
    std::vector<std::vector<std::byte>> memory;
    std::vector<ReadRequest> requests;
    for (const auto& [offset, size] : Ranges()) {
      memory.emplace_back(size);
      requests.push_back({offset, memory.back()});
    }
    if (!file.ReadMany(requests).ok()) return false;
    return std::all_of(requests.begin(), requests.end(), [&](const ReadRequest& request) {
      return std::equal(request.dst.begin(), request.dst.end(),
                        bytes_.begin() + static_cast<ptrdiff_t>(request.offset));
    });
  }

  test::TempFolder folder_;
  std::string path_;
  std::vector<std::byte> bytes_;
};

TEST_P(LocalManyTest, CachedOrNot) {
  const auto file = Open();
  EXPECT_TRUE(ReadsRight(*file));
  DropFromCache();
  EXPECT_TRUE(ReadsRight(*file));
  EXPECT_TRUE(ReadsRight(*file));
  std::vector<std::byte> one(1000);
  for (const uint64_t offset : {uint64_t{0}, uint64_t{4095}, uint64_t{kSize - 1000}}) {
    ASSERT_TRUE(file->ReadAt(offset, one).ok());
    EXPECT_TRUE(
        std::equal(one.begin(), one.end(), bytes_.begin() + static_cast<ptrdiff_t>(offset)));
  }
}

TEST_P(LocalManyTest, ManyThreadsAndAForkedProcess) {
  const auto file = Open();
  std::vector<std::thread> threads;
  std::array<bool, 6> right{};
  for (bool& result : right) threads.emplace_back([&] { result = ReadsRight(*file); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(right.begin(), right.end(), true), 6);
  EXPECT_TRUE(test::InForkedChild([&] { return ReadsRight(*file); }));
  EXPECT_TRUE(ReadsRight(*file));
}

TEST_P(LocalManyTest, ShortenedWhileOpenIsTruncatedAndNoSignal) {
  const auto file = Open();
  std::vector<std::byte> first(100), last(200'000);
  const std::vector<ReadRequest> requests{{0, first}, {kSize - last.size(), last}};
  for (const off_t size :
       {kSize - 1, kSize - 150'000, size_t{2'867'200}, size_t{4096}, size_t{0}}) {
    ASSERT_EQ(::truncate(path_.c_str(), size), 0);
    const Status status = file->ReadMany(requests);
    EXPECT_EQ(status.code(), StatusCode::kTruncated) << size << ": " << status.ToString();
    EXPECT_NE(status.message().find("shortened meanwhile"), std::string::npos);
    EXPECT_NE(status.message().find(path_), std::string::npos);
  }
  EXPECT_EQ(file->size(), kSize);
  std::vector<std::byte> beyond(10);
  EXPECT_EQ(file->ReadAt(kSize - 9, beyond).code(), StatusCode::kTruncated);
  EXPECT_EQ(file->ReadAt(~uint64_t{0} - 3, beyond).code(), StatusCode::kTruncated);
}

INSTANTIATE_TEST_SUITE_P(Local, LocalManyTest, ::testing::Bool(),
                         [](const auto& i) { return i.param ? "Direct" : "Cached"; });

// io_uring and its absence agree, and a broken descriptor is an error of both.
TEST(DirectReadsTest, WithARingAndWithout) {
  const test::TempFolder folder;
  const auto bytes = test::PatternBytes(kSize);
  std::ofstream(folder.File("a"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), kSize);
  const int fd = ::open(folder.File("a").c_str(), O_RDONLY | O_DIRECT);
  if (fd < 0) GTEST_SKIP() << "the file system has no direct reads";
  for (const bool use_ring : {false, true}) {
    const auto reads = internal::DirectReads::Make(use_ring);
    ASSERT_NE(reads, nullptr);
    EXPECT_TRUE(use_ring || !reads->has_ring());
    std::vector<std::byte> all(kSize), part(50'000);
    const std::vector<ReadRequest> requests{{0, all}, {1'234'567, part}};
    const Status status = reads->Read(fd, kSize, "a", requests);
    if (status.code() == StatusCode::kUnsupported) break;
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(all, bytes);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + 1'234'567));
    const Status broken = internal::DirectReads::Make(use_ring)->Read(-1, kSize, "a", requests);
    EXPECT_EQ(broken.code(), StatusCode::kIo) << broken.ToString();
  }
  ::close(fd);
}

}  // namespace
}  // namespace dsi
