// Finds which features change together, so that they can share one inverse index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/dedup/unique_rows_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// A feature as the search sees it: its rows in the sampled stripe and what a row costs.
struct GroupCandidate {
  const FeatureRows* column = nullptr;
  // Average stored size of one unique row, after encoding, roughly.
  double bits_per_row = 0;
  // A scalar (or one-entry list) of ids that may own other features' state.
  bool is_key = false;
  // Features declared together carry the same number. They are split only where some move under the
  // owner that is one of them.
  int declared_group = -1;
  int declared_owner = -1;  // Of that group: another candidate.
};

// Where a group's rows repeat.
enum class GroupRepeats : uint8_t {
  kRuns,      // From one row to the next.
  kAnywhere,  // Anywhere in the stripe (item side).
  kVersions   // An owner's state, which moves: nearly alike in the order of time (spec D-005).
};

struct FoundGroup {
  std::vector<uint32_t> members;  // Indexes of candidates, ascending.
  GroupRepeats repeats = GroupRepeats::kRuns;
  int declared = -1;  // The declared group that it is, or a part of.
  int owner = -1;     // Candidate index of the key that owns it, -1 unknown.
  // Position of the group that its index may refer to, before it: kVersions the group of owners,
  // kAnywhere one that is constant where this is. -1 none.
  int parent = -1;
};

// Of the hashes of rows that a search keeps, so that features are not read once for each key.
inline constexpr uint64_t kMostGroupHashBytes = 128ULL << 20;

// Calls work(i) for i below count, in any order and perhaps on several threads, and returns when
// all are done. An error stops the search.
using ForEach = std::function<Status(size_t count, const std::function<void(size_t)>& work)>;

// One after another, on the caller's thread.
Status OneByOne(size_t count, const std::function<void(size_t)>& work);

// Groups candidates: declared groups first; then features that are functions of a key's value or
// equal in partition, and those whose lists or numbers move little from one row of a key's value to
// the next in time; then features with equal or nearly equal run patterns; the rest, and groups
// whose index would cost more than it saves, stay out (the group of rows). Deterministic. Parents
// come before the groups that refer to them; else declared groups first, by number, then found
// groups by their first member. `rows_in_time`: the rows, oldest first.
// What is found does not depend on `for_each`, whose errors are returned.
// Cost: a few passes over the rows per feature; 20,000 features of 65,536 rows take seconds.
Result<std::vector<FoundGroup>> FindGroups(std::span<const GroupCandidate> candidates,
                                           size_t num_rows, std::span<const uint32_t> rows_in_time,
                                           const ForEach& for_each = OneByOne);

}  // namespace dsi::internal
