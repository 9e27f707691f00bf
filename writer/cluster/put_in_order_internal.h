// Moves a feature's rows from the order of input into that of the file: whoever reads them later
// goes straight through memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

// Memory that a column leaves behind for the next one: from the system it costs more than the copy.
// Thread safety: any thread.
class SpareMemory {
 public:
  // Of this size, with any contents.
  GrowingBytes Take(size_t size);
  void Give(GrowingBytes bytes);

 private:
  std::mutex mutex_;
  std::vector<GrowingBytes> spare_;
};

// input_row[position] is a row of the input, position_of its inverse. Cost: a copy of the feature,
// beside it until it is done. Features that come largest first find all memory but for the first.
void PutInOrder(const FeatureSpec& spec, std::span<const uint32_t> input_row,
                std::span<const uint32_t> position_of, SpareMemory* spare,
                RowBatch::FeatureBuffer* rows);

}  // namespace dsi::internal
