// Rows of a dataset into one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/rewrite/batch_columns_internal.h"
#include "dsi/rewrite/rewritten_schema_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

struct RowCopy {
  const Dataset* from = nullptr;
  const RewritePlan* plan = nullptr;
  RowFilter filter = {};
  // Rows of the dataset, ascending. Empty: all.
  std::span<const uint64_t> rows = {};
  // Not empty: all rows of these ranges, and no others, in the place of `rows`.
  std::vector<DatasetRows> ranges = {};
  uint64_t memory_bytes = 0;      // That reading and writing share. 0: as a scan has it by itself.
  uint32_t reading_quarters = 1;  // Of these, for reading.
  bool* needs_more = nullptr;     // Set where reading failed because they were too few.
  uint32_t threads = 0;
  // Rows looked at so far; false cancels.
  std::function<bool(uint64_t rows_done)> progress = {};
};

// All rows, for a writer that is given these options: threads and memory are shared with it.
RowCopy NewRowCopy(const Dataset& from, const RewritePlan& plan, const WriterOptions& writer);
// The options of that writer: its memory is what reading leaves.
WriterOptions WritersShare(const WriterOptions& writer, uint32_t reading_quarters = 1);

// Calls `write` with the quarters of the memory that reading gets: *quarters (1), then as long as
// they are too few (it says so) more, up to three. What a stripe of a file takes is not known
// before.
template <typename Write>
auto WithEnoughToRead(uint32_t* quarters, const Write& write) {
  while (true) {
    bool needs_more = false;
    auto written = write(*quarters, &needs_more);
    if (!needs_more || *quarters == 3) return written;
    ++*quarters;
  }
}

// Takes some rows; `numbers` are theirs in the dataset.
using TakeRows = std::function<Status(size_t num_rows, std::span<const FeatureColumns> columns,
                                      std::span<const uint64_t> numbers)>;

// Hands all rows to `take`, in the order of the dataset.
Status CopyRows(const RowCopy& copy, const TakeRows& take);

// The same, batch by batch, for who cuts them by itself: of `copy` without `rows`.
using TakeBatch = std::function<Status(BatchColumns* columns, std::span<const uint64_t> numbers)>;
Status CopyBatches(const RowCopy& copy, const TakeBatch& take);

}  // namespace dsi::internal
