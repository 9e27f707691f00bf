#include "dsi/writer/spill/spill_file_internal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/base/xxh3_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/io/nameless_file_internal.h"

namespace dsi::internal {
namespace {

// Head: XXH3 of the rest with the offset as its seed, size of the bytes, size as they are stored.
constexpr size_t kHeadBytes = 16;
constexpr size_t kMostBytes = size_t{1} << 30;

uint64_t SealOf(std::span<const std::byte> block, uint64_t offset) {
  return Xxh3(block.data() + sizeof(uint64_t), block.size() - sizeof(uint64_t), offset);
}

// A block, but for its seal.
Status Pack(std::span<const std::byte> bytes, std::vector<std::byte>* block) {
  if (bytes.size() > kMostBytes) {
    return Error(StatusCode::kResourceExhausted,
                 "{} bytes of rows to spill at once, at most {} can be: raise the memory budget",
                 bytes.size(), kMostBytes);
  }
  block->assign(kHeadBytes, std::byte{0});
  const bool packed = FrameEncoder().Append(kLz4Codec, 0, false, bytes, block) &&
                      block->size() - kHeadBytes < bytes.size();
  if (!packed) {
    block->resize(kHeadBytes);
    block->insert(block->end(), bytes.begin(), bytes.end());
  }
  StoreLE(block->data() + 8, static_cast<uint32_t>(bytes.size()));
  StoreLE(block->data() + 12, static_cast<uint32_t>(block->size() - kHeadBytes));
  return Status::Ok();
}

}  // namespace

SpillFile::SpillFile(std::string folder)
    : folder_(folder.empty() ? TemporaryFolder() : std::move(folder)) {}

Status SpillFile::Open() {
  if (fd_.valid()) return Status::Ok();
  fd_ = OpenNameless(folder_);
  return fd_.valid() ? Status::Ok() : Failed("creating", errno);
}

Status SpillFile::Failed(std::string_view doing, int error) const {
  return Error(StatusCode::kIo,
               "spill folder {}: {} a temporary file: {} (errno {}); rows beyond the memory budget "
               "wait there: make room, choose another spill folder or raise the memory budget",
               folder_, doing, std::generic_category().message(error), error);
}

Result<uint64_t> SpillFile::Append(std::span<const std::byte> bytes) {
  DSI_RETURN_IF_ERROR(Pack(bytes, &block_));
  return Write(block_);
}

Result<std::vector<uint64_t>> SpillFile::AppendAll(std::span<const std::vector<std::byte>> blocks,
                                                   int threads) {
  std::vector<std::vector<std::byte>> packed(blocks.size());
  DSI_RETURN_IF_ERROR(ParallelFor(
      blocks.size(), threads, [&](size_t i) { return Pack(blocks[i], &packed[i]); },
      [] { return Status::Ok(); }));
  const uint64_t before = size_;
  std::vector<uint64_t> offsets(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    Result<uint64_t> offset = Write(packed[i]);
    if (!offset.ok()) {
      Truncate(before);
      return offset.status();
    }
    offsets[i] = *offset;
  }
  return offsets;
}

Result<uint64_t> SpillFile::Write(std::span<std::byte> block) {
  DSI_RETURN_IF_ERROR(Open());
  StoreLE(block.data(), SealOf(block, size_));
  for (size_t done = 0; done < block.size();) {
    const ssize_t n = ::pwrite(fd_.get(), block.data() + done, block.size() - done,
                               static_cast<off_t>(size_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed("writing", n < 0 ? errno : ENOSPC);
    done += static_cast<size_t>(n);
  }
  const uint64_t offset = size_;
  size_ += block.size();
  return offset;
}

Status SpillFile::ReadBytes(uint64_t offset, std::span<std::byte> bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pread(fd_.get(), bytes.data() + done, bytes.size() - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("reading", errno);
    if (n == 0) {
      return Corrupt("spill folder {}: a temporary file ends at {}, expected {} bytes more",
                     folder_, offset + done, bytes.size() - done);
    }
    done += static_cast<size_t>(n);
  }
  return Status::Ok();
}

Status SpillFile::Read(uint64_t offset, std::vector<std::byte>* bytes) const {
  const auto damaged = [&] {
    return Corrupt("spill folder {}: the block at {} of a temporary file is not what was written",
                   folder_, offset);
  };
  if (offset > size_ || size_ - offset < kHeadBytes) return damaged();
  stored_.resize(kHeadBytes);
  DSI_RETURN_IF_ERROR(ReadBytes(offset, stored_));
  const auto size = LoadLE<uint32_t>(stored_.data() + 8);
  const auto stored_size = LoadLE<uint32_t>(stored_.data() + 12);
  if (size > kMostBytes || stored_size > size || stored_size > size_ - offset - kHeadBytes)
    return damaged();
  stored_.resize(kHeadBytes + stored_size);
  const std::span<std::byte> payload = std::span(stored_).subspan(kHeadBytes);
  DSI_RETURN_IF_ERROR(ReadBytes(offset + kHeadBytes, payload));
  if (LoadLE<uint64_t>(stored_.data()) != SealOf(stored_, offset)) return damaged();
  if (stored_size == size) {
    bytes->assign(payload.begin(), payload.end());
    return Status::Ok();
  }
  bytes->resize(size);
  return DecodeLz4Block(payload, *bytes).ok() ? Status::Ok() : damaged();
}

}  // namespace dsi::internal
