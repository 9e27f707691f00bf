// A stream encoded as the writer does it, and how long choosing takes of that.
#pragma once

#include <vector>

#include "dsi/bench/choice_figures/file_streams.h"
#include "dsi/writer/stream_encoder_internal.h"

namespace dsi::bench {

struct WrittenStream {
  struct Page {
    Values values;  // As they were encoded: codes narrowed.
    std::vector<std::byte> node;
  };
  std::vector<Page> pages;
  size_t choices = 0;  // Calls of ChoosePlan.
  double choose_s = 0;
  double all_s = 0;  // With choosing.
};

// Encodes a stream `runs` times, from the same memory; times are medians. `memory` is what the
// writer remembers of the stream from the stripe before, and is brought up to date.
WrittenStream Write(const Stream& stream, const internal::EncodeTuning& tuning, int runs,
                    internal::RememberedPlan* memory);

}  // namespace dsi::bench
