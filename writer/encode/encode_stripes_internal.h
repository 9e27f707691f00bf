// Encodes stripes beside each other, in the order of their pieces.
//
// What was chosen for a stream is kept from stripe to stripe (PlanMemory): the streams of one slot
// are therefore encoded by one thread, stripe after stripe, while other threads have other slots.
// What asks no plan, above all the search for windows, runs for all stripes at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// As many as memory has room for.
struct StripesAtHand {
  size_t encoded = 1;        // Beside each other.
  bool reads_ahead = false;  // Rows of those to come, while these are encoded.
};

struct EncodedStripes {
  std::vector<EncodedStripe> stripes;
  double encode_seconds = 0;  // Of all threads.
};

// Stripes that follow one another in the file; one where options.plans shares plans, which pass
// from one feature to the next within a stripe. Deterministic at any number of threads and of
// stripes in a call. `poll` may cancel. `beside`, where there is one, is called once by one of the
// threads, while the others encode. Errors: those of `poll`, `beside` and StripeEncoder::End.
Result<EncodedStripes> EncodeStripes(const FileLayout& layout, std::span<const StripeInput> stripes,
                                     const StripeOptions& options,
                                     const std::function<Status()>& poll,
                                     const std::function<Status()>& beside = nullptr);

}  // namespace dsi::internal
