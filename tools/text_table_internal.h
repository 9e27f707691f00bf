// A table of text with aligned columns. Cells are made safe for a terminal here, so callers may
// pass names as the file has them. A terminal gets lines no longer than it is wide; a program gets
// every cell whole.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/tools/console_internal.h"

namespace dsi::tools {

class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string title;  // All empty: no line of titles.
    Align align = Align::kLeft;
    // Where the terminal is too narrow, left-aligned cells are cut to this, and further only where
    // that is not enough. Right-aligned ones are numbers and stay whole.
    size_t max_width = 60;
    bool minor = false;  // Left out before others are.
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<std::string> cells);
  // Columns that do not fit the terminal any more are left out, which a line below says. With
  // left_out that line is the caller's, *left_out counts them, and columns are rather left out than
  // cut below their max_width.
  std::string Render(const Console& console, size_t* left_out = nullptr) const;

 private:
  // Of each column; 0: left out.
  std::vector<size_t> Fit(std::vector<size_t> widths, size_t room, bool cut_further) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Lines of "name  value", the names padded to one width; long values are folded on a terminal.
class FactList {
 public:
  void Add(std::string_view name, std::string_view value);
  std::string Render(const Console& console) const;

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

// The text in lines no longer than the terminal is wide, or 80 characters; longer words stay whole.
// Lines after the first are indented.
std::string Folded(std::string_view text, const Console& console, size_t indent = 0);

}  // namespace dsi::tools
