#include "dsi/writer/spill/record_list_internal.h"

#include <span>
#include <utility>

namespace dsi::internal {
namespace {

constexpr uint64_t kBlockRecords = 4'096;

}  // namespace

RecordList::RecordList(uint32_t width, uint64_t memory_bytes, std::string folder)
    : width_(width), memory_bytes_(memory_bytes), file_(std::move(folder)) {}

Status RecordList::Append(const std::byte* record) {
  held_.insert(held_.end(), record, record + width_);
  ++size_;
  const uint64_t block_bytes = kBlockRecords * width_;
  if (held_.size() < block_bytes || (blocks_.empty() && held_.size() < memory_bytes_))
    return Status::Ok();
  return SpillBlocks();
}

Status RecordList::SpillBlocks() {
  const size_t block_bytes = kBlockRecords * width_;
  size_t done = 0;
  for (; held_.size() - done >= block_bytes; done += block_bytes) {
    DSI_ASSIGN_OR_RETURN(const uint64_t offset,
                         file_.Append(std::span(held_).subspan(done, block_bytes)));
    blocks_.push_back(offset);
  }
  // What is left is less than a block, in memory of its size.
  held_ = std::vector<std::byte>(held_.begin() + static_cast<std::ptrdiff_t>(done), held_.end());
  return Status::Ok();
}

Result<const std::byte*> RecordList::At(uint64_t i) const {
  const uint64_t block = i / kBlockRecords;
  if (block >= blocks_.size()) return held_.data() + (i - blocks_.size() * kBlockRecords) * width_;
  if (loaded_ != block) {
    loaded_ = UINT64_MAX;
    DSI_RETURN_IF_ERROR(file_.Read(blocks_[block], &block_));
    loaded_ = block;
  }
  return block_.data() + i % kBlockRecords * width_;
}

}  // namespace dsi::internal
