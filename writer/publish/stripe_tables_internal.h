// Tables of stripes that are written, which wait for the end of the file: in a spill file where
// rows had to wait in one, too. Of wide tables with many stripes they are more than a stripe.
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

  // Takes the tables out of a stripe, and gives them back.
  Status PutAway(PlacedStripe* stripe);
  Status Fetch(PlacedStripe* stripe) const;

 private:
  SpillFile file_;
};

}  // namespace dsi::internal
