// Encodes the columns of one id space in one stripe: with a dictionary that they share where that
// is smaller, else each by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/writer/encode/feature_values_internal.h"
#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// Fills the dictionary slot of the space and the values slots of its columns in *stripe. Takes
// their values.
void EncodeIdSpace(const FileLayout& layout, const IdSpaceLayout& space,
                   std::span<const ClusteredFeature> features,
                   std::span<const std::unique_ptr<FeatureValues>> stored,
                   const StripeOptions& options, EncodedStripe* stripe);

}  // namespace dsi::internal
