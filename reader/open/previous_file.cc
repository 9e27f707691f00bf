// Files that were appended to: the file before (spec F-034), and the last whole one where the
// append was not finished (spec F-035).
#include "dsi/reader/open/previous_file_internal.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {

Status OpenFile::ReadPrevious(const SectionRef& section) {
  DSI_ASSIGN_OR_RETURN(const CountedVector<std::byte> bytes, LoadSection(section, nullptr));
  state_->previous_size = LoadLE<uint64_t>(bytes.data());  // CheckCore.
  if (state_->previous_size % 8 == 0 && state_->previous_size >= kHeaderSize + kTrailerSize &&
      state_->previous_size <= section.offset)
    return Status::Ok();
  return Corrupt("previous file of {} bytes, its section is at {} (F-034)", state_->previous_size,
                 section.offset);
}

Result<uint64_t> FindLastFile(const RandomAccessFile& file) {
  constexpr uint64_t kPiece = 1 << 20;
  std::vector<std::byte> piece;
  // A file of `end` bytes ends in its trailer. The pieces overlap by one.
  for (uint64_t end = file.size() / 8 * 8; end >= kHeaderSize + kTrailerSize;) {
    const uint64_t begin = end - std::min(end, kPiece);
    piece.resize(end - begin);
    DSI_RETURN_IF_ERROR(file.ReadAt(begin, piece));
    for (uint64_t at = piece.size(); at >= kTrailerSize; at -= 8) {
      const std::byte* const trailer = piece.data() + at - kTrailerSize;
      if (std::memcmp(trailer + kTrailerSize - 8, kTailMagic.data(), 8) != 0) continue;
      std::array<std::byte, kTrailerSize> bytes;
      std::memcpy(bytes.data(), trailer, kTrailerSize);
      const auto found = Trailer::DecodeFrom(bytes, begin + at);
      if (found.ok() || found.status().code() == StatusCode::kUnsupported) return begin + at;
    }
    if (begin == 0) break;
    end = begin + kTrailerSize - 8;
  }
  return 0;
}

}  // namespace dsi::internal
