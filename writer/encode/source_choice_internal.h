// Which lists of a stripe are stored as places in the values of another (spec F-066, E-051): what a
// user liked is part of what he saw, as are the items of his last session.
//
// Columns are compared by hashes of a few values that follow one another, one in so many. A column
// whose values mostly stand in others has one of these as its source; the one that serves most
// bytes comes first. A source has no source itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/writer/encode/feature_values_internal.h"
#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// A reader decodes a source whole, and keeps it.
inline constexpr uint64_t kMostSourceValues = 1U << 21;

// The values stream of a column that has a source.
struct BorrowingStream {
  uint32_t column = 0;
  EncodedStream stream;
};

// Encodes the streams that are worth it, by ascending column; those of others are encoded without a
// source. Deterministic. Cost: a hash per value of a list, and for what is stored so another look
// at values and source. Errors: those of for_each.
Result<std::vector<BorrowingStream>> ChooseSources(
    const FileLayout& layout, std::span<const ClusteredFeature> features,
    std::span<const std::unique_ptr<FeatureValues>> stored, const StripeOptions& options,
    const ForEach& for_each);

}  // namespace dsi::internal
