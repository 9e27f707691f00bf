// Any text is either refused or read into a state, of a scan or of a mixture, whose own text reads
// back to the same, and from which ranks can go on: over a real dataset a scan gives the batches
// that it leaves, and no others.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dsi/dataset/order/mixed_state_internal.h"
#include "dsi/dataset/order/scan_state_internal.h"
#include "dsi/fuzz/resumed_scans.h"

namespace {

template <typename State>
bool ReadsBack(std::string_view text, dsi::Result<State>* state) {
  *state = State::FromJson(text);
  if (!state->ok()) {
    if (state->status().message().empty()) std::abort();
    return false;
  }
  const std::string written = (*state)->ToJson();
  const dsi::Result<State> again = State::FromJson(written);
  if (!again.ok() || again->ToJson() != written) std::abort();
  return true;
}

void GoOn(const dsi::internal::ScanState& state) {
  using dsi::internal::BatchSpan;
  const std::vector<BatchSpan> rest = state.Remaining();
  const uint64_t before = dsi::internal::CountBatchesOf(state.left);
  const uint64_t after = dsi::internal::CountBatchesOf(rest);
  const uint64_t most =
      before < state.world * state.handed_out ? before : state.world * state.handed_out;
  if (after > before || before - after > most) std::abort();
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i].begin <= rest[i - 1].end) std::abort();
  }
  const auto share = dsi::internal::BatchShare::Make(
      rest, {.rank = state.world - 1, .world = state.world, .remainder = state.remainder});
  if (!share.ok()) return;  // Too many pieces.
  if (share->size() > 0 && share->at(share->size() - 1) >= state.left.back().end) std::abort();
}

// What the last input came to: words for FuzzReached.
std::string reached;

}  // namespace

// For seeds that say what they come to.
extern "C" const char* FuzzReached() { return reached.c_str(); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dsi::fuzz::ResumedDataset dataset;
  reached.clear();
  const std::string text(reinterpret_cast<const char*>(data), size);
  dsi::Result<dsi::internal::ScanState> scan = dsi::Status();
  if (ReadsBack(text, &scan)) {
    GoOn(*scan);
    if (dsi::fuzz::ResumeScan(dataset, text, *scan)) reached += "scan ";
  }
  dsi::Result<dsi::internal::MixedState> mixed = dsi::Status();
  if (ReadsBack(text, &mixed) && dsi::fuzz::ResumeMixture(dataset, text, *mixed))
    reached += "mixture ";
  return 0;
}
