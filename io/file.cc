#include "dsi/io/file.h"

namespace dsi {

// Defined here so that the vtables have one home.
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;

Status RandomAccessFile::ReadMany(std::span<const ReadRequest> requests) const {
  for (const ReadRequest& request : requests) {
    DSI_RETURN_IF_ERROR(ReadAt(request.offset, request.dst));
  }
  return Status::Ok();
}

SourceCosts RandomAccessFile::costs() const { return kLocalCosts; }

}  // namespace dsi
