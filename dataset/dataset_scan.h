// A scan of a dataset: batches across stripes and files in any order, for one of several readers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/order.h"
#include "dsi/reader/scan.h"
#include "dsi/reader/scan_options.h"
#include "dsi/transform/pipeline.h"

namespace dsi {

// Rows [begin, end) of a dataset, counted over its files.
struct DatasetRows {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct DatasetScanOptions {
  // As for one file, but: row_begin and row_end are not used. With a filter, or where rows are
  // deleted, a batch has those of its batch_size rows that pass, so that the number of batches and
  // what each rank gets do not depend on them; it may have none. Names are those of the dataset.
  // Where there are several files each samples by a seed of its own: the filter's plus its
  // fingerprint.
  ScanOptions scan;
  // Makes further features of those of the files, once per unique row; ScanOptions::features name
  // its outputs as they name columns, though not by patterns; none: all outputs, and no columns. A
  // scored list is two columns, name.ids and name.weights. Types are those that the steps make,
  // unless Projection::dtype asks for one that is wider, or of floats: then a cast (T-029) is the
  // last step. Steps that no feature asked for needs are checked, and not run.
  Pipeline pipeline = {};
  // The rows to scan, ascending and apart. Empty: all.
  std::vector<DatasetRows> rows = {};
  OrderOptions order;
  ShardOptions shard;
  // What DatasetScan::state() gave. Its order, batch size and rows must be those asked for (of
  // mixing_bytes it knows the rows); shard and threads may differ. Where sessions are mixed the
  // filter must be the same, which is not looked at: of stripes that it passes over the sessions
  // are not known. Empty: from the start.
  std::string state = {};
  // A local file to which a line is added that says which columns are read (access_log.h). Empty:
  // none is. Where it cannot be, there is no scan.
  std::string access_log = {};
};

struct BatchRow {
  uint32_t file = 0;  // Position in Dataset::files().
  uint64_t row = 0;   // Of that file.
};

// Thread safety: one thread at a time. The Dataset must outlive the scan. Nothing throws.
class DSI_EXPORT DatasetScan : public Scan {
 public:
  ~DatasetScan() override;
  // Where all ranks stand when each has handed out as many batches as this one: a small JSON of a
  // version of its own (spec DO-014). A scan made with it, in another process, with other threads
  // and another world, gives exactly the batches that had not been handed out.
  virtual Result<std::string> state() const = 0;
  // Of each row of a batch of this scan the file and its row there. Batch::first_row and
  // row_numbers count over the files of the dataset.
  virtual Status RowsOf(const Batch& batch, std::vector<BatchRow>* rows) const = 0;
  // The last batch repeats one that was handed out (Remainder::kPad).
  virtual bool is_repeated() const noexcept = 0;
};

// One state for ranks that stopped at different places: states[r] is what state() of rank r gave.
// What it makes hands out every batch that no rank had handed out. Ranks that stopped at the same
// place need it not: the state of any of them stands for all. kBadInput: not one state of each rank
// of one scan. Thread safety: any thread.
DSI_EXPORT Result<std::string> JoinStates(std::span<const std::string> states);

// One batch of a job, by a state of it: options of a scan that gives the batch that rank `rank`
// hands out `step` batches behind the state (0: the next one; -1: the last that it did), and no
// other, whatever the rank and the world of who asks. Order, batch size and the state are filled
// in; features, filter, pipeline and `rows` are the caller's, and must be the job's where its rows
// are to be the same. Arithmetic alone: reads nothing.
// kBadInput: no state of a scan. kInvalidArgument: a rank that its world does not have, or a step
// before the scan began or behind the rank's last batch. Thread safety: any thread.
DSI_EXPORT Result<DatasetScanOptions> OptionsOfBatch(std::string_view state, uint32_t rank,
                                                     int64_t step);

}  // namespace dsi
