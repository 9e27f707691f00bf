#include "dsi/dataset/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_members_internal.h"
#include "dsi/base/json_text_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr size_t kMaxLineBytes = size_t{64} << 20;

using Columns = std::vector<std::string>;

Result<Columns> ReadLine(std::string_view line, simdjson::dom::parser* parser) {
  DSI_ASSIGN_OR_RETURN(const auto root,
                       internal::ParseJson(line, kMaxLineBytes, "line of an access log", parser));
  Columns columns;
  DSI_RETURN_IF_ERROR(internal::ReadMembers(root, [&](std::string_view name, auto value) -> Status {
    // Others may say more of their jobs.
    return name == "features" ? internal::ReadStrings(name, value, &columns) : Status::Ok();
  }));
  if (columns.empty()) return internal::BadInput("no \"features\", or none in them");
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

Status AppendAccess(const std::string& path, std::span<const std::string> columns) {
  return internal::NoThrow([&]() -> Status {
    DSI_RETURN_IF_ERROR(internal::CheckPath(path));
    std::string line = "{\"features\": [";
    for (const std::string& column : columns) {
      if (&column != columns.data()) line += ", ";
      internal::AppendJsonString(column, &line);
    }
    line += fmt::format("], \"time\": {}}}\n", std::time(nullptr));
    const internal::Descriptor log =
        internal::OpenAt(AT_FDCWD, path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY, 0666);
    if (!log.valid()) return internal::SystemError(path, "opening the access log", errno);
    const ssize_t written = ::write(log.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return Status::Ok();
    return internal::SystemError(path, "adding to the access log", written < 0 ? errno : ENOSPC);
  });
}

Result<std::vector<FeatureUse>> ReadAccessLog(const std::string& path) {
  return internal::NoThrow([&]() -> Result<std::vector<FeatureUse>> {
    DSI_ASSIGN_OR_RETURN(const std::string text, internal::ReadTextFile(path, kMaxBytes));
    if (text.size() > kMaxBytes)
      return internal::Error(StatusCode::kResourceExhausted,
                             "{}: an access log of more than {} bytes; the newest lines will do",
                             path, kMaxBytes);
    std::map<Columns, uint64_t> uses;
    simdjson::dom::parser parser;
    std::string_view rest = text;
    for (size_t number = 1;; ++number) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos) break;
      auto columns = ReadLine(rest.substr(0, end), &parser);
      if (!columns.ok()) return columns.status().At(fmt::format("{}: line {}", path, number));
      ++uses[*std::move(columns)];
      rest.remove_prefix(end + 1);
    }
    std::vector<FeatureUse> found;
    for (const auto& [columns, times] : uses) found.push_back({columns, times});
    std::stable_sort(found.begin(), found.end(),
                     [](const FeatureUse& a, const FeatureUse& b) { return a.times > b.times; });
    return found;
  });
}

}  // namespace dsi
