// Rows of a batch as the column buffers that a writer takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/batch.h"
#include "dsi/rewrite/rewritten_schema_internal.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

class BatchColumns {
 public:
  // All columns that the plan asks for, which are those of the batch, in its order. Refers to both.
  Status Fill(const RewritePlan& plan, const Batch& batch);
  // Rows [begin, end) of it. Good until the next call.
  std::span<const FeatureColumns> Rows(size_t begin, size_t end);

 private:
  struct Whole {
    FeatureColumns columns;
    std::vector<uint8_t> validity;
    std::vector<size_t> row_bytes;  // By column; 0 where rows have lengths.
  };

  template <typename View>
  static void SetColumn(const View& view, size_t row_bytes, Whole* whole);

  std::vector<Whole> features_;
  std::vector<FeatureColumns> rows_;
};

}  // namespace dsi::internal
