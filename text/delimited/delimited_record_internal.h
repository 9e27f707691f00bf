// Cuts CSV and TSV into records of cells (RFC 4180): cells may stand in double quotes, and then
// hold delimiters, line breaks and doubled quotes.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

struct Cell {
  std::string_view text;  // Without quotes; valid until the next record.
  bool quoted = false;    // Tells an empty text from no text.
};

class RecordReader {
 public:
  RecordReader(LineSource* lines, TextFormat format, const TextInputOptions& options)
      : lines_(lines),
        delimiter_(options.separator != '\0'    ? options.separator
                   : format == TextFormat::kCsv ? ','
                                                : '\t'),
        quotes_(options.quotes) {}

  // Reads the first line of the next record, one that is not empty; false at the end.
  Result<bool> NextLine();
  // The names of the columns: those given, else the cells of the next record; none at the end.
  // kBadInput: one stands twice, or all are empty. The views are valid until the next record.
  Result<std::vector<std::string_view>> ReadHeader(const std::vector<std::string>& given);
  // Cuts it into cells. kBadInput names file and line: a quote that is never closed, text beside a
  // quoted cell (the lines behind the first are then read again), bad UTF-8.
  Status Cut();
  // Both.
  Result<bool> Next();
  // The record, or of one that could not be cut its first line, and the number of that.
  std::string_view text() const { return line_; }
  uint64_t first_line() const { return first_line_; }
  const std::vector<Cell>& cells() const { return cells_; }
  // From here on Cut refuses these cells, the header's, with kBadInput: it stands in the middle
  // where whole files were joined, and would turn every column into text. A single column may well
  // hold its own name. They outlive that.
  void KeepHeader(const std::vector<std::string>* header) { header_ = header; }

 private:
  struct Extent {
    size_t begin = 0;
    size_t end = 0;
    bool quoted = false;
    bool doubled = false;  // Holds doubled quotes.
  };
  Status FindCells();
  Status FindQuotedEnd(size_t* at, Extent* extent);
  Status FindPlainEnd(size_t* at, Extent* extent);
  void MakeCells();
  bool IsHeaderAgain() const;

  LineSource* lines_;
  char delimiter_;
  bool quotes_;  // Cells may stand in some.
  std::string_view line_;
  uint64_t first_line_ = 0;
  std::vector<Extent> extents_;
  std::vector<Cell> cells_;
  const std::vector<std::string>* header_ = nullptr;
  std::string unquoted_;  // Texts of cells with doubled quotes, one after another.
};

}  // namespace dsi::internal
