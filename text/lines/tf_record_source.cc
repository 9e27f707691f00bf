#include "dsi/text/lines/tf_record_source_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/base/error_internal.h"
#include "dsi/text/lines/crc32c_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kSumBytes = 4;
constexpr size_t kHeadBytes = kLengthBytes + kSumBytes;
constexpr uint64_t kMostBytes = 1ULL << 40;  // So that sums of it are far from 64 bits.

template <typename Number>
Number ReadLittle(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

// What stands in front of a record; kHeadBytes are there.
uint64_t LengthOf(std::string_view head) { return ReadLittle<uint64_t>(head); }
bool IsSoundLength(std::string_view head) {
  return MaskedCrc32c(head.substr(0, kLengthBytes)) ==
         ReadLittle<uint32_t>(head.substr(kLengthBytes));
}

}  // namespace

size_t CountWholeRecords(std::string_view bytes, uint64_t max_bytes, uint64_t* records,
                         bool* is_lost) {
  *records = 0;
  size_t at = 0;
  while (bytes.size() - at >= kHeadBytes) {
    const std::string_view head = bytes.substr(at, kHeadBytes);
    const uint64_t length = LengthOf(head);
    *is_lost = !IsSoundLength(head) || length > std::min(max_bytes, kMostBytes);
    if (*is_lost || bytes.size() - at - kHeadBytes < length + kSumBytes) break;
    at += kHeadBytes + length + kSumBytes;
    ++*records;
  }
  return at;
}

void TfRecordSource::StartBlock(const TextBlock& block, const std::string& name) {
  LineSource::StartBlock(block, name);
  offset_ = block.offset;
}

Status TfRecordSource::Need(uint64_t bytes) {
  while (available() < bytes) {
    if (at_end()) {
      Fail();
      return Error(StatusCode::kTruncated,
                   "{}: the record at byte {} has {} bytes, and the file ends after {}", Where(),
                   offset_, bytes, available());
    }
    DSI_RETURN_IF_ERROR(Fill());
  }
  return {};
}

Result<bool> TfRecordSource::Next(std::string_view* record) {
  offset_ += taken();
  Take(0);
  while (available() == 0 && !at_end()) DSI_RETURN_IF_ERROR(Fill());
  if (available() == 0) return false;
  CountLine();
  DSI_RETURN_IF_ERROR(Need(kHeadBytes));
  const std::string_view head = front(kHeadBytes);
  const uint64_t length = LengthOf(head);
  if (!IsSoundLength(head)) {
    Fail();
    return BadInput(
        "{}: damaged TFRecord data at byte {}: the length of the record does not fit its checksum",
        Where(), offset_);
  }
  if (length > std::min(max_line_bytes(), kMostBytes)) {
    Fail();
    return Error(StatusCode::kResourceExhausted,
                 "{}: a record of {} bytes, expected at most {}; raise max_line_bytes to read it",
                 Where(), length, max_line_bytes());
  }
  DSI_RETURN_IF_ERROR(Need(kHeadBytes + length + kSumBytes));
  const std::string_view whole = front(kHeadBytes + length + kSumBytes);
  *record = whole.substr(kHeadBytes, length);
  is_sound_ = MaskedCrc32c(*record) == ReadLittle<uint32_t>(whole.substr(kHeadBytes + length));
  Take(whole.size());
  return true;
}

Status TfRecordSource::CheckRecord() const {
  if (is_sound_) return {};
  return BadInput("{}: damaged TFRecord data at byte {}: the record does not fit its checksum",
                  Where(), offset_);
}

}  // namespace dsi::internal
