// A table of text with aligned columns. Cells are made safe for a terminal here, so callers may
// pass names as the file has them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/tools/console_internal.h"

namespace dsi::tools {

class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string title;  // All empty: no line of titles.
    Align align = Align::kLeft;
    size_t max_width = 60;  // Longer cells are cut on a terminal; a program gets them whole.
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<std::string> cells);
  // Columns that do not fit the terminal any more are left out; *left_out (may be null) counts
  // them.
  std::string Render(const Console& console, size_t* left_out = nullptr) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Lines of "name  value", the names padded to one width.
class FactList {
 public:
  void Add(std::string_view name, std::string value);
  std::string Render(const Console& console) const { return table_.Render(console); }

 private:
  TextTable table_{{{.title = "", .align = TextTable::Align::kLeft, .max_width = 40},
                    {.title = "", .align = TextTable::Align::kLeft, .max_width = 1000}}};
};

}  // namespace dsi::tools
