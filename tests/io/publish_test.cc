#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"
#include "dsi/tests/io/publishing.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi {
namespace {

using test::Bytes;
using test::Create;
using test::InFork;
using test::Names;
using test::PatternBytes;
using test::ReadWhole;
using test::TempFolder;
using test::TempName;
using test::WriteWhole;

void ExpectCreateFails(const std::string& path, bool overwrite, StatusCode code,
                       const std::string& words) {
  const auto file = CreateLocalFile(path, {.overwrite = overwrite});
  ASSERT_FALSE(file.ok()) << path;
  EXPECT_EQ(file.status().code(), code) << file.status().ToString();
  EXPECT_NE(file.status().message().find(words), std::string::npos) << file.status().ToString();
}

TEST(PublishTest, NobodySeesTheFileBefore) {
  const TempFolder folder;
  const auto file = Create(folder.File("a"));
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->name(), folder.File("a"));
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  EXPECT_EQ(folder.Names(), Names{TempName("a", ::getpid())});
  ASSERT_TRUE(file->Append({}).ok());
  ASSERT_TRUE(file->Append(Bytes("de")).ok());
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(ReadWhole(folder.File("a")), "abcde");
}

TEST(PublishTest, AppendsOfAllSizesAroundTheBuffer) {
  const TempFolder folder;
  const auto bytes = PatternBytes(9 << 20);
  const std::span<const std::byte> all(bytes);
  const size_t mib = 1 << 20;
  size_t offset = 0;
  const auto file = Create(folder.File("a"));
  for (const size_t size : {mib - 1, size_t{1}, size_t{1}, mib, mib + 1, mib - 2, size_t{0},
                            size_t{7}, 3 * mib, size_t{100}}) {
    ASSERT_TRUE(file->Append(all.subspan(offset, size)).ok());
    offset += size;
  }
  ASSERT_TRUE(file->Publish().ok());
  const std::string got = ReadWhole(folder.File("a"));
  ASSERT_EQ(got.size(), offset);
  EXPECT_EQ(std::memcmp(got.data(), bytes.data(), offset), 0);
}

TEST(PublishTest, EmptyFile) {
  const TempFolder folder;
  ASSERT_TRUE(Create(folder.File("a"))->Publish().ok());
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(std::filesystem::file_size(folder.File("a")), 0u);
}

TEST(PublishTest, DestructionLeavesNothing) {
  const TempFolder folder;
  WriteWhole(folder.File("old"), "old");
  { ASSERT_TRUE(Create(folder.File("a"))->Append(PatternBytes(2 << 20)).ok()); }
  { ASSERT_TRUE(Create(folder.File("old"), true)->Append(Bytes("x")).ok()); }
  EXPECT_EQ(folder.Names(), Names{"old"});
  EXPECT_EQ(ReadWhole(folder.File("old")), "old");
}

TEST(PublishTest, PublishesOnce) {
  const TempFolder folder;
  const auto file = Create(folder.File("a"));
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(file->Publish().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(file->Append(Bytes("d")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadWhole(folder.File("a")), "abc");
}

TEST(PublishTest, RefusesToReplaceUnlessAsked) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "old");
  ExpectCreateFails(folder.File("a"), false, StatusCode::kAlreadyExists,
                    "replacing it was not asked for");
  EXPECT_EQ(folder.Names(), Names{"a"});
  const auto file = Create(folder.File("a"), true);
  ASSERT_TRUE(file->Append(Bytes("new")).ok());
  EXPECT_EQ(ReadWhole(folder.File("a")), "old");
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(ReadWhole(folder.File("a")), "new");
}

TEST(PublishTest, FileThatAppearedMeanwhileStaysAndTheFailureIsFinal) {
  const TempFolder folder;
  const auto file = Create(folder.File("a"));
  ASSERT_TRUE(file->Append(Bytes("new")).ok());
  WriteWhole(folder.File("a"), "other");
  EXPECT_EQ(file->Publish().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(ReadWhole(folder.File("a")), "other");
  std::filesystem::remove(folder.File("a"));
  EXPECT_EQ(file->Publish().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(file->Append(Bytes("x")).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(folder.Names(), Names{});
}

TEST(PublishTest, TwoWritersOfOneNameInOneProcess) {
  const TempFolder folder;
  const auto first = Create(folder.File("a"));
  const auto second = Create(folder.File("a"));
  EXPECT_EQ(folder.Names(), (Names{TempName("a", ::getpid()), TempName("a", ::getpid(), 1)}));
  ASSERT_TRUE(first->Append(Bytes("first")).ok());
  ASSERT_TRUE(second->Append(Bytes("second")).ok());
  ASSERT_TRUE(second->Publish().ok());
  EXPECT_EQ(first->Publish().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(ReadWhole(folder.File("a")), "second");
}

TEST(PublishTest, PathsThatCannotBeAFile) {
  const TempFolder folder;
  WriteWhole(folder.File("a"), "x");
  ASSERT_EQ(::mkfifo(folder.File("fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(folder.File("sub"));
  std::filesystem::create_symlink("/dev/null", folder.File("device"));
  std::filesystem::create_symlink("sub", folder.File("to-sub"));
  std::filesystem::create_symlink("loop", folder.File("loop"));
  const Names before = folder.Names();
  for (const bool overwrite : {false, true}) {
    ExpectCreateFails("", overwrite, StatusCode::kInvalidArgument, "empty");
    ExpectCreateFails("/", overwrite, StatusCode::kInvalidArgument, "folder");
    ExpectCreateFails(".", overwrite, StatusCode::kInvalidArgument, "folder");
    ExpectCreateFails(folder.File("sub"), overwrite, StatusCode::kInvalidArgument, "folder");
    ExpectCreateFails(folder.File("new/"), overwrite, StatusCode::kInvalidArgument, "folder");
    ExpectCreateFails(folder.File("none/a"), overwrite, StatusCode::kNotFound, "folder");
    ExpectCreateFails(folder.File("a/b"), overwrite, StatusCode::kNotFound, "Not a directory");
    ExpectCreateFails(folder.File(std::string("b\0c", 3)), overwrite, StatusCode::kInvalidArgument,
                      "NUL");
    ExpectCreateFails(folder.File(std::string(256, 'x')), overwrite, StatusCode::kIo, "too long");
  }
  for (const char* name : {"/dev/full", "/dev/null"}) {
    ExpectCreateFails(name, false, StatusCode::kAlreadyExists, "exists");
    ExpectCreateFails(name, true, StatusCode::kInvalidArgument, "not a regular file");
  }
  for (const char* name : {"fifo", "device", "to-sub"}) {
    ExpectCreateFails(folder.File(name), false, StatusCode::kAlreadyExists, "exists");
    ExpectCreateFails(folder.File(name), true, StatusCode::kInvalidArgument, "not a regular");
  }
  ExpectCreateFails(folder.File("loop"), true, StatusCode::kIo, "link");
  EXPECT_EQ(folder.Names(), before);
}

TEST(PublishTest, LinkToAFileIsReplacedAndItsTargetStays) {
  const TempFolder folder;
  WriteWhole(folder.File("target"), "target");
  for (const char* target : {"target", "nothing"}) {
    std::filesystem::remove(folder.File("link"));
    std::filesystem::create_symlink(target, folder.File("link"));
    const auto file = Create(folder.File("link"), true);
    ASSERT_TRUE(file->Append(Bytes("new")).ok());
    ASSERT_TRUE(file->Publish().ok());
    EXPECT_FALSE(std::filesystem::is_symlink(folder.File("link")));
    EXPECT_EQ(ReadWhole(folder.File("link")), "new");
  }
  EXPECT_EQ(ReadWhole(folder.File("target")), "target");
  EXPECT_EQ(folder.Names(), (Names{"link", "target"}));
}

TEST(PublishTest, LongestNames) {
  const TempFolder folder;
  for (const size_t size : {200u, 223u, 224u, 255u}) {
    const std::string name(size, 'x');
    const auto file = Create(folder.File(name));
    ASSERT_NE(file, nullptr);
    ASSERT_TRUE(file->Append(Bytes("abc")).ok());
    ASSERT_TRUE(file->Publish().ok());
    EXPECT_EQ(folder.Names(), Names{name});
    std::filesystem::remove(folder.File(name));
  }
}

TEST(PublishTest, ModeFollowsTheUmask) {
  const TempFolder folder;
  for (const mode_t mask : {0u, 022u, 027u, 077u}) {
    const std::string path = folder.File(std::to_string(mask) + "a");
    const mode_t before = ::umask(mask);
    ASSERT_TRUE(Create(path)->Publish().ok());
    ::umask(before);
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777u, 0666u & ~mask);
  }
}

TEST(PublishTest, RelativePathSurvivesAChangeOfFolder) {
  const TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto file = Create("a");
  std::filesystem::current_path(before);
  ASSERT_NE(file, nullptr);
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(ReadWhole(folder.File("a")), "abc");
}

TEST(PublishTest, MessagesToAClosedStreamDoNotLandInTheFile) {
  const TempFolder folder;
  EXPECT_EQ(InFork([&] {
              ::close(0);
              ::close(1);
              ::close(2);
              auto file = CreateLocalFile(folder.File("a"), {});
              if (!file.ok() || !(*file)->Append(Bytes("abc")).ok()) return 1;
              for (int fd = 0; fd <= 2; ++fd) (void)!::write(fd, "oops", 4);
              return (*file)->Publish().ok() ? 0 : 2;
            }),
            0);
  EXPECT_EQ(ReadWhole(folder.File("a")), "abc");
}

TEST(PublishTest, DescriptorsAreNotInheritedNorLeaked) {
  const TempFolder folder;
  const auto open_fds = [] {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  };
  const Names before = open_fds();
  {
    const auto file = Create(folder.File("a"));
    for (const auto& name : open_fds()) {
      const int flags = ::fcntl(std::stoi(name), F_GETFD);
      // The number that listed the numbers is closed by now.
      if (!before.contains(name) && flags >= 0) {
        EXPECT_EQ(flags, FD_CLOEXEC) << name;
      }
    }
    ASSERT_TRUE(file->Publish().ok());
    EXPECT_EQ(open_fds(), before);
  }
  EXPECT_EQ(open_fds(), before);
}

// A limit in the middle of a write makes it short first and fail then, as a full disk does.
TEST(PublishTest, FileSizeLimit) {
  const TempFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const auto bytes = PatternBytes(1 << 20);
  const auto file = Create(folder.File("a"));
  const rlimit limit{3u << 19, before.rlim_max};
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Status status;
  for (int i = 0; i < 3 && status.ok(); ++i) status = file->Append(bytes);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find("offset 1572864: File too large"), std::string::npos)
      << status.ToString();
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(folder.Names(), Names{});
  EXPECT_EQ(file->Publish().code(), StatusCode::kIo);
  EXPECT_EQ(folder.Names(), Names{});
}

TEST(PublishTest, FolderRemovedMeanwhile) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.File("sub"));
  const auto file = Create(folder.File("sub/a"));
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  std::filesystem::remove_all(folder.File("sub"));
  EXPECT_EQ(file->Publish().code(), StatusCode::kNotFound);
  EXPECT_EQ(folder.Names(), Names{});
}

}  // namespace
}  // namespace dsi
