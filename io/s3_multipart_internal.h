// A large object of S3, put in parts.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/s3_sender_internal.h"

namespace dsi::internal {

// How a file is put. The defaults keep eight connections busy, and what is lost with one of them
// is sent again in a second.
struct S3PutOptions {
  // Files up to here are put by one request.
  uint64_t single_bytes = uint64_t{64} << 20;
  // Of each part but the last; more where a file would have over 10,000 of them.
  uint64_t part_bytes = uint64_t{32} << 20;
  uint32_t parallel = 8;  // Parts in flight.
  GoOn go_on = {};        // Asked several times a second.
};

// What one request can put, and how many parts there may be.
inline constexpr uint64_t kMaxPutBytes = uint64_t{5} << 30;
inline constexpr uint64_t kMaxParts = 10'000;

// `part_bytes`, or as much as makes at most kMaxParts, in whole MiB.
uint64_t PartBytesFor(uint64_t file_bytes, uint64_t part_bytes);

// The object is there when all parts are, by one last request, which fails where one is
// (kAlreadyExists). Whatever else fails, and who cancels (kCancelled), has the parts removed; of a
// process that dies they stay until a rule of the bucket removes them.
Status PutInParts(S3Sender* sender, const std::string& url, const RandomAccessFile& file,
                  const S3PutOptions& options);

}  // namespace dsi::internal
