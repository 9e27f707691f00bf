#include "dsi/tools/scratch_file_internal.h"

#include "dsi/io/nameless_file_internal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace dsi::tools {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

}  // namespace

Result<ScratchFile> ScratchFile::Create(const std::string& folder) {
  std::string place = folder.empty() ? internal::TemporaryFolder() : folder;
  internal::Descriptor fd = internal::OpenNameless(place);
  if (!fd.valid()) return internal::SystemError(place, "cannot create a temporary file", errno);
  return ScratchFile(std::move(fd), std::move(place));
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      folder_(std::move(other.folder_)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_),
      map_(std::exchange(other.map_, nullptr)),
      map_size_(std::exchange(other.map_size_, 0)) {}

ScratchFile::~ScratchFile() { Unmap(); }

Status ScratchFile::Append(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() < kBufferBytes ? Status::Ok() : Flush();
}

Status ScratchFile::Flush() {
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t n = write(fd_.get(), buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return internal::SystemError(folder_, "cannot write a temporary file", errno);
    done += static_cast<size_t>(n);
  }
  written_ += buffer_.size();
  buffer_.clear();
  return Status::Ok();
}

std::string ScratchFile::path() const { return fmt::format("/proc/self/fd/{}", fd_.get()); }

Result<std::string_view> ScratchFile::Map() {
  DSI_RETURN_IF_ERROR(Flush());
  Unmap();
  if (written_ == 0) return std::string_view();
  void* map = mmap(nullptr, written_, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (map == MAP_FAILED)
    return internal::SystemError(folder_, "cannot map a temporary file", errno);
  map_ = map;
  map_size_ = written_;
  return std::string_view(static_cast<const char*>(map_), map_size_);
}

void ScratchFile::Unmap() {
  if (map_ != nullptr) munmap(map_, map_size_);
  map_ = nullptr;
}

}  // namespace dsi::tools
