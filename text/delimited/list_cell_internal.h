// Cuts the cell of a list into its entries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsi::internal {

struct ListEntry {
  enum class Form : uint8_t {
    kWord,    // As it stands there.
    kQuoted,  // A text in quotes, without them.
    kNull,    // Nothing, or None or null in brackets.
  };
  std::string_view text;
  Form form = Form::kWord;
};

// Entries stand between separators ("1|2"), or in brackets as JSON, Python and NumPy write lists:
// [1, 2], ["a", 'b'], [1 2]. In brackets they stand between commas, or where there is none between
// blanks, and a text in quotes may have the escapes of JSON and Python. A cell that is no such list
// (its entries have brackets, a quote that is not closed) is one of separators.
//
// Thread safety: one thread at a time.
class ListCell {
 public:
  // Views of entries are valid until the next Cut, and as long as the text is. An empty text has no
  // entry.
  void Cut(std::string_view text, char separator);

  std::span<const ListEntry> entries() const { return entries_; }
  bool in_brackets() const { return in_brackets_; }

 private:
  bool CutBrackets(std::string_view inside);
  bool TakeQuoted(std::string_view inside, size_t* at);
  bool TakeEscape(std::string_view inside, size_t* at);
  void AddWord(std::string_view word);

  std::vector<ListEntry> entries_;
  bool in_brackets_ = false;
  std::string unescaped_;  // Texts with escapes, one behind the other.
};

}  // namespace dsi::internal
