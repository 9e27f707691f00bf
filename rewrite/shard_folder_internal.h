// A new folder that appears with all its files or not at all.
#pragma once

#include <string>
#include <utility>

#include "dsi/base/status.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {

// Files are put into a hidden folder beside it, .NAME.PID-N, which gets its name at last.
// Destruction without Publish removes what is there. What a killed process left, nobody reads:
// listings pass hidden folders over, and the next Make of the same name removes it, where no
// process has that pid and nobody holds the folder's lock (flock), as of temporary files.
class ShardFolder {
 public:
  // kAlreadyExists: `folder`. kNotFound: the one around it. kIo.
  static Result<ShardFolder> Make(const std::string& folder);
  ShardFolder(ShardFolder&& other) noexcept
      : folder_(std::move(other.folder_)),
        hidden_(std::exchange(other.hidden_, {})),
        locked_(std::move(other.locked_)) {}
  ShardFolder& operator=(ShardFolder&&) = delete;
  ~ShardFolder();

  std::string File(const std::string& name) const { return hidden_ + "/" + name; }
  Status Publish();

 private:
  ShardFolder(std::string folder, std::string hidden, Descriptor locked)
      : folder_(std::move(folder)), hidden_(std::move(hidden)), locked_(std::move(locked)) {}

  std::string folder_;
  std::string hidden_;  // Empty: nothing to remove.
  Descriptor locked_;   // Of it.
};

}  // namespace dsi::internal
