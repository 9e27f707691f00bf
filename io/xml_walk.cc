#include "dsi/io/xml_walk_internal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxEntity = 10;  // "&#x10FFFF;"

Status Malformed(size_t offset) {
  return Error(StatusCode::kIo, "the server's answer is malformed XML at byte {}", offset);
}

bool IsScalarValue(uint32_t c) { return c != 0 && c < 0x110000 && (c < 0xD800 || c >= 0xE000); }

void AppendUtf8(uint32_t c, std::string* out) {
  const auto rest = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    out->append({static_cast<char>(0xC0 | c >> 6), rest(0)});
  } else if (c < 0x10000) {
    out->append({static_cast<char>(0xE0 | c >> 12), rest(6), rest(0)});
  } else {
    out->append({static_cast<char>(0xF0 | c >> 18), rest(12), rest(6), rest(0)});
  }
}

// `name` is what stands between "&" and ";".
bool AppendEntity(std::string_view name, std::string* out) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [known, c] : kNamed) {
    if (name != known) continue;
    *out += c;
    return true;
  }
  if (!name.starts_with('#')) return false;
  const bool is_hex = name.starts_with("#x");
  name.remove_prefix(is_hex ? 2 : 1);
  uint32_t code = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, code, is_hex ? 16 : 10);
  if (error != std::errc() || stop != end || !IsScalarValue(code)) return false;
  AppendUtf8(code, out);
  return true;
}

class XmlWalk {
 public:
  explicit XmlWalk(std::string_view xml) : xml_(xml) {}

  Status Run(const XmlVisit& visit) {
    SkipPrologue();
    do {
      const size_t open = xml_.find('<', at_);
      if (open == std::string_view::npos) return Malformed(at_);
      if (!AddText(xml_.substr(at_, open - at_))) return Malformed(at_);
      const size_t close = xml_.find('>', open);
      if (close == std::string_view::npos) return Malformed(open);
      std::string_view tag = xml_.substr(open + 1, close - open - 1);
      at_ = close + 1;
      if (tag.starts_with('!') || tag.starts_with('?')) return Malformed(open);
      if (tag.starts_with('/')) {
        tag.remove_prefix(1);
        if (names_.empty() || tag != names_.back()) return Malformed(open);
        DSI_RETURN_IF_ERROR(visit(path_, text_));
        Leave();
        continue;
      }
      const bool is_empty = tag.ends_with('/');
      if (is_empty) tag.remove_suffix(1);
      const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n"));
      if (name.empty() || names_.size() == kMaxDepth) return Malformed(open);
      Enter(name);
      if (!is_empty) continue;
      DSI_RETURN_IF_ERROR(visit(path_, text_));
      Leave();
    } while (!names_.empty());
    const bool has_more = xml_.find_first_not_of(" \t\r\n", at_) != std::string_view::npos;
    return has_more ? Malformed(at_) : Status::Ok();
  }

 private:
  void SkipPrologue() {
    if (xml_.starts_with("\xef\xbb\xbf")) at_ = 3;
    if (!xml_.substr(at_).starts_with("<?xml ")) return;
    const size_t end = xml_.find("?>", at_);
    if (end != std::string_view::npos) at_ = end + 2;
  }

  bool AddText(std::string_view text) {
    if (names_.empty()) return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    for (size_t i = 0; i < text.size();) {
      const size_t next = std::min(text.find('&', i), text.size());
      text_.append(text.substr(i, next - i));
      if (next == text.size()) break;
      const size_t end = text.substr(0, next + kMaxEntity).find(';', next);
      if (end == std::string_view::npos) return false;
      if (!AppendEntity(text.substr(next + 1, end - next - 1), &text_)) return false;
      i = end + 1;
    }
    return true;
  }

  void Enter(std::string_view name) {
    names_.push_back(name);
    if (!path_.empty()) path_ += '/';
    path_ += name;
    text_.clear();
  }

  void Leave() {
    const size_t size = names_.back().size();
    names_.pop_back();
    path_.resize(path_.size() - size - (names_.empty() ? 0 : 1));
    text_.clear();
  }

  std::string_view xml_;
  size_t at_ = 0;
  std::vector<std::string_view> names_;
  std::string path_;
  std::string text_;
};

}  // namespace

Status WalkXml(std::string_view xml, const XmlVisit& visit) { return XmlWalk(xml).Run(visit); }

}  // namespace dsi::internal
