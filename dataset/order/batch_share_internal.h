// Which batches of the order a rank takes, and which are left when ranks stop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/order.h"

namespace dsi::internal {

// Batches [begin, end) of the order.
struct BatchSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// More pieces, or ranks, than any job has; a state stays below some megabytes.
inline constexpr size_t kMaxBatchSpans = 1U << 20;
inline constexpr uint32_t kMaxWorld = 1U << 20;

// A run of batches, by their places in the list of those that were left.
struct BatchRun {
  uint64_t begin = 0;
  uint64_t count = 0;
};

// What rank `rank` of `world` takes of `num_batches` without repeating any (spec DO-011).
BatchRun RunOfRank(uint64_t num_batches, uint32_t rank, uint32_t world, Remainder remainder);

uint64_t CountBatchesOf(std::span<const BatchSpan> spans);
// The batches of a run of those that are left, ascending; spans are joined where they touch.
std::vector<BatchSpan> BatchesOfRun(std::span<const BatchSpan> left, BatchRun run);

// What no rank has handed out, with handed_out[r] batches of rank r gone, repeated ones among them;
// spans are joined where they touch (DO-013). One number stands for all ranks if there is only one.
std::vector<BatchSpan> BatchesLeft(std::span<const BatchSpan> left, uint32_t world,
                                   Remainder remainder, std::span<const uint64_t> handed_out);

// Batches of one rank, in the order in which it hands them out. A value; const calls from many
// threads are safe.
class BatchShare {
 public:
  // `left`: batches to hand out, ascending and apart. kInvalidArgument: a rank that the world does
  // not have; kResourceExhausted: more spans than a state may have.
  static Result<BatchShare> Make(std::span<const BatchSpan> left, const ShardOptions& shard);
  uint64_t size() const { return size_; }
  uint64_t at(uint64_t i) const;                                  // i < size().
  bool is_repeated(uint64_t i) const { return i >= run_.count; }  // Remainder::kPad.

 private:
  std::vector<BatchSpan> left_;
  std::vector<uint64_t> places_;  // In the list, of the first batch of each span.
  BatchRun run_;
  uint64_t size_ = 0;
};

}  // namespace dsi::internal
