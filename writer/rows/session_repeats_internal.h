// What rows of a session repeat of each other: as far as a stripe, which has whole sessions, will
// store it once.
//
// It follows from the rows and their order alone, not from where or in which batches they are.
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

class SessionRepeats {
 public:
  // Of features of `by_row`, of those that are no lists, and of those that are rounded at one time
  // or another, nothing is taken to be repeated.
  SessionRepeats(const Schema& schema, const std::vector<bool>& by_row);

  // The rows that come next; `sessions` has a number for each, that of its session. Adds to *bytes
  // of each row what its lists take that the session had before, and to *totals, of these rows, how
  // much that is. A list is looked for among the last ones of its feature: some are not found.
  void Add(std::span<const FeatureSource> features, std::span<const uint64_t> sessions,
           std::vector<uint64_t>* bytes, TableTotals* totals);
  // Rows that were added did not stay: nothing is known of them.
  void Forget();

 private:
  struct Feature {
    bool is_looked_at = false;
    std::vector<uint64_t> slots;  // Hashes of sessions with lists; 0: free.
    uint64_t num_lists = 0;       // That were put into slots.
  };

  void MakeRoom(Feature* feature) const;
  // Whether it is known, which it is from now on.
  static bool Had(Feature* feature, uint64_t hash);

  std::vector<Feature> features_;
  size_t most_slots_;
};

}  // namespace dsi::internal
