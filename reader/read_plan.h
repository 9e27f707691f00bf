// How a reader joins reads, and what a scan will read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dsi {

struct ReaderOptions {
  // Pages nearer than this are read in one go. Not given: by what the source's reads cost
  // (GapWorthReading).
  std::optional<uint64_t> coalesce_gap = {};
  uint64_t max_read_bytes = 1 << 20;  // Longer reads are split.
};

// The byte ranges of a projection, known before reading. With a filter: ranges of its columns, then
// of the projection, stripe by stripe; those of stripes where no row passes are not read, and where
// statistics tell it, they are not in the plan.
struct ReadPlan {
  struct Range {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t stripe = 0;
    uint32_t num_pages = 0;
  };
  std::vector<Range> ranges;  // As they will be read: pages joined where the gap is small.
  uint64_t bytes = 0;         // Sum of the ranges.
  uint64_t bytes_needed = 0;  // Pages alone.
  uint32_t num_pages = 0;
  // Reads of the directory that planning took: what the reader knew already took none.
  uint64_t directory_reads = 0;
  uint64_t directory_bytes = 0;
  // Reads that wait for one another, from opening the file to the first batch: reads of one step
  // are in flight together (RandomAccessFile::ReadMany). Four or fewer of most files, see
  // docs/reading-cpp.md. 0: the source answers at once, and steps are not counted.
  uint64_t steps = 0;
  // Of those with rows asked for: no row passes the filter, or all are deleted.
  uint32_t stripes_skipped = 0;
};

}  // namespace dsi
