#include "dsi/io/file.h"

#include <algorithm>

namespace dsi {
namespace {

// Reads that a source is supposed to have in flight: what a browser opens to one server, and less
// than a disk's queue.
constexpr uint64_t kInFlight = 32;

}  // namespace

uint64_t BytesOfLatency(const SourceCosts& costs) {
  // Whatever a caller's file says: negative, infinite and NaN have no place among sizes.
  const double bytes = costs.latency_s * costs.bytes_per_s;
  return bytes >= 1 ? static_cast<uint64_t>(std::min(bytes, 0x1p40)) : 0;
}

uint64_t GapWorthReading(const SourceCosts& costs) { return BytesOfLatency(costs) / kInFlight; }

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
