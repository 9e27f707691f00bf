// What a caller hands in may throw, be null or be moved from: an error, never undefined behaviour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dsi/text/row_text.h"
#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {
namespace {

std::unique_ptr<Reader> OpenSample() {
  auto reader = Reader::Open(OpenMemoryFile(SampleFile(1000), "sample"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

// Throws or gives what it should not from its second call on.
class BadAllocator final : public SlabAllocator {
 public:
  enum class Way { kThrows, kMisaligned, kThrowsInFree };
  explicit BadAllocator(Way way) : way_(way) {}
  void* Allocate(size_t size) override {
    const bool first = calls++ == 0;
    if (!first && way_ == Way::kThrows) throw std::runtime_error("no");
    ++held;
    auto* const block = static_cast<std::byte*>(std::aligned_alloc(64, size + 64));
    blocks_.push_back(block);
    return !first && way_ == Way::kMisaligned ? block + 8 : block;
  }
  void Free(void*, size_t) override {
    --held;
    if (way_ == Way::kThrowsInFree) throw std::runtime_error("no");
  }
  ~BadAllocator() override {
    for (void* block : blocks_) std::free(block);
  }
  int calls = 0;
  int held = 0;

 private:
  Way way_;
  std::vector<void*> blocks_;
};

// The first batch is small, the second must grow.
StatusCode ReadGrowing(const Reader& reader, Batch* batch) {
  ScanOptions small;
  small.batch_size = 10;
  auto scan = reader.NewScan(small);
  EXPECT_TRUE(*(*scan)->Next(batch));
  scan = reader.NewScan({});
  return (*scan)->Next(batch).status().code();
}

TEST(CallerObjects, SlabAllocatorsThatThrow) {
  const auto reader = OpenSample();
  BadAllocator throws(BadAllocator::Way::kThrows);
  {
    Batch batch(&throws);
    EXPECT_EQ(ReadGrowing(*reader, &batch), StatusCode::kResourceExhausted);
    EXPECT_EQ(throws.held, 0);  // The old slab was given back, once.
    EXPECT_EQ(batch.num_rows(), 0U);
    EXPECT_TRUE(batch.slab().empty());
  }
  EXPECT_EQ(throws.held, 0);
  BadAllocator misaligned(BadAllocator::Way::kMisaligned);
  {
    Batch batch(&misaligned);
    EXPECT_EQ(ReadGrowing(*reader, &batch), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(misaligned.held, 0);
  BadAllocator free_throws(BadAllocator::Way::kThrowsInFree);
  {
    Batch batch(&free_throws);
    EXPECT_EQ(ReadGrowing(*reader, &batch), StatusCode::kOk);
  }
  EXPECT_EQ(free_throws.held, 0);
}

TEST(CallerObjects, Null) {
  EXPECT_EQ(Reader::Open(std::unique_ptr<RandomAccessFile>()).status().code(),
            StatusCode::kInvalidArgument);
  const auto reader = OpenSample();
  auto scan = reader->NewScan({});
  ASSERT_TRUE(scan.ok());
  EXPECT_EQ((*scan)->Next(nullptr).status().code(), StatusCode::kInvalidArgument);
  Batch batch;
  EXPECT_TRUE(*(*scan)->Next(&batch));  // It goes on.
  EXPECT_EQ(batch.first_row(), 0U);
  auto text = RowText::Create(*reader, {});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ((*text)->Next(nullptr, nullptr).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->FindColumn(std::string_view()).status().code(), StatusCode::kNotFound);
}

void ExpectEmpty(const Batch& batch) {
  EXPECT_EQ(batch.num_rows(), 0U);
  EXPECT_EQ(batch.first_row(), 0U);
  EXPECT_TRUE(batch.row_numbers().empty());
  EXPECT_TRUE(batch.slab().empty());
  EXPECT_EQ(batch.Padded("label").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Jagged("label").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Ikjt("label").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.PaddedIkjt("label").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Dense().status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Vbe().status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.Kjt().status().code(), StatusCode::kInvalidArgument);
}

TEST(CallerObjects, BatchesMovedFrom) {
  const auto reader = OpenSample();
  auto scan = reader->NewScan({.batch_size = 300});
  Batch batch;
  ExpectEmpty(batch);
  ASSERT_TRUE(*(*scan)->Next(&batch));
  Batch other = std::move(batch);
  ExpectEmpty(batch);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(other.Padded("label").ok());
  ASSERT_TRUE(*(*scan)->Next(&batch));  // It can be filled again, with the next rows.
  EXPECT_EQ(batch.first_row(), 300U);
  EXPECT_EQ(other.first_row(), 0U);
  other = std::move(batch);
  EXPECT_EQ(other.first_row(), 300U);
  ExpectEmpty(batch);  // NOLINT(bugprone-use-after-move)
}

TEST(CallerObjects, CallbacksThatThrow) {
  const auto reader = OpenSample();
  const auto damage = reader->Verify(
      {.progress = [](const VerifyProgress&) -> bool { throw std::runtime_error("enough"); }});
  EXPECT_FALSE(damage.ok());
  EXPECT_EQ(damage.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(reader->Verify()->empty());
}

}  // namespace
}  // namespace dsi::test
