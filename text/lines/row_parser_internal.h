// Reads the rows of blocks; one kind for each format. A row that fails leaves nothing in the batch,
// and the rows before it stay.
//
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/lines/ignored_names_internal.h"
#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/lines/text_block_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

class RowParser {
 public:
  using OnBadRow = std::function<Status(const BadRow&)>;

  RowParser(std::unique_ptr<LineSource> lines, std::shared_ptr<const Schema> schema)
      : lines_(std::move(lines)), schema_(std::move(schema)) {}
  virtual ~RowParser() = default;
  RowParser(const RowParser&) = delete;
  RowParser& operator=(const RowParser&) = delete;

  // Goes on with a block of a file of that name; it outlives that.
  void Start(const TextBlock& block, const std::string& name);
  // Adds up to max_rows rows; false at the end of the block, and where ran_out() says that the next
  // row may need what stands behind. An error that is not kBadInput, or of which failed() says so,
  // ends the reading.
  Result<bool> Next(size_t max_rows, RowBatch* batch, const OnBadRow& on_bad_row);
  bool failed() const { return lines_->failed(); }
  bool ran_out() const { return ran_out_; }
  // Where in the block the row begins that Next could not read, and the lines before it.
  size_t row_place() const { return row_place_; }
  uint64_t lines_before() const { return lines_before_; }
  uint64_t lines_done() const { return lines_->lines_done(); }
  // Names skipped since the last call, and how many values of other names.
  std::vector<IgnoredName> TakeIgnored(uint64_t* more);

 protected:
  // What the block's file begins with.
  virtual void StartBlock(const FileStart* /*start*/) {}
  // Goes to the next row; false at the end. Errors end the reading.
  virtual Result<bool> NextRow() = 0;
  // Sets the features of that row. Errors name file and line; kBadInput is about this row alone.
  virtual Status SetRow(RowBatch* batch) = 0;
  // The row as it stands in the text, and its first line.
  virtual std::string_view row_text() const = 0;
  virtual uint64_t row_line() const { return lines_->lines_done(); }
  // The names counted are not asked for any more.
  virtual void ForgetIgnored() {}

  LineSource& lines() { return *lines_; }
  const Schema& schema() const { return *schema_; }
  IgnoredNames& ignored() { return ignored_; }
  // A batch's error about a value, at the line read last.
  Status AtLine(const Status& status) const;

 private:
  // Adds a row, or leaves it out: false.
  Result<bool> AddRow(RowBatch* batch, const OnBadRow& on_bad_row);
  // Sets what the path of the file says and the row does not.
  Status EndRow(RowBatch* batch);

  std::unique_ptr<LineSource> lines_;
  std::shared_ptr<const Schema> schema_;
  IgnoredNames ignored_;
  std::shared_ptr<const PathValues> path_values_;
  bool ran_out_ = false;
  size_t row_place_ = 0;
  uint64_t lines_before_ = 0;
};

}  // namespace dsi::internal
