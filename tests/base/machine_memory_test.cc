// The memory that a process may use, with control groups made up in a folder.
#include "dsi/base/machine_memory_internal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "dsi/tests/support/temp_folder.h"

namespace dsi::internal {
namespace {

class MachineMemoryTest : public ::testing::Test {
 protected:
  uint64_t Limit(const std::string& groups) {
    std::ofstream(folder_.File("groups")) << groups;
    return MachineMemory(
        {.cgroups = folder_.File("fs"), .groups_of_process = folder_.File("groups")});
  }
  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.File("fs/" + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  test::TempFolder folder_;
  const uint64_t machine_ = MachineMemory({.cgroups = "/none", .groups_of_process = "/none"});
};

TEST_F(MachineMemoryTest, WithoutGroupsItIsTheMachine) {
  EXPECT_GT(machine_, 1U << 20);
  EXPECT_EQ(Limit("0::/a/b\n"), machine_);
  Put("a/memory.max", "max");
  EXPECT_EQ(Limit("0::/a/b\n"), machine_);
  EXPECT_EQ(Limit(""), machine_);
  EXPECT_EQ(Limit("nonsense\n::\n:\n\n"), machine_);
}

TEST_F(MachineMemoryTest, Version2TakesTheLeastOfTheGroupAndThoseAbove) {
  Put("a/b/memory.max", "5000000");
  EXPECT_EQ(Limit("0::/a/b\n"), 5'000'000U);
  EXPECT_EQ(Limit("0::/a/b/c/\n"), 5'000'000U);
  EXPECT_EQ(Limit("0::/a\n"), machine_);
  Put("a/memory.max", "4000000");
  EXPECT_EQ(Limit("0::/a/b\n"), 4'000'000U);
  Put("a/b/memory.max", "max");
  EXPECT_EQ(Limit("0::/a/b\n"), 4'000'000U);
  // As a container sees it: its own group is the root.
  Put("memory.max", "3000000");
  EXPECT_EQ(Limit("0::/\n"), 3'000'000U);
  EXPECT_EQ(Limit("0::/docker/unknown/here\n"), 3'000'000U);
}

TEST_F(MachineMemoryTest, Version1IsReadToo) {
  Put("memory/a/memory.limit_in_bytes", "6000000");
  Put("memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(Limit("5:cpu:/a\n4:memory:/a/b\n0::/x\n"), 6'000'000U);
  EXPECT_EQ(Limit("4:memory:/\n"), machine_);
  Put("unified/x/memory.max", "2000000");
  EXPECT_EQ(Limit("4:memory:/a\n0::/x\n"), 2'000'000U);
}

TEST_F(MachineMemoryTest, TheAddressSpaceCounts) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limit = {uint64_t{1} << 32, before.rlim_max};
  if (setrlimit(RLIMIT_AS, &limit) != 0) GTEST_SKIP() << "the limit cannot be set";
  EXPECT_EQ(MachineMemory({.cgroups = "/none", .groups_of_process = "/none"}),
            std::min(machine_, uint64_t{1} << 32));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

}  // namespace
}  // namespace dsi::internal
