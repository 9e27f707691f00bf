// Which features of different schemas are one (spec DS-020).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/dataset/files/file_facts_internal.h"

namespace dsi::internal {

struct MatchedFeatures {
  uint32_t count = 0;                            // Of the dataset.
  std::vector<std::vector<uint32_t>> of_column;  // By schema and column: which of them it is of.
};

// Those of one id are one; then those of one name, unless some file has both. Numbered by where
// they stand first.
MatchedFeatures MatchFeatures(std::span<const FileSchema> schemas);

}  // namespace dsi::internal
