// Reads texts, one file behind the other, as blocks of whole lines or records.
//
// Thread safety: one thread at a time, and Stop by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/text/lines/text_block_internal.h"
#include "dsi/text/lines/text_files_internal.h"

namespace dsi::internal {

class TextBlocks {
 public:
  // Reads what stands in front of a file's rows; may be empty.
  using ReadStart = std::function<Result<std::shared_ptr<const FileStart>>(LineSource* lines)>;

  // The schema outlives it.
  TextBlocks(TextFiles files, const TextInputOptions& options, const Schema& schema,
             ReadStart read_start);

  // Opens the next file; there is one. First of all, for the first.
  Status OpenNext();
  // False where the next block might have to wait for a pipe that is to be opened, or the caller
  // wants to hear of it first.
  bool CanReadNow() const { return !file_ended_ || is_over() || files_.OpensAtOnce(); }
  // Whether Read never has to wait: all are files, none is a pipe.
  bool NeverWaits() const { return bytes_total_ > 0; }
  // Whether there is something to read now.
  bool IsReady() const { return NeverWaits() || (file_ended_ ? is_over() : bytes_->is_ready()); }
  // False at the end of all. What cannot be read is in block->end.
  bool Read(TextBlock* block);
  // Wakes whoever waits in Read for a pipe.
  void Stop() { stop_ = true; }

  std::string Name(size_t file) const { return files_.Name(file); }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  bool is_over() const { return is_lost_ || files_.opened() == files_.size(); }
  Status ReadInto(TextBlock* block);
  Status Fill(TextBlock* block, size_t target);
  Result<size_t> ReadMore(std::span<char> dst);
  // Puts back the last bytes of a block.
  void GiveBack(TextBlock* block, size_t count);
  // Bytes of whole lines or records; *lines counts them.
  size_t FindWhole(const TextBlock& block, uint64_t* lines);

  TextFiles files_;
  const Schema& schema_;
  const TimeForms times_;
  const uint64_t max_line_bytes_;
  const size_t block_bytes_;
  ReadStart read_start_;
  const uint64_t bytes_total_;
  std::atomic<bool> stop_ = false;

  // Of the file opened last.
  std::unique_ptr<ByteSource> bytes_;
  std::shared_ptr<const FileStart> start_;
  std::shared_ptr<const PathValues> path_values_;
  std::vector<char> rest_;  // Read already;
  size_t rest_at_ = 0;      // from here on of no block yet.
  uint64_t offset_ = 0;     // Of what comes next, in the unpacked file.
  uint64_t lines_ = 0;      // Before it.
  bool at_end_ = false;     // Nothing stands behind what was read.
  bool file_ended_ = true;  // All is in blocks.

  size_t next_bytes_;         // Of the next block.
  bool is_lost_ = false;      // Nobody can tell where the next line or record begins.
  uint64_t files_bytes_ = 0;  // Of the files before.
  uint64_t files_lines_ = 0;
};

}  // namespace dsi::internal
