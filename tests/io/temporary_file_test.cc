#include "dsi/io/temporary_file_internal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "dsi/io/file.h"
#include "dsi/tests/io/file_bytes.h"
#include "dsi/tests/io/publishing.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi {
namespace {

using test::Bytes;
using test::Create;
using test::DeadPid;
using test::InFork;
using test::Names;
using test::PatternBytes;
using test::ReadWhole;
using test::TempFolder;
using test::TempName;
using test::WriteWhole;

TEST(TemporaryFileTest, ShortenedTemporaryNamesKeepWholeCharacters) {
  EXPECT_EQ(internal::TemporaryStem("part-0.dsi", 255), "part-0.dsi");
  EXPECT_EQ(internal::TemporaryStem(std::string(300, 'x'), 255), std::string(223, 'x'));
  EXPECT_EQ(internal::TemporaryStem(std::string(222, 'x') + "\xE2\x82\xAC", 255),
            std::string(222, 'x'));
  EXPECT_EQ(internal::TemporaryStem(std::string(220, 'x') + "\xE2\x82\xAC", 255),
            std::string(220, 'x') + "\xE2\x82\xAC");
  EXPECT_EQ(internal::TemporaryStem(std::string(255, '\x80'), 255), "");
  EXPECT_EQ(internal::TemporaryStem("abc", 5), "");
}

TEST(TemporaryFileTest, TemporaryFileRemovedReplacedOrCutByOthers) {
  const TempFolder folder;
  const std::string temporary = folder.File(TempName("a", ::getpid()));
  {
    const auto file = Create(folder.File("a"));
    ASSERT_TRUE(file->Append(Bytes("abc")).ok());
    std::filesystem::remove(temporary);
    EXPECT_EQ(file->Publish().code(), StatusCode::kNotFound);
  }
  {
    const auto file = Create(folder.File("a"));
    ASSERT_TRUE(file->Append(Bytes("abc")).ok());
    std::filesystem::remove(temporary);
    WriteWhole(temporary, "evl");
    const Status status = file->Publish();
    EXPECT_EQ(status.code(), StatusCode::kIo);
    EXPECT_NE(status.message().find("replaced"), std::string::npos);
  }
  {
    const auto file = Create(folder.File("a"));
    ASSERT_TRUE(file->Append(PatternBytes(2 << 20)).ok());
    ASSERT_EQ(::truncate(temporary.c_str(), 5), 0);
    EXPECT_EQ(file->Publish().code(), StatusCode::kIo);
  }
  EXPECT_FALSE(folder.Names().contains("a"));
}

TEST(TemporaryFileTest, RemovesWhatDeadWritersLeft) {
  const TempFolder folder;
  const pid_t dead = DeadPid();
  const std::string locked = TempName("a", dead, 2);
  const Names kept = {"keep",
                      TempName("a", ::getppid()),  // Its writer lives.
                      locked,                      // Held, perhaps from another container.
                      TempName("b", dead),         // Another name.
                      TempName("a.1", dead),       // Another name too.
                      TempName("a", 0),            // Not a process.
                      ".a." + std::to_string(dead) + ".tmp",
                      ".a.1x.0.tmp",
                      ".a.tmp",
                      ".a..tmp",
                      ".a." + std::to_string(dead) + ".0.tmp2"};
  for (const auto& name : kept) WriteWhole(folder.File(name), "x");
  std::filesystem::create_directory(folder.File(TempName("a", dead, 3)));
  std::filesystem::create_symlink("keep", folder.File(TempName("a", dead, 4)));
  ASSERT_EQ(::mkfifo(folder.File(TempName("a", dead, 5)).c_str(), 0600), 0);
  const Names odd = {TempName("a", dead, 3), TempName("a", dead, 4), TempName("a", dead, 5)};
  WriteWhole(folder.File(TempName("a", dead, 0)), "x");
  WriteWhole(folder.File(TempName("a", dead, 1)), "x");
  const int lock = ::open(folder.File(locked).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);

  ASSERT_TRUE(Create(folder.File("a"))->Publish().ok());
  Names expected = kept;
  expected.insert(odd.begin(), odd.end());
  expected.insert("a");
  EXPECT_EQ(folder.Names(), expected);
  ::close(lock);
}

TEST(TemporaryFileTest, KilledWriterIsCleanedUpByTheNext) {
  const TempFolder folder;
  pid_t child = 0;
  ASSERT_EQ(InFork(
                [&] {
                  auto file = CreateLocalFile(folder.File("a"), {});
                  if (!file.ok() || !(*file)->Append(PatternBytes(2 << 20)).ok()) return 1;
                  ::_exit(0);  // As a kill would, without destructors.
                },
                &child),
            0);
  EXPECT_EQ(folder.Names(), Names{TempName("a", child)});
  ASSERT_TRUE(Create(folder.File("a"))->Publish().ok());
  EXPECT_EQ(folder.Names(), Names{"a"});
}

TEST(TemporaryFileTest, ForkDoesNotTouchItsParentsFile) {
  const TempFolder folder;
  auto file = Create(folder.File("a"));
  ASSERT_TRUE(file->Append(Bytes("abc")).ok());
  EXPECT_EQ(InFork([&] {
              const bool refused =
                  file->Append(Bytes("x")).code() == StatusCode::kInvalidArgument &&
                  file->Publish().code() == StatusCode::kInvalidArgument;
              file.reset();
              return refused ? 0 : 1;
            }),
            0);
  ASSERT_TRUE(file->Publish().ok());
  EXPECT_EQ(folder.Names(), Names{"a"});
  EXPECT_EQ(ReadWhole(folder.File("a")), "abc");
}

}  // namespace
}  // namespace dsi
