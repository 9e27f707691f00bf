// One batch of a job, named by a state and a number of steps.
#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/order/scan_state_internal.h"

namespace dsi {
namespace {

using internal::BatchShare;
using internal::InvalidArgument;
using internal::ScanState;

// The place of the batch among those of its rank.
Result<uint64_t> PlaceOf(const ScanState& state, int64_t step, uint64_t count) {
  if (step < 0) {
    const uint64_t back = uint64_t{0} - static_cast<uint64_t>(step);
    if (back <= state.handed_out) return state.handed_out - back;
    return InvalidArgument(
        "step {}: the state knows of the {} batches that each rank has handed out since the job "
        "began or went on; take a state of before",
        step, state.handed_out);
  }
  const uint64_t left = count - std::min(count, state.handed_out);
  if (static_cast<uint64_t>(step) < left) return state.handed_out + static_cast<uint64_t>(step);
  if (left == 0) return InvalidArgument("step {}: the rank has no batch left", step);
  return InvalidArgument("step {}: the last batch of the rank is step {}", step, left - 1);
}

Result<DatasetScanOptions> Find(std::string_view text, uint32_t rank, int64_t step) {
  DSI_ASSIGN_OR_RETURN(ScanState state, ScanState::FromJson(text));
  DSI_ASSIGN_OR_RETURN(const BatchShare share,
                       BatchShare::Make(state.left, {rank, state.world, state.remainder}));
  DSI_ASSIGN_OR_RETURN(const uint64_t place, PlaceOf(state, step, share.size()));
  const uint64_t batch = share.at(place);
  state.left = {{batch, batch + 1}};
  state.world = 1;
  state.handed_out = 0;
  DatasetScanOptions options;
  options.scan.batch_size = state.batch_size;
  options.scan.drop_last = state.drop_last;
  options.order = state.order;
  options.state = state.ToJson();
  return options;
}

}  // namespace

Result<DatasetScanOptions> OptionsOfBatch(std::string_view state, uint32_t rank, int64_t step) {
  return internal::NoThrow([&] { return Find(state, rank, step); });
}

}  // namespace dsi
