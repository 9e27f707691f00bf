// Streams of a stripe that are equal to another are stored as its alias (spec F-061, form 4).
#pragma once

#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// Drops the nodes of streams that an earlier slot has too. Equal values were encoded alike where
// their plans are the same, as they are chosen from the same values; so only bytes are compared.
// Cost: a hash of all bytes.
void AliasEqualStreams(EncodedStripe* stripe);

}  // namespace dsi::internal
