// Copies the stored rows of a slice into arrays ready for encoding.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/types.h"
#include "dsi/writer/cluster/clustered_feature_internal.h"

namespace dsi::internal {

// Shape codes of the stored rows; an empty list of rows means every row (identity).
std::vector<uint32_t> GatherShape(const FeatureSlice& slice,
                                  const std::vector<uint32_t>& stored_rows);

// How many values the stored rows have in each column.
uint64_t CountValues(const FeatureSlice& slice, const std::vector<uint32_t>& stored_rows);

// Entries of the stored rows of one column, one row after another, in the order in which the user
// gave them (spec D-012).
std::vector<std::byte> GatherValues(const FeatureSlice& slice, size_t column,
                                    const std::vector<uint32_t>& stored_rows);

// At most about `most` entries of a column: those of all rows, or of pieces of 64 rows, as far
// apart from each other.
std::vector<std::byte> GatherPieces(const FeatureSlice& slice, size_t column, uint64_t most);

// The bytes of a column as an array of its type.
ArrayView ViewOf(const std::vector<std::byte>& values, Type type);

}  // namespace dsi::internal
