// Cuts the rows of a file into stripes, between sessions wherever possible (spec F-051).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/writer/cluster/row_list_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {

struct StripeCut {
  uint32_t first_row = 0;
  uint32_t num_rows = 0;
  uint32_t num_sessions = 0;  // That start in it.
  bool continues_session =
      false;  // Its first row belongs to the session at the end of the stripe before.
};

// Bytes that each of the rows from `first` on takes: entries, lengths, and a row number for each
// feature that it has. What other rows have is not asked, so that it is the same wherever rows are
// cut into batches.
std::vector<uint64_t> RowBytes(std::span<const FeatureSource> features, size_t num_rows,
                               size_t first = 0);

// Stripes within these limits, but for the last, which has up to half as many rows more, and for a
// row that alone takes more bytes. A session longer than a stripe is split. Errors: those of
// reading the list. `more_come`: of rows that others may follow, only the stripes that stay as they
// are whatever follows.
Result<std::vector<StripeCut>> CutStripes(const RowList& rows, const RowLimits& most,
                                          bool more_come = false);

// As many rows each as told, whatever they take: of an overlay, whose rows have no sessions. Those
// of which all rows are here. kResourceExhausted: a stripe takes more than `most_bytes`. Errors of
// reading the list.
Result<std::vector<StripeCut>> CutAsTold(const RowList& rows, std::span<const uint32_t> stripe_rows,
                                         uint64_t most_bytes);

}  // namespace dsi::internal
