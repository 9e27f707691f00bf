// Folders and patterns of this machine. Links are followed where a name leads to them, not by "**"
// and not below a folder, where they may lead in circles.
#include <fnmatch.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/list_files_internal.h"

namespace dsi::internal {
namespace {

namespace fs = std::filesystem;

Status CannotList(const std::string& folder, const std::error_code& error) {
  const bool lacks_memory = error == std::errc::not_enough_memory;
  return Error(lacks_memory ? StatusCode::kResourceExhausted : StatusCode::kIo,
               "{}: cannot be listed: {}", folder, error.message());
}

std::vector<std::string> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool MatchesName(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

bool MatchesParts(std::span<const std::string> pattern, std::span<const std::string> path) {
  while (!pattern.empty() && pattern[0] != "**") {
    if (path.empty() || !MatchesName(pattern[0], path[0])) return false;
    pattern = pattern.subspan(1);
    path = path.subspan(1);
  }
  if (pattern.empty()) return path.empty();
  while (pattern.size() > 1 && pattern[1] == "**") pattern = pattern.subspan(1);
  for (;; path = path.subspan(1)) {
    if (MatchesParts(pattern.subspan(1), path)) return true;
    if (path.empty() || path[0].starts_with('.')) return false;
  }
}

// Goes down folder by folder, one part of the pattern at a time.
class PatternWalk {
 public:
  explicit PatternWalk(const std::string& pattern) : parts_(PartsOf(pattern)) {
    while (parts_.size() > 1 && parts_.back().empty()) parts_.pop_back();
    if (parts_.back() == "**") parts_.emplace_back("*.dsi");
  }

  Result<std::vector<std::string>> Run() {
    DSI_RETURN_IF_ERROR(Walk("", 0));
    return std::move(paths_);
  }

 private:
  bool IsLast(size_t part) const { return part + 1 == parts_.size(); }

  // `base` ends in a slash or is empty.
  Status Walk(const std::string& base, size_t part) {
    const std::string& name = parts_[part];
    if (name == "**" && parts_[part + 1] == "**") return Walk(base, part + 1);
    if (name == "**") {
      DSI_RETURN_IF_ERROR(Walk(base, part + 1));
      return ForEach(base, [&](const fs::directory_entry& entry, const std::string& found) {
        std::error_code error;
        const bool is_folder =
            !found.starts_with('.') && !entry.is_symlink(error) && entry.is_directory(error);
        return is_folder ? Walk(base + found + "/", part) : Status::Ok();
      });
    }
    if (!IsPattern(name)) return Step(base + name, part);
    return ForEach(base, [&](const fs::directory_entry&, const std::string& found) {
      return MatchesName(name, found) ? Step(base + found, part) : Status::Ok();
    });
  }

  Status Step(const std::string& path, size_t part) {
    std::error_code error;
    const auto status = fs::status(path.empty() ? "/" : path, error);
    if (IsLast(part)) {
      if (fs::is_regular_file(status)) paths_.push_back(path);
      return Status::Ok();
    }
    return fs::is_directory(status) ? Walk(path + "/", part + 1) : Status::Ok();
  }

  template <typename Visit>
  Status ForEach(const std::string& base, const Visit& visit) {
    const std::string folder = base.empty() ? "." : base;
    std::error_code error;
    fs::directory_iterator i(folder, error);
    if (error) return CannotList(folder, error);
    while (i != fs::directory_iterator()) {
      DSI_RETURN_IF_ERROR(visit(*i, i->path().filename().string()));
      i.increment(error);
      if (error) return CannotList(folder, error);
    }
    return Status::Ok();
  }

  std::vector<std::string> parts_;
  std::vector<std::string> paths_;
};

}  // namespace

bool MatchesPath(std::string_view pattern, std::string_view path) {
  return MatchesParts(PartsOf(pattern), PartsOf(path));
}

Result<std::vector<std::string>> ListFolder(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator i(folder, error);
  if (error) return CannotList(folder, error);
  while (i != fs::recursive_directory_iterator()) {
    const std::string name = i->path().filename().string();
    std::error_code ignored;  // What is gone meanwhile is no file.
    if (name.starts_with('.')) {
      i.disable_recursion_pending();
    } else if (IsListed(name) && i->is_regular_file(ignored)) {
      paths.push_back(i->path().string());
    }
    i.increment(error);
    if (error) return CannotList(folder, error);
  }
  return paths;
}

Result<std::vector<std::string>> ListPattern(const std::string& pattern) {
  return PatternWalk(pattern).Run();
}

}  // namespace dsi::internal
