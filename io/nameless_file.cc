#include "dsi/io/nameless_file_internal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

namespace dsi::internal {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

class NamelessWriter final : public WritableFile {
 public:
  NamelessWriter(int fd, std::string folder) : fd_(fd), name_(std::move(folder)) {}

  Status Append(std::span<const std::byte> bytes) override {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return buffer_.size() < kBufferBytes ? Status::Ok() : Flush();
  }
  Status Publish() override { return Flush(); }
  const std::string& name() const override { return name_; }

 private:
  Status Flush() {
    for (size_t done = 0; done < buffer_.size();) {
      const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return SystemError(name_, "writing a temporary file", errno);
      done += static_cast<size_t>(n);
    }
    buffer_.clear();
    return Status::Ok();
  }

  int fd_;
  std::string name_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Descriptor OpenNameless(const std::string& folder) {
  Descriptor fd = OpenAt(AT_FDCWD, folder.c_str(), O_TMPFILE | O_RDWR, 0600);
  if (!fd.valid() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // File systems without nameless files: the name lives for a moment.
    std::string name = folder + "/.dsi.spill.XXXXXX";
    fd = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (fd.valid()) ::unlink(name.c_str());
  }
  return fd;
}

Result<NamelessFile> NamelessFile::Create(const std::string& folder) {
  std::string place = folder.empty() ? TemporaryFolder() : folder;
  Descriptor fd = OpenNameless(place);
  if (!fd.valid()) return SystemError(place, "creating a temporary file", errno);
  return NamelessFile(std::move(fd), std::move(place));
}

std::unique_ptr<WritableFile> NamelessFile::Write() const {
  return std::make_unique<NamelessWriter>(fd_.get(), folder_);
}

std::string NamelessFile::path() const { return fmt::format("/proc/self/fd/{}", fd_.get()); }

}  // namespace dsi::internal
