// A new folder that appears with all its files or not at all.
#pragma once

#include <string>
#include <utility>

#include "dsi/base/status.h"

namespace dsi::internal {

// Files are put into a hidden folder beside it, which gets its name at last. Destruction without
// Publish removes what is there. What a killed process left is called .NAME.PID-N, and nobody reads
// it: listings pass hidden folders over.
class ShardFolder {
 public:
  // kAlreadyExists: `folder`. kNotFound: the one around it. kIo.
  static Result<ShardFolder> Make(const std::string& folder);
  ShardFolder(ShardFolder&& other) noexcept
      : folder_(std::move(other.folder_)), hidden_(std::exchange(other.hidden_, {})) {}
  ShardFolder& operator=(ShardFolder&&) = delete;
  ~ShardFolder();

  std::string File(const std::string& name) const { return hidden_ + "/" + name; }
  Status Publish();

 private:
  ShardFolder(std::string folder, std::string hidden)
      : folder_(std::move(folder)), hidden_(std::move(hidden)) {}

  std::string folder_;
  std::string hidden_;  // Empty: nothing to remove.
};

}  // namespace dsi::internal
