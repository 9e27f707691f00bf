#include "dsi/io/temporary_file_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/parse_whole_internal.h"

namespace dsi::internal {
namespace {

constexpr std::string_view kSuffix = ".tmp";
// Two dots, two numbers of up to ten digits, the leading dot and the suffix, with room to spare.
constexpr size_t kNameOverhead = 32;
constexpr size_t kUsualNameLimit = 255;
// Reached only when that many leftovers cannot be removed.
constexpr int kMaxAttempts = 1000;
// Keeps the search below a few milliseconds in folders that hold very many files.
constexpr int kMaxNamesSearched = 4096;

size_t NameLimit(int folder) {
  const long limit = ::fpathconf(folder, _PC_NAME_MAX);
  if (limit <= 0) return kUsualNameLimit;
  return std::min(static_cast<size_t>(limit), kUsualNameLimit);
}

// Moves a descriptor off 0, 1 and 2: a program that runs with those closed would otherwise print
// its messages into the file.
Descriptor AboveStandardStreams(Descriptor fd) {
  if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
  return Descriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

enum class Lock { kHeld, kTaken, kUnavailable };

Lock TryLock(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return Lock::kHeld;
  return errno == EWOULDBLOCK ? Lock::kTaken : Lock::kUnavailable;
}

// The pid in a temporary name of this stem; none if the name is something else.
std::optional<pid_t> OwnerOf(std::string_view name, std::string_view stem) {
  std::string prefix(1, '.');
  prefix.append(stem).append(1, '.');
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.size() <= kSuffix.size()) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  pid_t pid = 0;
  unsigned counter = 0;
  if (!ParseWhole(name.substr(0, dot), &pid) || !ParseWhole(name.substr(dot + 1), &counter)) {
    return std::nullopt;
  }
  return pid > 0 ? std::optional(pid) : std::nullopt;
}

void RemoveIfAbandoned(int folder, const char* name, pid_t owner) {
  // Signal 0 is not sent; it asks whether the process exists.
  if (::kill(owner, 0) == 0 || errno != ESRCH) return;
  const Descriptor fd = OpenAt(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (TryLock(fd.get()) == Lock::kHeld) (void)::unlinkat(folder, name, 0);
}

}  // namespace

std::string TemporaryStem(std::string_view final_name, size_t name_limit) {
  size_t size = std::min(final_name.size(), name_limit - std::min(name_limit, kNameOverhead));
  const auto continues = [&](size_t i) {
    return (static_cast<unsigned char>(final_name[i]) & 0xC0u) == 0x80u;
  };
  if (size < final_name.size()) {
    // A cut character is no longer UTF-8, which some file systems refuse.
    while (size > 0 && continues(size)) --size;
  }
  return std::string(final_name.substr(0, size));
}

Result<TemporaryFile> CreateTemporaryFile(int folder, std::string_view final_name,
                                          std::string_view path) {
  const std::string stem = TemporaryStem(final_name, NameLimit(folder));
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    TemporaryFile file;
    file.name = fmt::format(".{}.{}.{}{}", stem, ::getpid(), attempt, kSuffix);
    // Created with 0666, so that the kernel takes off the umask: reading the umask would mean
    // changing it for the whole process.
    file.fd = OpenAt(folder, file.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (!file.fd.valid()) {
      if (errno == EEXIST) continue;
      return SystemError(path, fmt::format("creating the temporary file {}", file.name), errno);
    }
    file.fd = AboveStandardStreams(std::move(file.fd));
    // A cleaner may have come between open and lock. It then holds the lock, or has removed the
    // name already; either way this file is lost and the next name is tried.
    if (file.fd.valid() && TryLock(file.fd.get()) == Lock::kTaken) continue;
    struct stat info {};
    if (!file.fd.valid() || ::fstat(file.fd.get(), &info) != 0) {
      const int error = errno;
      (void)::unlinkat(folder, file.name.c_str(), 0);
      return SystemError(path, "preparing the temporary file", error);
    }
    if (info.st_nlink == 0) continue;
    file.device = info.st_dev;
    file.inode = info.st_ino;
    return file;
  }
  return Error(StatusCode::kIo, "{}: {} temporary files are in the way in its folder", path,
               kMaxAttempts);
}

void RemoveStaleTemporaryFiles(int folder, std::string_view final_name) {
  const std::string stem = TemporaryStem(final_name, NameLimit(folder));
  // A descriptor of its own: reading a folder moves the position in it.
  Descriptor listing = OpenAt(folder, ".", O_RDONLY | O_DIRECTORY);
  if (!listing.valid()) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(listing.get()), &::closedir);
  if (entries == nullptr) return;
  (void)listing.Release();  // closedir closes it.
  for (int i = 0; i < kMaxNamesSearched; ++i) {
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    if (const auto owner = OwnerOf(entry->d_name, stem)) {
      RemoveIfAbandoned(folder, entry->d_name, *owner);
    }
  }
}

}  // namespace dsi::internal
