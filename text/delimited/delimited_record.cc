#include "dsi/text/delimited/delimited_record_internal.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {

Result<bool> RecordReader::NextLine() {
  do {
    DSI_ASSIGN_OR_RETURN(const bool more, lines_->Next(&line_));
    if (!more) return false;
  } while (line_.empty());
  first_line_ = lines_->lines_done();
  return true;
}

Result<bool> RecordReader::Next() {
  DSI_ASSIGN_OR_RETURN(const bool more, NextLine());
  if (!more) return false;
  DSI_RETURN_IF_ERROR(Cut());
  return true;
}

Status RecordReader::FindCells() {
  extents_.clear();
  size_t at = 0;
  while (true) {
    Extent& extent = extents_.emplace_back();
    if (quotes_ && at < line_.size() && line_[at] == '"') {
      DSI_RETURN_IF_ERROR(FindQuotedEnd(&at, &extent));
    } else {
      DSI_RETURN_IF_ERROR(FindPlainEnd(&at, &extent));
    }
    if (at == line_.size()) break;
    ++at;  // The delimiter.
  }
  return {};
}

Status RecordReader::Cut() {
  const Status found = FindCells();
  if (!found.ok()) {
    // A stray quote must not take good rows with it.
    line_ = lines_->GiveBack();
    return found;
  }
  if (!simdjson::validate_utf8(line_.data(), line_.size())) {
    return BadInput("{}: text that is not valid UTF-8", lines_->Where());
  }
  MakeCells();
  if (IsHeaderAgain()) {
    return BadInput(
        "{}: the header stands here again, as where two files were joined; leave this line out",
        lines_->Where());
  }
  return {};
}

Result<std::vector<std::string_view>> RecordReader::ReadHeader(
    const std::vector<std::string>& given) {
  std::vector<std::string_view> names(given.begin(), given.end());
  if (names.empty()) {
    DSI_ASSIGN_OR_RETURN(const bool more, Next());
    if (!more) return names;
    for (const Cell& cell : cells_) names.push_back(cell.text);
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (name.empty() || seen.insert(name).second) continue;
    return BadInput("{}: {} stands twice in the header", lines_->Where(), QuoteForMessage(name));
  }
  if (seen.empty()) return BadInput("{}: the header has no name", lines_->Where());
  return names;
}

bool RecordReader::IsHeaderAgain() const {
  return header_ != nullptr && header_->size() > 1 &&
         std::equal(cells_.begin(), cells_.end(), header_->begin(), header_->end(),
                    [](const Cell& cell, const std::string& name) { return cell.text == name; });
}

Status RecordReader::FindQuotedEnd(size_t* at, Extent* extent) {
  extent->quoted = true;
  extent->begin = ++*at;
  const std::string where = lines_->Where();
  while (true) {
    const size_t quote = line_.find('"', *at);
    if (quote == std::string_view::npos) {
      // The line source may move what it joins, so places are kept as offsets. What was the end of
      // the line is looked at again, for the break itself may hide a "\r".
      *at = line_.size();
      DSI_ASSIGN_OR_RETURN(const bool more, lines_->Extend(&line_));
      if (!more) return BadInput("{}: a quoted cell that is never closed", where);
      continue;
    }
    *at = quote + 1;
    if (*at < line_.size() && line_[*at] == '"') {
      extent->doubled = true;
      ++*at;
      continue;
    }
    extent->end = quote;
    if (*at == line_.size() || line_[*at] == delimiter_) return {};
    return BadInput("{}:{}: found {} after a quoted cell, expected the delimiter", lines_->Where(),
                    *at + 1, QuoteForMessage(line_.substr(*at, 12)));
  }
}

Status RecordReader::FindPlainEnd(size_t* at, Extent* extent) {
  extent->begin = *at;
  extent->end = std::min(line_.find(delimiter_, *at), line_.size());
  *at = extent->end;
  const std::string_view text = line_.substr(extent->begin, extent->end - extent->begin);
  // Tab-separated texts are commonly written without any quoting, so a quote is a character there.
  if (!quotes_ || delimiter_ == '\t' || text.find('"') == std::string_view::npos) return {};
  return BadInput("{}:{}: a quote inside the cell {}; put the cell in quotes and double it",
                  lines_->Where(), extent->begin + text.find('"') + 1, QuoteForMessage(text));
}

void RecordReader::MakeCells() {
  cells_.clear();
  unquoted_.clear();
  unquoted_.reserve(line_.size());  // Views into it stay valid.
  for (const Extent& extent : extents_) {
    std::string_view text = line_.substr(extent.begin, extent.end - extent.begin);
    if (extent.doubled) {
      const size_t begin = unquoted_.size();
      for (size_t i = 0; i < text.size(); ++i) {
        unquoted_ += text[i];
        if (text[i] == '"') ++i;
      }
      text = std::string_view(unquoted_).substr(begin);
    }
    cells_.push_back({text, extent.quoted});
  }
}

}  // namespace dsi::internal
