// What a scan of a dataset will read, and what it passes over.
#pragma once

#include <cstdint>
#include <vector>

namespace dsi {

// Of all files together, or of one. Counts are those of ReadPlan, as they are in file order:
// another order reads the same pages, some of them several times, and in more reads.
struct PlannedReads {
  uint64_t num_rows = 0;     // Asked for, before a filter.
  uint64_t num_stripes = 0;  // With such rows.
  uint64_t stripes_skipped = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t bytes_needed = 0;
  uint64_t directory_reads = 0;
  uint64_t directory_bytes = 0;
};

struct DatasetPlan {
  struct File {
    uint32_t file = 0;  // Position in Dataset::files().
    // By what a manifest tells, or for want of a feature that is compared, no row passes: the scan
    // does not read the file, and neither did the plan. All of its stripes are skipped.
    bool is_skipped = false;
    PlannedReads reads;
    uint64_t steps = 0;  // See ReadPlan.
  };
  std::vector<File> files;  // Those with rows asked for, in order.
  uint64_t files_skipped = 0;
  PlannedReads reads;  // Of all of them.
};

}  // namespace dsi
