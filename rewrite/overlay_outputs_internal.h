// The overlays of bases, written one after another: each is opened when its first row comes and
// finished, as a file that is whole, when the next one is.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/rewrite/base_rows_internal.h"
#include "dsi/rewrite/batch_columns_internal.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

class OverlayOutputs {
 public:
  struct Input {
    const Schema* schema = nullptr;
    WriterOptions writer;
    std::span<const OverlayTarget> targets;
    // Also those of which no row comes.
    bool writes_empty = false;
    // Called when an overlay is begun, `target` being its position.
    std::function<void(size_t target)> begins;
  };

  explicit OverlayOutputs(Input input) : in_(std::move(input)) {}

  // Rows of the batch become those at these places, which ascend over all calls; kNoRow: none.
  // Rows between them miss the features.
  Status Put(BatchColumns* columns, std::span<const uint64_t> places);
  // Finishes the overlays that lie before this place.
  Status FinishBefore(uint64_t place);
  // Of the targets that lie before the last FinishBefore.
  std::vector<BaseOverlay> TakeReports() { return std::move(made_); }

 private:
  Status Begin();
  Status FillTo(uint64_t place);
  Status Close();
  const OverlayTarget& target() const { return in_.targets[at_]; }

  Input in_;
  size_t at_ = 0;
  std::unique_ptr<Writer> writer_;  // Null: no row of the target came yet.
  uint64_t next_ = 0;               // Place behind the rows that the writer has.
  uint64_t num_given_ = 0;
  std::vector<BaseOverlay> made_;
};

}  // namespace dsi::internal
