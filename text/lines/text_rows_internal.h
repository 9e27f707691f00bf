// What Open hands out for each text format, and what the formats share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

Result<std::unique_ptr<TextInput>> MakeJsonInput(std::unique_ptr<LineSource> lines,
                                                 std::shared_ptr<const Schema> schema,
                                                 const TextInputOptions& options);
// Reads the header. `may_be_empty`: a file without a line has no rows and needs none.
Result<std::unique_ptr<TextInput>> MakeDelimitedInput(std::unique_ptr<LineSource> lines,
                                                      std::shared_ptr<const Schema> schema,
                                                      const TextInputOptions& options,
                                                      char delimiter, bool may_be_empty);

// Reads row by row; a format says how one row is read. A row that fails leaves nothing in the
// batch, and the rows before it stay.
class RowTextInput : public TextInput {
 public:
  RowTextInput(std::unique_ptr<LineSource> lines, std::shared_ptr<const Schema> schema,
               const TextInputOptions& options)
      : lines_(std::move(lines)), schema_(std::move(schema)), on_bad_row_(options.on_bad_row) {}

  Result<bool> Next(size_t max_rows, RowBatch* batch) final;
  uint64_t bytes_done() const final { return lines_->bytes_done(); }
  uint64_t bytes_total() const final { return lines_->bytes_total(); }
  uint64_t lines_done() const final { return lines_->lines_done(); }

 protected:
  // Goes to the next row; false at the end. Errors end the reading.
  virtual Result<bool> NextRow() = 0;
  // Sets the features of that row. Errors name file and line; kBadInput is about this row alone.
  virtual Status SetRow(RowBatch* batch) = 0;
  // The row as it stands in the text, and its first line.
  virtual std::string_view row_text() const = 0;
  virtual uint64_t row_line() const { return lines_->lines_done(); }

  LineSource& lines() { return *lines_; }
  const Schema& schema() const { return *schema_; }
  // Names of the features that no row had.
  void AddAbsent(const std::vector<uint8_t>& has_value, TextCoverage* coverage) const;
  // A batch's error about a value, at the line read last.
  Status AtLine(const Status& status) const;

 private:
  // Adds a row, or leaves it out: false.
  Result<bool> AddRow(RowBatch* batch);

  std::unique_ptr<LineSource> lines_;
  std::shared_ptr<const Schema> schema_;
  std::function<Status(const BadRow&)> on_bad_row_;
};

}  // namespace dsi::internal
