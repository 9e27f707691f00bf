#include "dsi/io/copy_bytes_internal.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace dsi::internal {

Status CopyBytes(const RandomAccessFile& from, uint64_t size, WritableFile* to) {
  constexpr uint64_t kPartBytes = uint64_t{4} << 20;
  std::vector<std::byte> bytes(std::min(size, kPartBytes));
  for (uint64_t at = 0; at < size;) {
    const std::span part(bytes.data(), std::min<uint64_t>(bytes.size(), size - at));
    DSI_RETURN_IF_ERROR(from.ReadAt(at, part));
    DSI_RETURN_IF_ERROR(to->Append(part));
    at += part.size();
  }
  return Status::Ok();
}

}  // namespace dsi::internal
