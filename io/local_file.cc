// Local files for reading: pread, so that threads share a descriptor without sharing a position,
// and no mapping, so that a failing disk or a shortened file is a Status and never a signal. Of
// many ranges those that are not in the page cache are announced before any is waited for, which
// brings them as fast as io_uring would, and costs nothing where all are there.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/direct_reads_internal.h"
#include "dsi/io/file.h"
#include "dsi/io/idle_pool_internal.h"

namespace dsi {
namespace {

using internal::Descriptor;
using internal::Error;
using internal::InvalidArgument;
using internal::SystemError;

// Linux moves at most 2 GiB less a page in one call; asking for less keeps that limit out of sight.
constexpr size_t kMaxTransfer = size_t{1} << 30;

class LocalFile final : public RandomAccessFile {
 public:
  LocalFile(Descriptor fd, Descriptor direct, uint64_t size, std::string path)
      : fd_(std::move(fd)), direct_(std::move(direct)), size_(size), path_(std::move(path)) {}

  uint64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }

  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    const ReadRequest request{offset, dst};
    return ReadMany({&request, 1});
  }

  Status ReadMany(std::span<const ReadRequest> requests) const override try {
    for (const ReadRequest& request : requests) {
      if (request.offset <= size_ && request.dst.size() <= size_ - request.offset) continue;
      return Error(StatusCode::kTruncated, "{}: {} bytes wanted at offset {}, and the file has {}",
                   path_, request.dst.size(), request.offset, size_);
    }
    if (direct_.valid() && direct_works_.load(std::memory_order_relaxed)) {
      const Status status = ReadDirect(requests);
      if (status.code() != StatusCode::kUnsupported) return status;
      direct_works_.store(false, std::memory_order_relaxed);
    }
    if (requests.size() == 1) return ReadRest(requests[0], 0);
    return ReadCached(requests);
  } catch (const std::bad_alloc&) {
    return internal::OutOfMemory();
  }

 private:
  Status ReadDirect(std::span<const ReadRequest> requests) const {
    std::unique_ptr<internal::DirectReads> reads = direct_reads_.Take();
    if (reads == nullptr) reads = internal::DirectReads::Make();
    if (reads == nullptr) return internal::OutOfMemory();
    const Status status = reads->Read(direct_.get(), size_, path_, requests);
    if (status.ok()) direct_reads_.Give(std::move(reads));
    return status;
  }

  // What is in memory at once; of the rest the system is told before it is waited for.
  Status ReadCached(std::span<const ReadRequest> requests) const {
    std::vector<std::pair<const ReadRequest*, size_t>> rest;
    for (const ReadRequest& request : requests) {
      const size_t done = TakeCached(request);
      if (done < request.dst.size()) rest.emplace_back(&request, done);
    }
    for (const auto& [request, done] : rest) {
      (void)::posix_fadvise(fd_.get(), static_cast<off_t>(request->offset + done),
                            static_cast<off_t>(request->dst.size() - done), POSIX_FADV_WILLNEED);
    }
    for (const auto& [request, done] : rest) DSI_RETURN_IF_ERROR(ReadRest(*request, done));
    return Status::Ok();
  }

  // Bytes of a request that the page cache has. File systems that cannot tell have none.
  size_t TakeCached(const ReadRequest& request) const {
    const iovec memory{request.dst.data(), std::min(request.dst.size(), kMaxTransfer)};
    const ssize_t got =
        ::preadv2(fd_.get(), &memory, 1, static_cast<off_t>(request.offset), RWF_NOWAIT);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }

  Status ReadRest(const ReadRequest& request, size_t done) const {
    const std::span<std::byte> dst = request.dst;
    while (done < dst.size()) {
      // offset + done is below size_, which came from an off_t.
      const auto at = static_cast<off_t>(request.offset + done);
      const ssize_t got =
          ::pread(fd_.get(), dst.data() + done, std::min(dst.size() - done, kMaxTransfer), at);
      if (got > 0) {
        done += static_cast<size_t>(got);
      } else if (got == 0) {
        return Error(StatusCode::kTruncated,
                     "{}: the file ends at offset {} and had {} bytes when it was opened: it was "
                     "shortened meanwhile",
                     path_, at, size_);
      } else if (errno != EINTR) {
        const int error = errno;
        return SystemError(
            path_, fmt::format("reading {} bytes at offset {}", dst.size() - done, at), error);
      }
    }
    return Status::Ok();
  }

  Descriptor fd_;
  Descriptor direct_;  // For direct reads; else not valid.
  mutable std::atomic<bool> direct_works_ = true;
  mutable internal::IdlePool<internal::DirectReads> direct_reads_;
  uint64_t size_;
  std::string path_;
};

// The same file for direct reads, by its descriptor: the path may name another by now. Not valid:
// there are none.
Descriptor ReopenDirect(const Descriptor& fd) {
  const std::string name = fmt::format("/proc/self/fd/{}", fd.get());
  return internal::OpenAt(AT_FDCWD, name.c_str(), O_RDONLY | O_DIRECT | O_NOCTTY);
}

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenLocalFile(const std::string& path,
                                                        const LocalOptions& options) try {
  DSI_RETURN_IF_ERROR(internal::CheckPath(path));
  // Without O_NONBLOCK the open of a FIFO would wait for a writer; regular files ignore it.
  Descriptor fd = internal::OpenAt(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd.valid()) {
    // What a socket answers.
    if (errno == ENXIO) return InvalidArgument("{}: not a regular file", path);
    return SystemError(path, "opening for reading", errno);
  }
  // Size and kind come from the descriptor: the path may name something else by now.
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return SystemError(path, "asking for the size", errno);
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument("{}: {}", path,
                           S_ISDIR(info.st_mode) ? "a folder, not a file" : "not a regular file");
  }
  if (info.st_size < 0) return Error(StatusCode::kIo, "{}: size {}", path, info.st_size);
  Descriptor direct = options.direct ? ReopenDirect(fd) : Descriptor();
  return std::unique_ptr<RandomAccessFile>(std::make_unique<LocalFile>(
      std::move(fd), std::move(direct), static_cast<uint64_t>(info.st_size), path));
} catch (const std::bad_alloc&) {
  return internal::OutOfMemory();
}

}  // namespace dsi
