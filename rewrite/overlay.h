// Features of rows that another file has, in a small file of their own: an overlay (spec F-087).
// Datasets that have both files read them as one table, so that a feature is added to a base, or
// corrected, and the base stays as it is.
//
// Thread safety: a call works by itself, with threads of its own. Nothing throws.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/overlay.h"
#include "dsi/reader/reader.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/writer/writer.h"

namespace dsi {

// What WriterOptions::overlay takes, for who has a value for every row of the base: a Writer with
// it is given those of `rows` (ascending, apart, whole stripes; empty: all of them; an end
// of UINT64_MAX is that of the base), deleted ones among them. kInvalidArgument: `base` has no rows
// or is an overlay itself; rows that are no whole stripes, with those that are.
DSI_EXPORT Result<OverlayBinding> BindOverlay(const Reader& base,
                                              std::span<const OverlayRows> rows = {});

struct OverlayOptions {
  // Which rows of the base, as for BindOverlay.
  std::vector<OverlayRows> rows = {};
  // A column of one whole number or string per row by which rows find that of the base which has
  // the same; both have it under this name. The overlay has it only where features.only names it.
  // Empty: rows are those of the base that are not deleted, in its order, and as many.
  std::string key = {};
  // What of the rows is written.
  FeatureChanges features = {};
  // cluster_by, keep_position and overlay are not used; memory_bytes as for Rewrite, but for what
  // the key takes.
  WriterOptions writer = {};
  // Returns false to cancel (kCancelled, nothing left behind).
  std::function<bool(const RewriteProgress&)> progress = {};
};

struct OverlayReport {
  WriteReport write;         // Of its num_rows, all those of the base that the overlay has, …
  uint64_t num_given = 0;    // … so many were given; the others miss the features, …
  uint64_t num_deleted = 0;  // … of which so many are deleted in the base.
  uint64_t num_unused = 0;   // Rows whose key no row of the base has.
};

// Writes the rows of `from` as an overlay of the file `base`. With a key rows may come in any
// order; that holds about 64 bytes for each row of the base and 8 for each of `from`, and texts of
// keys. Rows in another order than the base's are first written to a nameless file beside `to`.
//
// kInvalidArgument: more or fewer rows than the base has, without a key; a key that two rows of the
// base, or two of `from`, have; no such key, or one that is no whole number or string. Errors of
// BindOverlay, of Rewrite, scans and writers.
DSI_EXPORT Result<OverlayReport> WriteOverlay(const Dataset& from, const std::string& base,
                                              const std::string& to,
                                              const OverlayOptions& options = {});

}  // namespace dsi
