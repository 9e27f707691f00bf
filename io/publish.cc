// Local files for writing. Only two facts about file systems are relied on: data is on disk after
// fsync of the file, and its name is after fsync of the folder. Everything fails closed: after the
// first failure the temporary file is gone and every later call returns that failure.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/file.h"
#include "dsi/io/temporary_file_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi {
namespace {

using internal::Descriptor;
using internal::Error;
using internal::InvalidArgument;
using internal::SystemError;

constexpr size_t kBufferSize = size_t{1} << 20;
// Linux moves at most 2 GiB less a page in one call; asking for less keeps that limit out of sight.
constexpr size_t kMaxTransfer = size_t{1} << 30;

class LocalWritableFile final : public WritableFile {
 public:
  LocalWritableFile(std::string path, const CreateOptions& options)
      : path_(std::move(path)), overwrite_(options.overwrite) {}
  ~LocalWritableFile() override { Discard(); }

  const std::string& name() const override { return path_; }

  // Everything that can fail before the first byte; once, right after construction.
  Status Start();

  Status Append(std::span<const std::byte> bytes) override try {
    DSI_RETURN_IF_ERROR(CheckOpen());
    return Settle(AppendBuffered(bytes));
  } catch (const std::bad_alloc&) {
    return Settle(internal::OutOfMemory());
  }

  Status Publish() override try {
    DSI_RETURN_IF_ERROR(CheckOpen());
    Status status = Settle(PublishOnce());
    published_ = status.ok();
    return status;
  } catch (const std::bad_alloc&) {
    return Settle(internal::OutOfMemory());
  }

 private:
  Status CheckOpen() const;
  Status CheckTarget() const;
  void KeepMode();
  Status AppendBuffered(std::span<const std::byte> bytes);
  Status WriteAll(std::span<const std::byte> bytes);
  Status PublishOnce();
  Status CheckTemporary() const;
  Status GiveName();
  Status LinkAndUnlink();
  Status SyncFolder();

  // Remembers the first failure and cleans up after it.
  Status Settle(Status status) {
    if (!status.ok()) {
      Discard();
      failure_ = status;
    }
    return status;
  }

  void Discard() noexcept {
    temporary_.fd = Descriptor();
    // A fork has copied this object; the file is still its parent's.
    if (has_temporary_ && ::getpid() == owner_) {
      int result = 0;
      do {
        result = ::unlinkat(folder_.get(), temporary_.name.c_str(), 0);
      } while (result != 0 && errno == EINTR);
    }
    has_temporary_ = false;
    folder_ = Descriptor();
    buffer_.reset();
  }

  const std::string path_;
  const bool overwrite_;
  const pid_t owner_ = ::getpid();
  std::string final_name_;  // Within the folder.
  Descriptor folder_;       // Held open, so that a change of the working folder changes nothing.
  internal::TemporaryFile temporary_;
  bool has_temporary_ = false;  // A name in the folder is ours to remove.
  bool published_ = false;
  Status failure_;
  std::unique_ptr<std::byte[]> buffer_;
  size_t buffered_ = 0;
  uint64_t written_ = 0;  // Bytes that the system has taken.
};

Status LocalWritableFile::Start() {
  DSI_RETURN_IF_ERROR(internal::CheckPath(path_));
  if (!internal::SchemeOf(path_).empty()) {
    return InvalidArgument("{}: files are written to local paths only (\"./{}\" would be one)",
                           internal::WithoutSecrets(path_), internal::WithoutSecrets(path_));
  }
  const size_t slash = path_.rfind('/');
  final_name_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  if (final_name_.empty()) return InvalidArgument("{}: a folder, not a file", path_);
  // The slash stays: it is all there is of the path of the root.
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);

  buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBufferSize);
  folder_ = internal::OpenAt(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (!folder_.valid()) {
    return SystemError(path_, fmt::format("opening the folder {}", folder), errno);
  }
  DSI_RETURN_IF_ERROR(CheckTarget());
  internal::RemoveStaleTemporaryFiles(folder_.get(), final_name_);
  DSI_ASSIGN_OR_RETURN(temporary_,
                       internal::CreateTemporaryFile(folder_.get(), final_name_, path_));
  has_temporary_ = true;
  KeepMode();
  return Status::Ok();
}

// What replaces a file may be read and written by whom that was, as far as the system lets us.
void LocalWritableFile::KeepMode() {
  struct stat old {};
  if (!overwrite_ || ::fstatat(folder_.get(), final_name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (!S_ISREG(old.st_mode)) return;
  const int fd = temporary_.fd.get();
  struct stat now {};
  if (::fchown(fd, old.st_uid, old.st_gid) != 0)
    (void)!::fchown(fd, static_cast<uid_t>(-1), old.st_gid);
  if (::fstat(fd, &now) != 0) return;
  constexpr const char* kAcl = "system.posix_acl_access";
  std::array<char, 4096> acl;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder_.get(), final_name_);
  const ssize_t acl_size = ::lgetxattr(path.c_str(), kAcl, acl.data(), acl.size());
  const bool has_acl = acl_size > 0 || (acl_size < 0 && errno == ERANGE);
  mode_t mode = old.st_mode & 0777;
  // Another group gets no more than everybody; beside an access control list the group's bits are
  // not the group's.
  const bool is_same_group = now.st_gid == old.st_gid;
  (void)::fremovexattr(fd, kAcl);  // That of the folder.
  if (!is_same_group || has_acl) mode = (mode & 0707) | (mode & 07) << 3;
  (void)::fchmod(fd, mode);
  if (is_same_group && acl_size > 0)
    (void)!::fsetxattr(fd, kAcl, acl.data(), static_cast<size_t>(acl_size), 0);
}

// Refuses targets that a rename would destroy or cannot replace. rename would happily replace
// /dev/null, or the link /dev/stdout, by a file.
Status LocalWritableFile::CheckTarget() const {
  struct stat info {};
  if (::fstatat(folder_.get(), final_name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return Status::Ok();
    return SystemError(path_, "looking for an existing file", errno);
  }
  if (S_ISDIR(info.st_mode)) return InvalidArgument("{}: a folder, not a file", path_);
  if (!overwrite_) {
    return Error(StatusCode::kAlreadyExists, "{}: exists, and replacing it was not asked for",
                 path_);
  }
  // A link to a regular file, or to nothing, is replaced; what it points to stays.
  if (S_ISLNK(info.st_mode) && ::fstatat(folder_.get(), final_name_.c_str(), &info, 0) != 0) {
    if (errno == ENOENT) return Status::Ok();
    return SystemError(path_, "following the link of this name", errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument("{}: not a regular file, and will not be replaced by one", path_);
  }
  return Status::Ok();
}

Status LocalWritableFile::CheckOpen() const {
  if (!failure_.ok()) return failure_.At("an earlier call failed");
  if (published_) return InvalidArgument("{}: already published", path_);
  if (::getpid() != owner_) {
    return InvalidArgument("{}: belongs to process {}; this is a fork of it", path_, owner_);
  }
  return Status::Ok();
}

Status LocalWritableFile::AppendBuffered(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Status::Ok();
  if (bytes.size() > kBufferSize - buffered_) {
    DSI_RETURN_IF_ERROR(WriteAll({buffer_.get(), buffered_}));
    buffered_ = 0;
    if (bytes.size() >= kBufferSize) return WriteAll(bytes);
  }
  std::memcpy(buffer_.get() + buffered_, bytes.data(), bytes.size());
  buffered_ += bytes.size();
  return Status::Ok();
}

Status LocalWritableFile::WriteAll(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t taken =
        ::write(temporary_.fd.get(), bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (taken > 0) {
      written_ += static_cast<uint64_t>(taken);
      bytes = bytes.subspan(static_cast<size_t>(taken));
    } else if (taken == 0) {
      return Error(StatusCode::kIo, "{}: the system took none of {} bytes at offset {}", path_,
                   bytes.size(), written_);
    } else if (errno != EINTR) {
      const int error = errno;
      return SystemError(
          path_, fmt::format("writing {} bytes at offset {}", bytes.size(), written_), error);
    }
  }
  return Status::Ok();
}

Status LocalWritableFile::PublishOnce() {
  DSI_RETURN_IF_ERROR(WriteAll({buffer_.get(), buffered_}));
  // Once, whatever it says: Linux reports a lost write to one fsync and forgets it, so a second
  // fsync could succeed over missing data. That holds for EINTR too, which can hide such a report.
  if (::fsync(temporary_.fd.get()) != 0) {
    return SystemError(path_, "making the data durable (fsync)", errno);
  }
  if (const int error = temporary_.fd.Close(); error != 0) {
    return SystemError(path_, "closing the temporary file", error);
  }
  DSI_RETURN_IF_ERROR(CheckTemporary());
  DSI_RETURN_IF_ERROR(GiveName());
  has_temporary_ = false;
  DSI_RETURN_IF_ERROR(SyncFolder());
  folder_ = Descriptor();
  buffer_.reset();
  return Status::Ok();
}

// The name must still be that of the file that was written, and all of it must be there: someone
// may have removed, replaced or cut it.
Status LocalWritableFile::CheckTemporary() const {
  struct stat info {};
  if (::fstatat(folder_.get(), temporary_.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return SystemError(path_, fmt::format("looking at the temporary file {}", temporary_.name),
                       errno);
  }
  if (info.st_dev != temporary_.device || info.st_ino != temporary_.inode) {
    return Error(StatusCode::kIo, "{}: the temporary file {} was replaced by someone", path_,
                 temporary_.name);
  }
  if (info.st_size < 0 || static_cast<uint64_t>(info.st_size) != written_) {
    return Error(StatusCode::kIo, "{}: the temporary file {} has {} bytes, and {} were written",
                 path_, temporary_.name, info.st_size, written_);
  }
  return Status::Ok();
}

Status LocalWritableFile::GiveName() {
  const int folder = folder_.get();
  const char* from = temporary_.name.c_str();
  const char* to = final_name_.c_str();
  if (overwrite_) {
    if (::renameat(folder, from, folder, to) == 0) return Status::Ok();
    return SystemError(path_, "renaming the temporary file", errno);
  }
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return Status::Ok();
  // Not every file system knows the flag, nor every sandbox the call.
  if (errno == EINVAL || errno == ENOSYS) return LinkAndUnlink();
  return SystemError(path_, "renaming the temporary file", errno);
}

Status LocalWritableFile::LinkAndUnlink() {
  const int folder = folder_.get();
  if (::linkat(folder, temporary_.name.c_str(), folder, final_name_.c_str(), 0) != 0) {
    return SystemError(path_, "linking the temporary file", errno);
  }
  if (::unlinkat(folder, temporary_.name.c_str(), 0) != 0) {
    return SystemError(path_, "the file is in place; removing its temporary name", errno);
  }
  return Status::Ok();
}

Status LocalWritableFile::SyncFolder() {
  if (internal::SyncNames(folder_)) return Status::Ok();
  return SystemError(path_, "the file is in place; making its name durable (fsync of the folder)",
                     errno);
}

}  // namespace

Result<std::unique_ptr<WritableFile>> CreateLocalFile(const std::string& path,
                                                      const CreateOptions& options) try {
  auto file = std::make_unique<LocalWritableFile>(path, options);
  DSI_RETURN_IF_ERROR(file->Start());
  return std::unique_ptr<WritableFile>(std::move(file));
} catch (const std::bad_alloc&) {
  return internal::OutOfMemory();
}

}  // namespace dsi
