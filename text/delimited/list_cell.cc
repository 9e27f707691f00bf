#include "dsi/text/delimited/list_cell_internal.h"

#include <algorithm>
#include <charconv>

namespace dsi::internal {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool IsBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool TakeHex(std::string_view text, size_t digits, size_t* at, uint32_t* code) {
  if (text.size() - *at < digits) return false;
  const char* const first = text.data() + *at;
  if (std::from_chars(first, first + digits, *code, 16).ptr != first + digits) return false;
  *at += digits;
  return true;
}

bool AppendUtf8(uint32_t code, std::string* text) {
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (is_surrogate || code > 0x10ffff) return false;
  if (code < 0x80) {
    *text += static_cast<char>(code);
    return true;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  *text += static_cast<char>(kFirst[more] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) *text += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  return true;
}

// Of an escape of one letter; '\0': it is none.
char Unescaped(char letter) {
  constexpr std::string_view kLetters = "ntrbfav'\"\\/";
  constexpr std::string_view kMeant = "\n\t\r\b\f\a\v'\"\\/";
  const size_t at = kLetters.find(letter);
  return at == std::string_view::npos ? '\0' : kMeant[at];
}

// Whether a comma stands outside of quotes.
bool HasComma(std::string_view inside) {
  char quote = '\0';
  bool at_start = true;  // Of an entry, where a quote is one.
  for (size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (c == ',') {
      return true;
    } else if (at_start && (c == '\'' || c == '"')) {
      quote = c;
    }
    at_start = IsBlank(c);
  }
  return false;
}

}  // namespace

void ListCell::Cut(std::string_view text, char separator) {
  entries_.clear();
  in_brackets_ = false;
  if (text.empty()) return;
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    in_brackets_ = CutBrackets(text.substr(1, text.size() - 2));
    if (in_brackets_) return;
    entries_.clear();
  }
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    entries_.push_back({word, word.empty() ? ListEntry::Form::kNull : ListEntry::Form::kWord});
    at = end + 1;
  }
}

bool ListCell::CutBrackets(std::string_view inside) {
  unescaped_.clear();
  unescaped_.reserve(inside.size());  // No escape is shorter than what it stands for.
  const bool has_comma = HasComma(inside);
  for (size_t at = 0; at < inside.size();) {
    if (IsBlank(inside[at])) {
      ++at;
      continue;
    }
    if (inside[at] == '\'' || inside[at] == '"') {
      if (!TakeQuoted(inside, &at)) return false;
    } else {
      const size_t end = std::min(
          has_comma ? inside.find(',', at) : inside.find_first_of(kBlanks, at), inside.size());
      AddWord(Trim(inside.substr(at, end - at)));
      at = end;
    }
    if (entries_.back().form == ListEntry::Form::kWord &&
        entries_.back().text.find_first_of("[]") != std::string_view::npos)
      return false;
    while (at < inside.size() && IsBlank(inside[at])) ++at;
    if (!has_comma || at == inside.size()) continue;
    if (inside[at] != ',') return false;
    if (Trim(inside.substr(++at)).empty()) AddWord({});
  }
  // What pandas has in the place of a text that is missing.
  const bool has_texts = std::any_of(entries_.begin(), entries_.end(), [](const ListEntry& entry) {
    return entry.form == ListEntry::Form::kQuoted;
  });
  for (ListEntry& entry : entries_) {
    if (has_texts && entry.form == ListEntry::Form::kWord && entry.text == "nan")
      entry.form = ListEntry::Form::kNull;
  }
  return true;
}

// Behind it stands a comma, a blank or nothing.
bool ListCell::TakeQuoted(std::string_view inside, size_t* at) {
  const char quote = inside[(*at)++];
  const size_t begin = *at;
  const size_t kept = unescaped_.size();
  bool has_escape = false;
  for (; *at < inside.size() && inside[*at] != quote;) {
    if (inside[*at] == '\\') {
      if (!has_escape) unescaped_ += inside.substr(begin, *at - begin);
      has_escape = true;
      if (!TakeEscape(inside, at)) return false;
    } else {
      if (has_escape) unescaped_ += inside[*at];
      ++*at;
    }
  }
  if (*at == inside.size()) return false;
  const std::string_view text =
      has_escape ? std::string_view(unescaped_).substr(kept) : inside.substr(begin, *at - begin);
  entries_.push_back({text, ListEntry::Form::kQuoted});
  ++*at;
  return *at == inside.size() || inside[*at] == ',' || IsBlank(inside[*at]);
}

bool ListCell::TakeEscape(std::string_view inside, size_t* at) {
  if (++*at == inside.size()) return false;
  const char letter = inside[(*at)++];
  if (const char meant = Unescaped(letter); meant != '\0') {
    unescaped_ += meant;
    return true;
  }
  uint32_t code = 0;
  const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits == 0 || !TakeHex(inside, digits, at, &code)) return false;
  // JSON writes what is beyond 16 bits as two.
  uint32_t low = 0;
  if (digits == 4 && code >= 0xd800 && code < 0xdc00 && inside.substr(*at, 2) == "\\u") {
    *at += 2;
    if (!TakeHex(inside, 4, at, &low) || low < 0xdc00 || low >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  return AppendUtf8(code, &unescaped_);
}

void ListCell::AddWord(std::string_view word) {
  const bool is_null = word.empty() || word == "None" || word == "null";
  entries_.push_back({word, is_null ? ListEntry::Form::kNull : ListEntry::Form::kWord});
}

}  // namespace dsi::internal
