#include "dsi/tools/text_table_internal.h"

#include <algorithm>

namespace dsi::tools {
namespace {

constexpr std::string_view kGap = "  ";

std::string Pad(const std::string& cell, size_t width, TextTable::Align align) {
  const size_t used = DisplayWidth(cell);
  const std::string fill(width > used ? width - used : 0, ' ');
  return align == TextTable::Align::kLeft ? cell + fill : fill + cell;
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(const Console& console, size_t* left_out) const {
  const bool on_terminal = console.out_is_tty();
  const auto shown = [&](size_t column, const std::string& cell) {
    return on_terminal ? CutToWidth(cell, columns_[column].max_width) : cell;
  };
  std::vector<size_t> widths(columns_.size());
  bool has_titles = false;
  for (size_t c = 0; c < columns_.size(); ++c) {
    has_titles |= !columns_[c].title.empty();
    widths[c] = DisplayWidth(Printable(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], DisplayWidth(shown(c, row[c])));
  }
  size_t num_columns = columns_.size();
  if (on_terminal && left_out != nullptr) {
    size_t total = 0;
    num_columns = 0;
    for (; num_columns < columns_.size(); ++num_columns) {
      total += widths[num_columns] + kGap.size();
      if (total > console.width() + kGap.size() && num_columns > 0) break;
    }
  }
  if (left_out != nullptr) *left_out = columns_.size() - num_columns;

  std::string text;
  const auto add_line = [&](auto&& cell_of, bool bold) {
    std::string line;
    for (size_t c = 0; c < num_columns; ++c) {
      if (c > 0) line += kGap;
      line += Pad(cell_of(c), widths[c], columns_[c].align);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += (bold ? console.Bold(line) : line) + "\n";
  };
  if (has_titles) add_line([&](size_t c) { return Printable(columns_[c].title); }, true);
  for (const auto& row : rows_) add_line([&](size_t c) { return shown(c, row[c]); }, false);
  return text;
}

void FactList::Add(std::string_view name, std::string value) {
  table_.AddRow({std::string(name), std::move(value)});
}

}  // namespace dsi::tools
