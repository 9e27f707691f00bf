// The streams of a file as arrays of values, and what its writer chose for them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/bench/choice_figures/values.h"
#include "dsi/base/status.h"

namespace dsi::bench {

struct Page {
  Values values;                // As they were encoded; of codes into a shared dictionary, those.
  std::vector<std::byte> node;  // As it is stored; of codes, their own node.
};

struct Stream {
  std::string name;       // "user.clicks values"
  bool is_inner = false;  // A child of shared dictionary nodes, which are a level of their own.
  double readers = 1;  // Features that read it each time; a byte of an index is worth so much more.
  std::vector<Page> pages;

  uint64_t num_values() const;
  uint64_t num_bytes() const;
};

// Calls `visit` with each paged stream of a stripe, one at a time.
Status VisitStreams(const std::string& path, uint32_t max_stripes,
                    const std::function<void(size_t stripe, Stream stream)>& visit);

}  // namespace dsi::bench
