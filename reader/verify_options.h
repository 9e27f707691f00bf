// What Reader::Verify may use, and what it finds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dsi/base/status.h"

namespace dsi {

struct VerifyProgress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;
};

struct VerifyOptions {
  // Of records, pages, decoded values, indexes and windows that are held at once; exceeded is
  // kResourceExhausted. Any file with up to 200,000 features and 1,000,000 rows a stripe fits half
  // of it; of a source whose reads take a millisecond or more the other half holds a stripe, if
  // that is enough, which is read again page by page else.
  uint64_t memory_bytes = 512 << 20;
  // Told how far it is; may cancel by returning false (kCancelled).
  std::function<bool(const VerifyProgress&)> progress = {};
};

// One finding of Verify.
struct Damage {
  Status status;  // kCorrupt; kUnsupported: no damage, but what a newer version can tell more of.
  std::string where;  // "page 12 (stripe 0, offset 4096..8192): columns user.clicks"
};

}  // namespace dsi
