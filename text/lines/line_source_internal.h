// Cuts a ByteSource into lines, in a buffer that grows to the longest line and no further.
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

namespace dsi::internal {

class LineSource {
 public:
  // Bytes after every line that may be read (not written), whatever they hold.
  static constexpr size_t kPadding = 64;

  LineSource(std::unique_ptr<ByteSource> bytes, std::string name, uint64_t max_line_bytes);
  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // Gives the next line without its "\n" or "\r\n", valid until the next call; false at the end. A
  // byte order mark in front of the first line is left out. Errors: those of the ByteSource;
  // kResourceExhausted for a line that is too long.
  virtual Result<bool> Next(std::string_view* line);

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
  uint64_t bytes_done() const { return bytes_->bytes_done(); }
  uint64_t bytes_total() const { return bytes_->bytes_total(); }
  uint64_t lines_done() const { return lines_; }

 protected:
  // For what is cut otherwise than into lines: the bytes behind those taken last.
  Status Fill();
  bool at_end() const { return at_end_; }
  size_t available() const { return filled_ - begin_; }
  std::string_view front(size_t size) const { return {buffer_.data() + begin_, size}; }
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
  std::vector<char> buffer_;
  size_t begin_ = 0;  // Of the line given last.
  size_t end_ = 0;    // Behind it, its line break included.
  size_t filled_ = 0;
  uint64_t lines_ = 0;
  size_t first_length_ = 0;  // Of the line that Next gave, its line break included.
  uint64_t first_line_ = 0;
  bool at_end_ = false;
  bool failed_ = false;
};

}  // namespace dsi::internal
