#include "dsi/dataset/order/batch_share_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Batches at places [begin, end) of the list `left`, taken in ascending order of places.
class ListWalk {
 public:
  explicit ListWalk(std::span<const BatchSpan> left) : left_(left) {}

  void Take(uint64_t begin, uint64_t end, std::vector<BatchSpan>* out) {
    while (begin < end) {
      const uint64_t size = left_[span_].end - left_[span_].begin;
      if (begin - place_ >= size) {
        place_ += size;
        ++span_;
        continue;
      }
      const uint64_t batch = left_[span_].begin + (begin - place_);
      const uint64_t count = std::min(end - begin, left_[span_].end - batch);
      if (!out->empty() && out->back().end == batch) {
        out->back().end += count;
      } else {
        out->push_back({batch, batch + count});
      }
      begin += count;
    }
  }

 private:
  std::span<const BatchSpan> left_;
  size_t span_ = 0;
  uint64_t place_ = 0;  // Of the first batch of span_.
};

}  // namespace

BatchRun RunOfRank(uint64_t num_batches, uint32_t rank, uint32_t world, Remainder remainder) {
  const uint64_t each = num_batches / world;
  if (remainder == Remainder::kDrop) return {rank * each, each};
  const uint64_t more = num_batches % world;
  return {rank * each + std::min<uint64_t>(rank, more), each + (rank < more ? 1 : 0)};
}

uint64_t CountBatchesOf(std::span<const BatchSpan> spans) {
  uint64_t count = 0;
  for (const BatchSpan& span : spans) count += span.end - span.begin;
  return count;
}

std::vector<BatchSpan> BatchesOfRun(std::span<const BatchSpan> left, BatchRun run) {
  std::vector<BatchSpan> batches;
  ListWalk(left).Take(run.begin, run.begin + run.count, &batches);
  return batches;
}

std::vector<BatchSpan> BatchesLeft(std::span<const BatchSpan> left, uint32_t world,
                                   Remainder remainder, std::span<const uint64_t> handed_out) {
  const uint64_t num_batches = CountBatchesOf(left);
  std::vector<BatchSpan> rest;
  ListWalk walk(left);
  uint64_t end = 0;
  for (uint32_t rank = 0; rank < world; ++rank) {
    const BatchRun run = RunOfRank(num_batches, rank, world, remainder);
    const uint64_t gone = handed_out[handed_out.size() == 1 ? 0 : rank];
    end = run.begin + run.count;
    walk.Take(run.begin + std::min(gone, run.count), end, &rest);
  }
  walk.Take(end, num_batches, &rest);  // What kDrop leaves out.
  return rest;
}

Result<BatchShare> BatchShare::Make(std::span<const BatchSpan> left, const ShardOptions& shard) {
  if (shard.world == 0 || shard.world > kMaxWorld || shard.rank >= shard.world) {
    return InvalidArgument("rank {} of world {}: expected a world of 1 to {} and a rank below it",
                           shard.rank, shard.world, kMaxWorld);
  }
  if (left.size() > kMaxBatchSpans) {
    return Error(StatusCode::kResourceExhausted,
                 "what is left is {} pieces, at most {} are allowed: let the ranks end their epoch",
                 left.size(), kMaxBatchSpans);
  }
  BatchShare share;
  uint64_t num_batches = 0;
  for (const BatchSpan& span : left) {
    if (span.begin >= span.end) continue;
    share.left_.push_back(span);
    share.places_.push_back(num_batches);
    num_batches += span.end - span.begin;
  }
  share.run_ = RunOfRank(num_batches, shard.rank, shard.world, shard.remainder);
  share.size_ = share.run_.count;
  if (shard.remainder == Remainder::kPad) {
    share.size_ = num_batches / shard.world + (num_batches % shard.world > 0 ? 1 : 0);
  }
  return share;
}

uint64_t BatchShare::at(uint64_t i) const {
  // One more than the run has is a repetition of the batch before (DO-012).
  const uint64_t place = run_.begin + i - (is_repeated(i) ? 1 : 0);
  const auto span = static_cast<size_t>(std::upper_bound(places_.begin(), places_.end(), place) -
                                        places_.begin() - 1);
  return left_[span].begin + (place - places_[span]);
}

}  // namespace dsi::internal
