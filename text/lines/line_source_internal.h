// Cuts bytes into lines: those of a ByteSource, in a buffer that grows to the longest line and no
// further, or those of one block after another.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/lines/byte_source_internal.h"
#include "dsi/text/lines/text_block_internal.h"

namespace dsi::internal {

class LineSource {
 public:
  LineSource(std::unique_ptr<ByteSource> bytes, std::string name, uint64_t max_line_bytes);
  // Of blocks. StartBlock comes first.
  explicit LineSource(uint64_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}
  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // Gives the next line without its "\n" or "\r\n", valid until the next call; false at the end. A
  // byte order mark in front of the first line is left out. Errors: those of the ByteSource;
  // kResourceExhausted for a line that is too long.
  virtual Result<bool> Next(std::string_view* line);

  // Goes on with the lines of a block, which outlives that. `name` is that of its file.
  virtual void StartBlock(const TextBlock& block, const std::string& name);
  // Somebody wanted what stands behind a block that is not the last of its file: what was given
  // last may be a part of what it is.
  bool ran_out() const { return ran_out_; }
  // Where in the block stands what was given last.
  size_t place() const { return begin_; }
  // Of a ByteSource: it, and in *rest the bytes behind what was given last, as long as this lives.
  // It gives no more lines.
  std::unique_ptr<ByteSource> TakeBytes(std::string_view* rest);

  // Joins the next line to the last one given, with the line break between them kept: for quoted
  // cells with line breaks. False, and the line as it was, at the end.
  Result<bool> Extend(std::string_view* line);
  // Gives back what Extend joined, for Next to give again: the line as it was before.
  std::string_view GiveBack();
  // The bytes behind could not be read: there is nothing to go on with.
  bool failed() const { return failed_; }
  const std::string& name() const { return name_; }

  // "file:line" of the line given last.
  std::string Where() const { return name_ + ":" + std::to_string(lines_); }
  // Nothing stands behind what is here.
  bool at_end() const { return at_end_; }
  // Of a ByteSource.
  uint64_t bytes_done() const { return bytes_->bytes_done(); }
  uint64_t lines_done() const { return lines_; }

 protected:
  // For what is cut otherwise than into lines: the bytes behind those taken last.
  Status Fill();
  size_t available() const { return filled_ - begin_; }
  std::string_view front(size_t size) const { return {data_ + begin_, size}; }
  size_t taken() const { return end_ - begin_; }
  // Goes behind what was taken, and takes so many bytes of what is there.
  void Take(size_t size) {
    begin_ = size == 0 ? end_ : begin_;
    end_ = begin_ + size;
  }
  void CountLine() { ++lines_; }
  void Fail() { failed_ = true; }
  uint64_t max_line_bytes() const { return max_line_bytes_; }

 private:
  // Moves end_ behind the next line break (or to the end of the source), looking from `from` on.
  Status FindLineEnd(size_t from);
  void SkipByteOrderMark();
  std::string_view Line() const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  uint64_t max_line_bytes_;
  std::vector<char> buffer_;    // Of a ByteSource.
  const char* data_ = nullptr;  // In the buffer, or the block.
  size_t begin_ = 0;            // Of the line given last.
  size_t end_ = 0;              // Behind it, its line break included.
  size_t filled_ = 0;
  uint64_t lines_ = 0;
  size_t first_length_ = 0;  // Of the line that Next gave, its line break included.
  uint64_t first_line_ = 0;
  bool at_end_ = false;
  bool is_last_ = true;  // No block of the file follows.
  bool ran_out_ = false;
  bool failed_ = false;
};

}  // namespace dsi::internal
