// Temporary files that no name leads to, so that the system removes them however the process ends.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/file.h"

namespace dsi::internal {

// $TMPDIR, else /tmp.
std::string TemporaryFolder();

// Not valid: errno says why.
Descriptor OpenNameless(const std::string& folder);

// A file of the library that only this process reads, while the object lives.
class NamelessFile {
 public:
  // `folder`: empty: TemporaryFolder. kIo, kNotFound.
  static Result<NamelessFile> Create(const std::string& folder);
  // Writes it, once; the object must outlive the writing.
  std::unique_ptr<WritableFile> Write() const;
  // Opens it anew, once it is published.
  std::string path() const;

 private:
  NamelessFile(Descriptor fd, std::string folder)
      : fd_(std::move(fd)), folder_(std::move(folder)) {}

  Descriptor fd_;
  std::string folder_;
};

}  // namespace dsi::internal
