// Spilled rows of one stripe after another, without reading each block for many stripes.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/spill/spilled_rows_internal.h"

namespace dsi::internal {

class RowShelves {
 public:
  // All must outlive this. `spilled` null: rows are in memory.
  RowShelves(SpilledRows* spilled, const RowList& rows, std::span<const StripeCut> cuts,
             const ClusterMemory& memory)
      : spilled_(spilled), rows_(rows), cuts_(cuts), memory_(memory) {}

  // The shelf that has the rows of a stripe; null where they are in memory. Stripes are asked for
  // in their order. Splits shelves of which blocks would be read for many stripes.
  Result<const SpilledRows::Shelf*> Of(size_t stripe);
  // Whether Of is known to split none for this stripe and those before it. After an Of.
  bool IsSettled(size_t stripe) const;

 private:
  // Of stripes [first, end).
  struct Stripes {
    size_t first = 0;
    size_t end = 0;
    SpilledRows::Shelf shelf;
  };

  Result<bool> WouldReadOften(const Stripes& stripes) const;
  Status Split();

  SpilledRows* spilled_;
  const RowList& rows_;
  std::span<const StripeCut> cuts_;
  ClusterMemory memory_;
  std::vector<Stripes> shelves_;  // The last is that of the next stripes.
  size_t settled_ = 0;            // Stripes before this one need no more splitting.
};

}  // namespace dsi::internal
