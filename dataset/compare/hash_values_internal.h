// Hashes of a row's values in one column, the same for the same values of every type.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/dataset/compare/row_hash_internal.h"
#include "dsi/reader/batch.h"

namespace dsi::internal {

// One for each row of the view, whose values are int64, uint64, floats or strings.
void HashValues(const JaggedView& rows, uint64_t seed, std::vector<RowHash>* hashes);

}  // namespace dsi::internal
