#include "dsi/tools/text_table_internal.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsi::tools {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kLeastWidth = 12;  // Of a cell that is cut.
constexpr size_t kWidthOfPrograms = 80;

std::string Pad(const std::string& cell, size_t width, TextTable::Align align) {
  const size_t used = DisplayWidth(cell);
  const std::string fill(width > used ? width - used : 0, ' ');
  return align == TextTable::Align::kLeft ? cell + fill : fill + cell;
}

size_t LineWidth(const std::vector<size_t>& widths) {
  size_t total = 0;
  for (const size_t width : widths) total += width == 0 ? 0 : width + kGap.size();
  return total == 0 ? 0 : total - kGap.size();
}

size_t WidthOf(const Console& console) {
  return console.out_is_tty() ? console.width() : kWidthOfPrograms;
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> TextTable::Fit(std::vector<size_t> widths, size_t room,
                                   bool cut_further) const {
  const auto capped = [&](size_t cap) {
    std::vector<size_t> least = widths;
    for (size_t c = 0; c < least.size(); ++c) {
      if (columns_[c].align == Align::kLeft)
        least[c] = std::min(least[c], std::min(columns_[c].max_width, cap));
    }
    return least;
  };
  std::vector<size_t> least = capped(SIZE_MAX);
  if (cut_further && LineWidth(least) > room) least = capped(kLeastWidth);
  // The last one goes first, but minor ones before all others; one stays.
  for (const bool minor : {true, false}) {
    for (size_t c = widths.size(); c-- > 1 && LineWidth(least) > room;) {
      if (minor && !columns_[c].minor) continue;
      widths[c] = least[c] = 0;
    }
  }
  // What is left goes to the cells that were cut, the shortest first.
  std::vector<size_t> fitting = least;
  for (size_t cap = 1; cap <= room; ++cap) {
    std::vector<size_t> wider = least;
    for (size_t c = 0; c < wider.size(); ++c)
      wider[c] = std::max(least[c], std::min(widths[c], cap));
    if (LineWidth(wider) > room) break;
    fitting = std::move(wider);
  }
  return fitting;
}

std::string TextTable::Render(const Console& console, size_t* left_out) const {
  std::vector<size_t> widths(columns_.size());
  bool has_titles = false;
  for (size_t c = 0; c < columns_.size(); ++c) {
    has_titles |= !columns_[c].title.empty();
    // A column of no characters is a column, too.
    widths[c] = std::max<size_t>(1, DisplayWidth(Printable(columns_[c].title)));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  if (console.out_is_tty() && LineWidth(widths) > console.width())
    widths = Fit(std::move(widths), console.width(), left_out == nullptr);

  std::string text;
  const auto add_line = [&](auto&& cell_of, bool bold) {
    std::string line;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] == 0) continue;
      if (c > 0) line += kGap;
      line += Pad(CutToWidth(cell_of(c), widths[c]), widths[c], columns_[c].align);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += (bold ? console.Bold(line) : line) + "\n";
  };
  if (has_titles) add_line([&](size_t c) { return Printable(columns_[c].title); }, true);
  for (const auto& row : rows_) add_line([&](size_t c) { return row[c]; }, false);

  const auto num_left_out = static_cast<size_t>(std::count(widths.begin(), widths.end(), 0U));
  if (left_out != nullptr) {
    *left_out = num_left_out;
  } else if (num_left_out > 0) {
    std::string names;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] == 0 && !columns_[c].title.empty())
        names += (names.empty() ? "" : ", ") + Printable(columns_[c].title);
    }
    text += Folded(fmt::format("(no room for: {})", names), console) + "\n";
  }
  return text;
}

void FactList::Add(std::string_view name, std::string_view value) {
  facts_.emplace_back(Printable(name), Printable(value));
}

std::string FactList::Render(const Console& console) const {
  size_t width = 0;
  for (const auto& [name, value] : facts_) width = std::max(width, DisplayWidth(name));
  std::string text;
  for (const auto& [name, value] : facts_) {
    const std::string line = Pad(name, width, TextTable::Align::kLeft) + std::string(kGap) + value;
    text += (console.out_is_tty() ? Folded(line, console, width + kGap.size()) : line) + "\n";
  }
  return text;
}

std::string Folded(std::string_view text, const Console& console, size_t indent) {
  const size_t width = WidthOf(console);
  std::string folded;
  size_t used = 0;
  while (true) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (used > indent && used + DisplayWidth(word) > width) {
      folded.resize(folded.find_last_not_of(' ') + 1);
      folded += '\n';
      folded.append(indent, ' ');
      used = indent;
    }
    folded += word;
    used += DisplayWidth(word);
    if (end == text.size()) return folded;
    folded += ' ';
    ++used;
    text.remove_prefix(end + 1);
  }
}

}  // namespace dsi::tools
