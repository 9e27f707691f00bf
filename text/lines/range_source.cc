// A file behind a URL, from front to back.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/io/open.h"
#include "dsi/text/lines/byte_source_internal.h"

namespace dsi::internal {
namespace {

// Asked for in one step, so that latency is a small part of the time.
constexpr size_t kStepBytes = 8 << 20;

class RangeSource : public ByteSource {
 public:
  explicit RangeSource(std::unique_ptr<RandomAccessFile> file) : file_(std::move(file)) {}

  Result<size_t> Read(std::span<char> dst) override {
    if (at_ == block_.size()) DSI_RETURN_IF_ERROR(ReadStep());
    const size_t count = std::min(dst.size(), block_.size() - at_);
    std::memcpy(dst.data(), block_.data() + at_, count);
    at_ += count;
    return count;
  }

  uint64_t bytes_done() const override { return end_ - (block_.size() - at_); }
  uint64_t bytes_total() const override { return file_->size(); }
  bool is_ready() const override { return true; }

 private:
  Status ReadStep() {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kStepBytes, file_->size() - end_));
    at_ = 0;
    block_.resize(count);
    if (count == 0) return Status::Ok();
    if (Status status = file_->ReadAt(end_, block_); !status.ok()) {
      block_.clear();
      return status;
    }
    end_ += count;
    return Status::Ok();
  }

  std::unique_ptr<RandomAccessFile> file_;
  std::vector<std::byte> block_;  // The bytes of the file before end_.
  size_t at_ = 0;                 // Of the block: what is handed out next.
  uint64_t end_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenRangeSource(const std::string& uri) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenUri(uri));
  return std::unique_ptr<ByteSource>(std::make_unique<RangeSource>(std::move(file)));
}

}  // namespace dsi::internal
