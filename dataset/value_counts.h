// Which values columns have and how often: for vocabularies, sizes of embedding tables, borders of
// buckets, mean and deviation of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/types.h"

namespace dsi {

struct CountOptions {
  // The columns to count (a layout is not looked at), or what a pipeline makes; which rows, by
  // filter, sample, rows and shard. The batch size is chosen here.
  DatasetScanOptions scan;
  // All that is counted, besides scan.memory_bytes and, where there are several threads, 256 MiB
  // for batches ahead. Exceeded is kResourceExhausted: nothing is left out without a word.
  uint64_t memory_bytes = 4ULL << 30;
  // Told how many batches were counted, and of how many; may cancel by returning false
  // (kCancelled).
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

// Of one column, over the rows that were counted. Each entry of a list is a value.
struct DSI_EXPORT ValueCounts {
  std::string column;
  Type type = Type::kInt64;  // As stored, or as a pipeline makes it.
  uint64_t rows = 0;
  uint64_t missing = 0;  // Rows without the feature.
  uint64_t entries = 0;  // Of all rows; the sum of counts.
  // Of rows that have the feature; of strings 1. 0: there is none.
  uint64_t min_length = 0;
  uint64_t max_length = 0;
  // The values, each once: whole numbers and bool as int64_t, kUint64 as uint64_t, floats as
  // double, strings. 0 and -0 are one value, all NaN are one.
  std::variant<std::vector<int64_t>, std::vector<uint64_t>, std::vector<double>,
               std::vector<std::string>>
      values;
  // How many entries each is. The most frequent comes first, of equally frequent ones the least
  // (NaN behind all numbers, strings by their bytes): the first n are a vocabulary of n.
  std::vector<uint64_t> counts;

  // So many of the first values have this count or a greater one.
  size_t NumAtLeast(uint64_t count) const noexcept;
  // Of numbers, over all entries but NaN; NaN where there is none, or of strings.
  double Mean() const noexcept;
  // From the mean, of the entries themselves (divided by their number).
  double Deviation() const noexcept;
  // For each share in [0, 1] the least value that so many of the entries (NaN left out) are not
  // above, as its position in `values`: the median for 0.5, the least value for 0, the greatest for
  // 1. kInvalidArgument: strings, no entry, another share.
  Result<std::vector<size_t>> Quantiles(std::span<const double> shares) const;
};

// Scans the rows once, with scan.threads threads that decode and then count; every unique row of a
// batch is looked at once, however many rows it stands for. Exact, and the same for every number of
// threads. In the order of the projection. A column takes 20 to 45 bytes for each of its different
// numbers, 65 while its table grows. Errors: those of a scan. Nothing throws.
DSI_EXPORT Result<std::vector<ValueCounts>> CountValues(const Dataset& dataset,
                                                        const CountOptions& options);

}  // namespace dsi
