// Inputs that can be read but once (standard input, pipes, devices) are copied, since finding a
// schema takes a second look at the rows.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/scratch_file_internal.h"

namespace dsi::tools {

// False for "-", pipes, sockets and terminals, and for files of no size, as those of /proc are. A
// path that does not exist is the business of whoever opens it: true.
bool CanBeReadTwice(const std::string& path);

// Standard input, which other inputs take the place of one after another: a signal puts it at its
// end, so that nobody waits for ever for a silent pipe.
class StandardInput {
 public:
  // Remembers what standard input is now.
  StandardInput();
  // "-" and the names that the system has for it.
  static bool Is(const std::string& path);
  // Makes an input the standard input, waiting for whoever writes into it. A signal ends the
  // waiting.
  Status Become(const std::string& path);

 private:
  internal::Descriptor first_;
};

// All bytes of an input in a nameless file, packed with zstd where they are not compressed already.
class InputSpool {
 public:
  // Of standard input, which is called `name`, into `folder`; empty: the system's.
  static Result<InputSpool> Copy(const std::string& name, const std::string& folder,
                                 Progress* progress);

  // Opens the copy while this object lives.
  std::string path() const { return file_.path(); }
  // Of the input, as they came, and of the copy.
  uint64_t bytes_in() const { return bytes_in_; }
  uint64_t bytes_held() const { return file_.size(); }

 private:
  InputSpool(ScratchFile file, uint64_t bytes_in) : file_(std::move(file)), bytes_in_(bytes_in) {}

  ScratchFile file_;
  uint64_t bytes_in_;
};

}  // namespace dsi::tools
