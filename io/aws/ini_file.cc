#include "dsi/io/aws/ini_file_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool IsComment(char c) { return c == '#' || c == ';'; }

// A value may hold '#', but not behind a blank.
std::string_view WithoutComment(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (IsComment(text[i]) && kBlanks.find(text[i - 1]) != std::string_view::npos)
      return text.substr(0, i);
  }
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// [profile  "train"] is that of "profile train".
std::string SectionName(std::string_view text) {
  text = Trim(text);
  const size_t blank = text.find_first_of(kBlanks);
  if (blank == std::string_view::npos) return std::string(text);
  std::string_view rest = Trim(text.substr(blank));
  const bool is_quoted = rest.size() >= 2 && (rest.front() == '"' || rest.front() == '\'') &&
                         rest.back() == rest.front();
  if (is_quoted) rest = rest.substr(1, rest.size() - 2);
  return std::string(text.substr(0, blank)) + " " + std::string(rest);
}

class IniParser {
 public:
  explicit IniParser(std::string_view path) : path_(path) {}

  Status Take(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view trimmed = Trim(line);
    if (trimmed.empty() || IsComment(trimmed[0])) return {};
    for (const char c : line) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\t') return At("a control character");
    }
    if (line[0] == '[') return TakeSection(trimmed);
    if (section_ == nullptr) return At("a value before the first [section]");
    return line[0] == trimmed[0] ? TakeValue(trimmed, "") : TakeMore(trimmed);
  }

  IniFile file;

 private:
  Status At(std::string_view what) const { return BadInput("{}:{}: {}", path_, number_, what); }

  Status TakeSection(std::string_view line) {
    const size_t end = line.find(']');
    if (end == std::string_view::npos) return At("'[' without ']'");
    const std::string_view rest = Trim(line.substr(end + 1));
    if (!rest.empty() && !IsComment(rest[0])) return At("something behind ']'");
    const std::string name = SectionName(line.substr(1, end - 1));
    if (name.empty()) return At("a section without a name");
    section_ = &file[name];
    value_ = nullptr;
    return {};
  }

  Status TakeValue(std::string_view line, std::string_view above) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return At("expected name = value");
    const std::string_view name = Trim(line.substr(0, equals));
    if (name.empty()) return At("a value without a name");
    const std::string whole = std::string(above) + Lower(name);
    const auto [at, is_new] =
        section_->emplace(whole, Trim(WithoutComment(line.substr(equals + 1))));
    if (!is_new) return At("a value that this section has already");
    if (!above.empty()) return {};
    name_ = whole;
    value_ = &at->second;
    has_values_below_ = value_->empty();
    return {};
  }

  Status TakeMore(std::string_view line) {
    if (value_ == nullptr) return At("a line that begins with a blank goes on with none before it");
    if (has_values_below_) return TakeValue(line, name_ + ".");
    value_->append("\n").append(WithoutComment(line));
    return {};
  }

  std::string_view path_;
  size_t number_ = 0;
  IniSection* section_ = nullptr;
  std::string name_;              // Of the last value that begins its line.
  std::string* value_ = nullptr;  // Null: none in this section.
  bool has_values_below_ = false;
};

}  // namespace

Result<IniFile> ParseIni(std::string_view text, std::string_view path) {
  if (text.size() > kMaxIniBytes)
    return BadInput("{}: more than {} bytes, which no file of profiles has", path, kMaxIniBytes);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  IniParser parser(path);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    DSI_RETURN_IF_ERROR(parser.Take(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(parser.file);
}

}  // namespace dsi::internal
