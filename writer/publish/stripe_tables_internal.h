// Tables of stripes that are written, which wait for the end of the file: in a spill file where
// rows had to wait in one, too, and where they are many. Of wide tables with many stripes they are
// more than a stripe.
//
// Thread safety: one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/publish/stripe_writer_internal.h"
#include "dsi/writer/spill/spill_file_internal.h"

namespace dsi::internal {

class StripeTables {
 public:
  explicit StripeTables(std::string spill_folder) : file_(std::move(spill_folder)) {}

  // Takes the tables out of a stripe, unless they are to stay in memory: without `spills`, which
  // says that rows are spilled, those that come first do, and all where no file can be had.
  Status Keep(PlacedStripe* stripe, bool spills);
  // Gives them back.
  Status Fetch(PlacedStripe* stripe) const;

 private:
  Status PutAway(PlacedStripe* stripe);

  SpillFile file_;
  uint64_t held_bytes_ = 0;
};

}  // namespace dsi::internal
