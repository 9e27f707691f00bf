// Where the ranks of a scan stand, as a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/order.h"
#include "dsi/dataset/order/batch_share_internal.h"

namespace dsi::internal {

// Batches of an order of so many rows (spec DO-004).
inline uint64_t CountBatches(uint64_t num_rows, uint32_t batch_size, bool drop_last) {
  return num_rows / batch_size + (!drop_last && num_rows % batch_size > 0 ? 1 : 0);
}

// What stands in the JSON (spec DO-014). It names no rank: ranks in lock-step say the same.
struct ScanState {
  // Which batches there are.
  uint64_t snapshot = 0;
  uint64_t num_rows = 0;          // DatasetOrder::num_rows().
  uint64_t rows_fingerprint = 0;  // DatasetOrder::rows_fingerprint().
  OrderOptions order;
  uint32_t batch_size = 1;
  bool drop_last = false;

  // Which of them this scan hands out, and how far it is.
  std::vector<BatchSpan> left;  // At the start of the scan; ascending and apart.
  uint32_t world = 1;
  Remainder remainder = Remainder::kDrop;
  uint64_t handed_out = 0;  // By each rank, as far as it has so many.

  // All batches, none handed out.
  void StartAnew() {
    const uint64_t count = CountBatches(num_rows, batch_size, drop_last);
    left.clear();
    if (count > 0) left.push_back({0, count});
    handed_out = 0;
  }
  std::string ToJson() const;
  // kBadInput: not such a JSON, spans that overlap or are out of order, impossible numbers.
  static Result<ScanState> FromJson(std::string_view json);
  // What no rank has handed out; costs by world and spans, not by batches.
  std::vector<BatchSpan> Remaining() const;
  // kBadInput: this is of other batches than those of `asked`; says in what they differ.
  Status CheckSameBatches(const ScanState& asked) const;
};

}  // namespace dsi::internal
