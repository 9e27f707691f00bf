// Which files a name stands for (spec DS-002).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/open.h"

namespace dsi::internal {

// Has '*', '?' or '['.
bool IsPattern(std::string_view name);

// What is listed by folder or prefix: "*.dsi" without a hidden name on the way.
bool IsListed(std::string_view path_below);

// Whether a path is what a pattern stands for, part by part between slashes as fnmatch does it;
// "**" is any number of parts, none of them hidden.
bool MatchesPath(std::string_view pattern, std::string_view path);

// kInvalidArgument: an s3 or http(s) URL without a bucket or server, where what is looked for below
// it would become that.
Status CheckPlace(const std::string& where);

// Paths of the files that `where` stands for, ascending, each once. A file that is named itself is
// not looked at. kNotFound: no file is there; kIo; kInvalidArgument.
Result<std::vector<std::string>> ListFiles(const std::string& where, const OpenOptions& options);

// Those of a folder, or of a pattern, of this machine.
Result<std::vector<std::string>> ListFolder(const std::string& folder);
Result<std::vector<std::string>> ListPattern(const std::string& pattern);
// Those of an s3 or http(s) URL that ends in a slash, or of a pattern behind s3.
Result<std::vector<std::string>> ListS3(const std::string& where, const OpenOptions& options);
// Names of all objects below a prefix, from there.
Result<std::vector<std::string>> ListS3Below(const std::string& prefix, const OpenOptions& options);
Result<std::vector<std::string>> ListHttp(const std::string& where, const OpenOptions& options);
// Names of the files in one folder, as ListHttp finds them.
Result<std::vector<std::string>> ListHttpNames(const std::string& folder,
                                               const OpenOptions& options);

}  // namespace dsi::internal
