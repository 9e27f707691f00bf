// What is held is not read again, and the rest is one call to the file.
#include "dsi/reader/open/held_file_internal.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace dsi::internal {
namespace {

std::vector<std::byte> Bytes(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

class StepFile final : public RandomAccessFile {
 public:
  explicit StepFile(std::vector<size_t>* steps)
      : file_(OpenMemoryFile(Bytes("0123456789"), "m")), steps_(*steps) {}
  uint64_t size() const override { return file_->size(); }
  const std::string& name() const override { return file_->name(); }
  SourceCosts costs() const override { return kS3Costs; }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return file_->ReadAt(offset, dst);
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    steps_.push_back(requests.size());
    return file_->ReadMany(requests);
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  std::vector<size_t>& steps_;
};

TEST(HeldFile, ReadsManyInOneStep) {
  std::vector<size_t> steps;
  const std::vector<std::byte> tail = Bytes("6789");
  HeldBytes held;
  held.Add(6, 4, {std::shared_ptr<void>(), tail.data()});
  const HeldFile file(std::make_unique<StepFile>(&steps), std::move(held));
  std::vector<std::byte> a(2), b(2), c(3), d(1);
  const std::vector<ReadRequest> requests = {{0, a}, {6, b}, {5, c}, {9, d}};
  ASSERT_TRUE(file.ReadMany(requests).ok());
  EXPECT_EQ(a, Bytes("01"));
  EXPECT_EQ(b, Bytes("67"));
  EXPECT_EQ(c, Bytes("567"));
  EXPECT_EQ(d, Bytes("9"));
  EXPECT_EQ(steps, std::vector<size_t>{2});

  ASSERT_TRUE(file.ReadMany(std::vector<ReadRequest>{{6, b}}).ok());
  EXPECT_EQ(steps.size(), 1u);
  EXPECT_EQ(file.costs().latency_s, kS3Costs.latency_s);
}

}  // namespace
}  // namespace dsi::internal
