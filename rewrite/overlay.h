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
  // Rows of the base that share a key all take what is given for it, as a join of a table of users
  // to rows of users does. Not by itself: a key that is to tell rows apart, and of which the base
  // has one twice (ids that are not known, all 0, say), would spread one row's values unseen. With
  // it, the features are declared a dedup group, so that what repeats is stored once in a stripe.
  bool broadcast = false;
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
  uint64_t num_given = 0;    // … so many have what was given; the others miss the features, …
  uint64_t num_deleted = 0;  // … of which so many are deleted in the base.
  uint64_t num_unused = 0;   // Rows whose key no row of the base has.
};

// Writes the rows of `from` as an overlay of the file `base`. With a key rows may come in any
// order; that holds about 80 bytes for each row of the base and 8 for each of `from`, and texts of
// keys. Rows in another order than the base's are first written to a nameless file beside `to`.
//
// kInvalidArgument: more or fewer rows than the base has, without a key; a key that two rows of the
// base have, without broadcast, or two of `from`; no such key, or one that is no whole number or
// string. Errors of BindOverlay, of Rewrite, scans and writers.
DSI_EXPORT Result<OverlayReport> WriteOverlay(const Dataset& from, const std::string& base,
                                              const std::string& to,
                                              const OverlayOptions& options = {});

struct BaseOverlay {
  std::string base;
  std::string path;
  // False: no row of the base is given, and so it has no overlay, which would take from it the
  // features that it has of these names.
  bool is_written = false;
  OverlayReport report;  // num_unused: 0, that is said of all bases together.
};

struct OverlaysReport {
  std::vector<BaseOverlay> bases;  // In the order of the dataset.
  uint64_t num_unused = 0;         // Rows that no base takes.
};

// The same for each file of `bases`, as if each were written by itself: without a key the rows are
// those of all bases, one behind the other. The rows of `from` are read once, and so is their key,
// unless the bases have more rows than a quarter of memory_bytes has room for (those of one base
// are always held): then once for each share of them. options.rows is not used.
//
// `name` says where overlays go: "{}" stands for the path of the base without ".dsi" where the name
// begins with it, else for the base's file name without it. Each appears when it is whole; where
// one fails those before it stay, and the message says how many these are.
//
// kInvalidArgument: names without "{}", or of which two are the same. kAlreadyExists: one of them,
// before anything is written, unless writer.overwrite is set.
DSI_EXPORT Result<OverlaysReport> WriteOverlays(const Dataset& from, const Dataset& bases,
                                                const std::string& name,
                                                const OverlayOptions& options = {});

}  // namespace dsi
