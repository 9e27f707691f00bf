#include "dsi/text/text_paths.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/text/lines/text_files_internal.h"

namespace dsi {
namespace {

namespace fs = std::filesystem;

bool IsDsi(const std::string& name) { return internal::NameOfPath(name).ends_with(".dsi"); }

// Whether a file that nobody named is one of the texts, when they are of that format.
bool IsText(const std::string& name, TextFormat format) {
  // What jobs leave beside their output: "_SUCCESS", "_metadata".
  if (name.starts_with('.') || name.starts_with('_')) return false;
  const TextFormat found = internal::FormatOfName(name);
  if (format == TextFormat::kFromName) return found != format;
  return found == format || (found == TextFormat::kFromName && !IsDsi(name));
}

Result<std::vector<std::string>> ListFolder(const std::string& folder, TextFormat format) {
  std::vector<std::string> paths;
  bool has_dsi = false;
  std::error_code error;
  fs::recursive_directory_iterator i(folder, error);
  for (; !error && i != fs::recursive_directory_iterator(); i.increment(error)) {
    const std::string name = i->path().filename().string();
    std::error_code ignored;  // What is gone meanwhile is no file.
    if (name.starts_with('.')) {
      i.disable_recursion_pending();
    } else if (i->is_regular_file(ignored) && IsText(name, format)) {
      paths.push_back(i->path().string());
    }
    has_dsi = has_dsi || IsDsi(name);
  }
  if (error) return internal::SystemError(folder, "cannot be listed", error.value());
  if (!paths.empty()) return paths;
  return internal::Error(StatusCode::kNotFound, "{}: no {} in this folder{}", folder,
                         format != TextFormat::kFromName
                             ? "files of this format"
                             : "files whose names tell that they are texts (.jsonl, .csv, .tsv, …)",
                         has_dsi ? ", but .dsi files" : "");
}

Result<std::vector<std::string>> ListPattern(std::string pattern, TextFormat format) {
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.pop_back();
  // Named by a pattern of its own, a file is what it is; "**" alone names folders.
  const bool folders = pattern == "**" || pattern.ends_with("/**");
  DSI_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                       internal::ListPattern(folders ? pattern + "/*" : pattern));
  if (folders) {
    std::erase_if(paths, [&](const std::string& path) {
      return !IsText(fs::path(path).filename().string(), format);
    });
  }
  if (!paths.empty()) return paths;
  return internal::Error(StatusCode::kNotFound, "{}: no file has such a name", pattern);
}

// Behind a URL that ends in a slash, or of a pattern behind s3.
Result<std::vector<std::string>> ListUrl(const std::string& where, TextFormat format) {
  const std::string scheme = internal::SchemeOf(where);
  if (scheme == "s3" && internal::IsPattern(where)) {
    DSI_ASSIGN_OR_RETURN(std::vector<std::string> paths, internal::ListS3(where, {}));
    if (!paths.empty()) return paths;
    return internal::Error(StatusCode::kNotFound, "{}: no object has such a name", where);
  }
  if (!where.ends_with('/') || scheme == "file") return std::vector<std::string>{where};
  DSI_ASSIGN_OR_RETURN(std::vector<std::string> names, scheme == "s3"
                                                           ? internal::ListS3Below(where, {})
                                                           : internal::ListHttpNames(where, {}));
  std::erase_if(names, [&](const std::string& name) {
    return !IsText(fs::path(name).filename().string(), format);
  });
  for (std::string& name : names) name = where + name;
  if (!names.empty()) return names;
  return internal::Error(StatusCode::kNotFound, "{}: no texts below it", where);
}

Result<std::vector<std::string>> ListOne(const std::string& argument, TextFormat format) {
  if (argument == "-") return std::vector<std::string>{argument};
  if (!internal::SchemeOf(argument).empty()) return ListUrl(argument, format);
  std::error_code error;
  const auto status = fs::status(argument, error);
  if (fs::is_directory(status)) return ListFolder(argument, format);
  if (!fs::exists(status) && internal::IsPattern(argument)) return ListPattern(argument, format);
  return std::vector<std::string>{argument};
}

Result<std::vector<std::string>> ListAll(const std::vector<std::string>& arguments,
                                         TextFormat format) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (const std::string& argument : arguments) {
    DSI_ASSIGN_OR_RETURN(std::vector<std::string> paths, ListOne(argument, format));
    std::sort(paths.begin(), paths.end());
    for (std::string& path : paths) {
      if (!seen.insert(fs::path(path).lexically_normal().string()).second) {
        return internal::InvalidArgument("{}: named twice, and its rows would be too", path);
      }
      all.push_back(std::move(path));
    }
  }
  return all;
}

}  // namespace

Result<std::vector<std::string>> ListTexts(const std::vector<std::string>& arguments,
                                           TextFormat format) {
  return internal::NoThrow([&] { return ListAll(arguments, format); });
}

}  // namespace dsi
