// Where a mixture of scans stands, as a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/mixed_scan.h"

namespace dsi::internal {

inline constexpr size_t kMaxSources = 64;

// One source in the JSON.
struct MixedSourceState {
  uint32_t weight = 1;
  uint64_t round = 0;
  bool ended = false;
  std::string state;  // Of its scan; of one that ended none.
};

// What stands in the JSON (spec DO-017).
struct MixedState {
  Exhausted exhausted = Exhausted::kStop;
  uint64_t turn = 0;  // WeightedTurns::time() of those that have not ended.
  std::vector<MixedSourceState> sources;

  std::string ToJson() const;
  // kBadInput: not such a JSON, or numbers that cannot be.
  static Result<MixedState> FromJson(std::string_view json);
};

}  // namespace dsi::internal
