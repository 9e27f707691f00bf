// Which batches of the order a rank takes, and the state that says which are left.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/order.h"

namespace dsi::internal {

// Batches [begin, end) of the order.
struct BatchSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Batches of one rank, in the order in which it hands them out.
class BatchShare {
 public:
  // `left`: batches to hand out, ascending and apart.
  static Result<BatchShare> Make(std::span<const BatchSpan> left, const ShardOptions& shard);
  uint64_t size() const;
  uint64_t at(uint64_t i) const;       // i < size().
  bool is_repeated(uint64_t i) const;  // Remainder::kPad.
};

// What stands in the JSON (spec DS-…).
struct ScanState {
  uint64_t snapshot = 0;
  OrderOptions order;
  uint32_t batch_size = 0;
  bool drop_last = false;
  std::vector<BatchSpan> left;  // At the start of the scan; ascending and apart.
  uint32_t world = 1;
  Remainder remainder = Remainder::kDrop;
  uint64_t handed_out = 0;  // By each rank.

  std::string ToJson() const;
  // kBadInput: not such a JSON, spans that overlap or are out of order, impossible numbers.
  static Result<ScanState> FromJson(std::string_view json);
  // What no rank has handed out.
  std::vector<BatchSpan> Remaining() const;
};

}  // namespace dsi::internal
