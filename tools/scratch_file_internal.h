// A temporary file that never has a name, so that the system removes it however the process ends.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::tools {

class ScratchFile {
 public:
  // In `folder`; empty: where the system keeps temporary files ($TMPDIR, else /tmp).
  static Result<ScratchFile> Create(const std::string& folder);
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile();

  Status Append(std::string_view bytes);
  // Writes out what Append holds back.
  Status Flush();
  uint64_t size() const { return written_ + buffer_.size(); }
  // A path that opens the file anew while this object lives.
  std::string path() const;
  // All bytes, mapped; flushed first. Valid until the next Append.
  Result<std::string_view> Map();

 private:
  ScratchFile(internal::Descriptor fd, std::string folder)
      : fd_(std::move(fd)), folder_(std::move(folder)) {}
  void Unmap();

  internal::Descriptor fd_;
  std::string folder_;
  std::string buffer_;
  uint64_t written_ = 0;
  void* map_ = nullptr;
  size_t map_size_ = 0;
};

}  // namespace dsi::tools
