// An owned file descriptor, and system errors as Statuses.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// Closes on destruction without looking at the result; Close is for those who must look.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      (void)Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { (void)Close(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

  // Returns 0 or an errno. Never repeated: Linux frees the number even when close fails, and by
  // then it may belong to another thread. For the same reason EINTR means closed.
  int Close() {
    const int fd = Release();
    if (fd < 0 || ::close(fd) == 0 || errno == EINTR) return 0;
    return errno;
  }

 private:
  int fd_ = -1;
};

// Opens relative to a folder, with O_CLOEXEC; on failure errno says why. EINTR is retried: file
// systems behind a network or a user process do answer it.
inline Descriptor OpenAt(int folder, const char* name, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::openat(folder, name, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return Descriptor(fd);
}

// Makes the names in an open folder durable. False, with errno; where a file system has nothing to
// sync in a folder, there is nothing to do.
inline bool SyncNames(const Descriptor& folder) {
  return ::fsync(folder.get()) == 0 || errno == EINVAL || errno == ENOTSUP;
}

// "path: doing: No space left on device (errno 28)".
inline Status SystemError(std::string_view path, std::string_view doing, int error) {
  StatusCode code = StatusCode::kIo;
  if (error == ENOENT || error == ENOTDIR) code = StatusCode::kNotFound;
  if (error == EEXIST) code = StatusCode::kAlreadyExists;
  return Error(code, "{}: {}: {} (errno {})", path, doing, std::generic_category().message(error),
               error);
}

// The system's calls end a path at the first NUL: "a\0.dsi" would quietly name another file.
inline Status CheckPath(std::string_view path) {
  if (path.empty()) return InvalidArgument("the path is empty");
  if (path.find('\0') != std::string_view::npos) {
    return InvalidArgument("{}: the path has a NUL byte in it", path.substr(0, path.find('\0')));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
