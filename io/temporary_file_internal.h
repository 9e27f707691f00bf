// The file that a writer fills before Publish gives it its name, and those that dead writers left.
//
// A temporary file is called ".<name>.<pid>.<n>.tmp" and is locked (flock) while its writer has it
// open. Another writer of the same name removes it only when no process has that pid and nobody
// holds the lock: the pid alone says nothing in another container, the lock nothing on a file
// system that keeps locks per machine.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {

struct TemporaryFile {
  Descriptor fd;
  std::string name;  // Within its folder.
  dev_t device = 0;
  ino_t inode = 0;
};

// Returns the part of a temporary name that comes from the final name: all of it, or as many whole
// UTF-8 characters as leave room for the rest within name_limit bytes.
std::string TemporaryStem(std::string_view final_name, size_t name_limit);

// Creates a temporary file for `final_name` in an open folder. `path` is for messages.
Result<TemporaryFile> CreateTemporaryFile(int folder, std::string_view final_name,
                                          std::string_view path);

// Removes what dead writers of `final_name` left in an open folder. Looks at a bounded number of
// names and ignores every failure: it is housekeeping, never a reason not to write.
void RemoveStaleTemporaryFiles(int folder, std::string_view final_name);

}  // namespace dsi::internal
