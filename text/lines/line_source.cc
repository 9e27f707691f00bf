#include "dsi/text/lines/line_source_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kFirstBuffer = 1 << 20;

// The buffer is moved up or doubled rather than filled by fewer bytes than this, so that the cost
// of copying stays in proportion to the bytes read.
constexpr size_t kLeastRead = kFirstBuffer / 4;

}  // namespace

LineSource::LineSource(std::unique_ptr<ByteSource> bytes, std::string name, uint64_t max_line_bytes)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      max_line_bytes_(max_line_bytes),
      buffer_(kFirstBuffer + kTextPadding),
      data_(buffer_.data()) {}

void LineSource::StartBlock(const TextBlock& block, const std::string& name) {
  name_ = name;
  data_ = block.bytes.data();
  filled_ = block.size;
  begin_ = end_ = 0;
  lines_ = block.lines_before;
  at_end_ = true;
  is_last_ = block.ends_file;
  ran_out_ = failed_ = false;
}

std::unique_ptr<ByteSource> LineSource::TakeBytes(std::string_view* rest) {
  *rest = {data_ + end_, filled_ - end_};
  end_ = begin_ = filled_;
  at_end_ = true;
  return std::move(bytes_);
}

Status LineSource::Fill() {
  const auto is_tight = [this] { return buffer_.size() - kTextPadding - filled_ < kLeastRead; };
  if (is_tight() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    end_ -= begin_;
    filled_ -= begin_;
    begin_ = 0;
  }
  if (is_tight()) buffer_.resize(buffer_.size() * 2);
  data_ = buffer_.data();
  const size_t room = buffer_.size() - kTextPadding - filled_;
  const Result<size_t> read = bytes_->Read(std::span(buffer_).subspan(filled_, room));
  failed_ = !read.ok();
  DSI_RETURN_IF_ERROR(read.status());
  const size_t count = *read;
  filled_ += count;
  at_end_ = count == 0;
  return {};
}

Status LineSource::FindLineEnd(size_t from) {
  size_t length = from - begin_;
  while (true) {
    const char* start = data_ + begin_ + length;
    const void* found = std::memchr(start, '\n', filled_ - begin_ - length);
    const size_t seen =
        found == nullptr ? filled_ - begin_
                         : static_cast<size_t>(static_cast<const char*>(found) - (data_ + begin_));
    if (seen > max_line_bytes_) {
      return Error(StatusCode::kResourceExhausted,
                   "{}:{}: a line of more than {} bytes; raise max_line_bytes to read it", name_,
                   lines_ + 1, max_line_bytes_);
    }
    if (found != nullptr) {
      end_ = begin_ + seen + 1;
      return {};
    }
    if (at_end_) {
      ran_out_ = !is_last_ && filled_ > begin_;
      end_ = filled_;
      return {};
    }
    length = seen;
    DSI_RETURN_IF_ERROR(Fill());
  }
}

void LineSource::SkipByteOrderMark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (std::string_view(data_ + begin_, end_ - begin_).starts_with(kMark)) {
    begin_ += kMark.size();
  }
}

std::string_view LineSource::Line() const {
  std::string_view line(data_ + begin_, end_ - begin_);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<bool> LineSource::Next(std::string_view* line) {
  begin_ = end_;
  DSI_RETURN_IF_ERROR(FindLineEnd(begin_));
  if (begin_ == end_) return false;
  if (lines_ == 0) SkipByteOrderMark();
  ++lines_;
  first_length_ = end_ - begin_;
  first_line_ = lines_;
  *line = Line();
  return true;
}

std::string_view LineSource::GiveBack() {
  end_ = begin_ + first_length_;
  lines_ = first_line_;
  return Line();
}

Result<bool> LineSource::Extend(std::string_view* line) {
  const size_t length = end_ - begin_;
  DSI_RETURN_IF_ERROR(FindLineEnd(begin_ + length));
  *line = Line();
  if (end_ - begin_ == length) return false;
  ++lines_;
  return true;
}

}  // namespace dsi::internal
