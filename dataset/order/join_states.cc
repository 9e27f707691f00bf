// Ranks that do not stand in lock-step (spec DO-015).
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/order/scan_state_internal.h"

namespace dsi {
namespace {

using internal::BadInput;
using internal::ScanState;

bool SameSpans(std::span<const internal::BatchSpan> a, std::span<const internal::BatchSpan> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].begin != b[i].begin || a[i].end != b[i].end) return false;
  }
  return true;
}

Result<std::string> Join(std::span<const std::string> states) {
  if (states.empty()) return internal::InvalidArgument("no states to join");
  DSI_ASSIGN_OR_RETURN(ScanState first, ScanState::FromJson(states[0]));
  if (states.size() != first.world) {
    return BadInput("{} states of a scan of {} ranks: expected one of each rank, in their order",
                    states.size(), first.world);
  }
  std::vector<uint64_t> handed_out;
  for (size_t rank = 0; rank < states.size(); ++rank) {
    const std::string where = "state of rank " + std::to_string(rank);
    const Result<ScanState> state = ScanState::FromJson(states[rank]);
    if (!state.ok()) return state.status().At(where);
    DSI_RETURN_IF_ERROR(state->CheckSameBatches(first).At(where));
    if (state->world != first.world || state->remainder != first.remainder ||
        !SameSpans(state->left, first.left)) {
      return BadInput(
          "{}: shares other batches than that of rank 0: expected states of one scan "
          "that all ranks began together",
          where);
    }
    handed_out.push_back(state->handed_out);
  }
  first.left = internal::BatchesLeft(first.left, first.world, first.remainder, handed_out);
  first.world = 1;
  first.handed_out = 0;
  if (first.left.size() > internal::kMaxBatchSpans) {
    return internal::Error(StatusCode::kResourceExhausted,
                           "what is left is {} pieces, at most {} "
                           "are allowed: let the ranks end their epoch",
                           first.left.size(), internal::kMaxBatchSpans);
  }
  return first.ToJson();
}

}  // namespace

Result<std::string> JoinStates(std::span<const std::string> states) {
  return internal::NoThrow([&] { return Join(states); });
}

}  // namespace dsi
