// The streams of a file as arrays of values: what its writer chose encodings for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dsi/bench/choice_figures/values.h"
#include "dsi/format/status.h"

namespace dsi::bench {

// How long a writer keeps what it chose.
enum class Memory : uint8_t {
  kFile,    // From stripe to stripe, until the data drift.
  kStream,  // From page to page, until the data drift.
  kCodes,   // From page to page of a stream of codes into a shared dictionary, whatever comes.
};

struct Stream {
  std::string name;  // "user.clicks values"
  uint32_t slot = 0;
  Memory memory = Memory::kStream;
  Values values;              // Of kCodes: the codes, as u32.
  Values first_ids;           // Of kCodes: what the first page's codes stand for.
  uint32_t largest_code = 0;  // Of kCodes, in any page.
  double readers = 1;  // Features that read it each time; a byte of an index is worth so much more.
  uint32_t page_values = 0;
};

// Calls `visit` with each paged stream of a stripe, one at a time.
Status VisitStreams(const std::string& path, uint32_t max_stripes,
                    const std::function<void(size_t stripe, const Stream& stream)>& visit);

}  // namespace dsi::bench
