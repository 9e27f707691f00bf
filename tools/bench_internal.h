// What dsictl bench measures and prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/scan_options.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/row_choice_internal.h"

namespace dsi::tools {

struct BenchOptions {
  Where where;
  std::vector<std::string> features;
  std::string layout = "padded";
  std::string access_log;
  std::string dtype;
  uint32_t width = 0;
  uint32_t batch_size = 4096;
  uint32_t repeat = 3;
  std::vector<uint32_t> threads = {1};
  uint64_t read_ahead = 0;
  bool compute = false;
  RowChoice choice;
};

// All rows once.
struct BenchRound {
  double seconds = 0;        // Reading: the time in NewScan and Next.
  double wall_seconds = 0;   // Of everything but the yardstick.
  double copy_seconds = 0;   // memcpy of the batches.
  double first_seconds = 0;  // Until there was a batch; in the two above.
  double compute_seconds = 0;
  double batches_ready = 0;  // Finished and waiting when one was handed out, on average.
  ScanStats stats;
};

// Rounds with one number of threads.
struct BenchSeries {
  uint32_t threads = 1;
  std::vector<BenchRound> rounds;

  // All rounds do the same work; the fastest was disturbed least.
  const BenchRound& best() const;
};

// The first series is that with which others are compared. `alone`: rounds that read and computed
// one after the other, where --compute is given.
Status PrintBench(const BenchOptions& options, size_t num_columns,
                  const std::vector<BenchSeries>& series, const std::vector<BenchRound>& alone,
                  Console* console);

}  // namespace dsi::tools
