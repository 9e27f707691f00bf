#include "dsi/base/json_members_internal.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {

namespace dom = simdjson::dom;

namespace {

constexpr size_t kMostStrings = size_t{1} << 22;

}  // namespace

Status Expected(std::string_view member, std::string_view what) {
  return BadInput("{}: expected {}", QuoteForMessage(member), what);
}

Status ReadString(std::string_view member, dom::element value, std::string* out) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return Expected(member, "a string");
  out->assign(text);
  return {};
}

Status ReadStrings(std::string_view member, dom::element value, std::vector<std::string>* out) {
  return ReadStrings(member, value, kMostStrings, out);
}

Status ReadStrings(std::string_view member, dom::element value, size_t most,
                   std::vector<std::string>* out) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Expected(member, "an array of strings");
  for (const dom::element item : array) {
    if (out->size() >= most) return BadInput("{}: more than {}", QuoteForMessage(member), most);
    DSI_RETURN_IF_ERROR(ReadString(member, item, &out->emplace_back()));
  }
  return {};
}

namespace {

Status MalformedJson(std::string_view json, simdjson::error_code code) {
  const JsonFault fault = FindJsonFault(json);
  if (fault.message.empty()) return BadInput("malformed JSON: {}", simdjson::error_message(code));
  size_t line = 1;
  size_t line_begin = 0;
  for (size_t i = 0; i < fault.offset && i < json.size(); ++i) {
    if (json[i] != '\n') continue;
    ++line;
    line_begin = i + 1;
  }
  return BadInput("malformed JSON at line {}, column {}: {}", line, fault.offset - line_begin + 1,
                  fault.message);
}

}  // namespace

Result<dom::element> ParseJson(std::string_view json, size_t max_bytes, std::string_view what,
                               dom::parser* parser) {
  if (json.size() > max_bytes) {
    return BadInput("{} of {} bytes, expected at most {}", what, json.size(), max_bytes);
  }
  if (json.empty()) json = "";  // Not null.
  if (json.starts_with("\xef\xbb\xbf")) json.remove_prefix(3);
  if (parser->allocate(json.size() + 1, kMaxJsonDepth + 1) != simdjson::SUCCESS) {
    return OutOfMemory();
  }
  dom::element root;
  const simdjson::error_code code = parser->parse(json.data(), json.size(), true).get(root);
  if (code == simdjson::MEMALLOC) return OutOfMemory();
  if (code != simdjson::SUCCESS) return MalformedJson(json, code).At(what);
  return root;
}

Result<std::string> ReadTextFile(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) {
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
    return Error(code, "{}: {}", path, std::strerror(errno));
  }
  std::string text;
  size_t size = 0;
  while (text.size() <= max_bytes) {
    text.resize(size + (1 << 16));
    const size_t count = std::fread(text.data() + size, 1, text.size() - size, file.get());
    size += count;
    text.resize(size);
    if (count == 0) break;
  }
  if (std::ferror(file.get()) != 0) {
    return Error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
  }
  return text;
}

}  // namespace dsi::internal
