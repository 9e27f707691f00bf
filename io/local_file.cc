// Local files for reading: pread, so that threads share a descriptor without sharing a position,
// and no mapping, so that a failing disk or a shortened file is a Status and never a signal.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/file.h"

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
  LocalFile(Descriptor fd, uint64_t size, std::string path)
      : fd_(std::move(fd)), size_(size), path_(std::move(path)) {}

  uint64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }

  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override try {
    if (offset > size_ || dst.size() > size_ - offset) {
      return Error(StatusCode::kTruncated, "{}: {} bytes wanted at offset {}, and the file has {}",
                   path_, dst.size(), offset, size_);
    }
    size_t done = 0;
    while (done < dst.size()) {
      // offset + done is below size_, which came from an off_t.
      const auto at = static_cast<off_t>(offset + done);
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
  } catch (const std::bad_alloc&) {
    return internal::OutOfMemory();
  }

 private:
  Descriptor fd_;
  uint64_t size_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenLocalFile(const std::string& path,
                                                        const LocalOptions&) try {
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
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<LocalFile>(std::move(fd), static_cast<uint64_t>(info.st_size), path));
} catch (const std::bad_alloc&) {
  return internal::OutOfMemory();
}

}  // namespace dsi
