// The projection of batches that hold rows of several files.
//
// Each file resolves its own: there, outputs share indexes, shapes and values as the file stores
// them. In the joint one two outputs share what they share in every file met so far, so that what
// is told once for both is true of all pieces of a batch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dsi/reader/scan/piece_map_internal.h"
#include "dsi/reader/scan/projection_internal.h"

namespace dsi::internal {

// Where one file has an output of a scan, as PieceMap says it.
struct FilePlace {
  uint32_t group = kNone32;
  uint32_t shape = kNone32;
  uint32_t values = kNone32;
};

class JointProjection {
 public:
  // What was asked for: names, layouts, sets, types, widths and pads; the rest is found out.
  // kInvalidArgument: a column twice in one layout, types that do not agree.
  static Result<JointProjection> Make(std::vector<ScanOutput> outputs, Type kjt_lengths);

  // Takes a file into account, by the places of all outputs in it. True: the projection is another
  // one now, and maps must be made anew; batches that have the one before keep it.
  bool Add(std::span<const FilePlace> file);
  const std::shared_ptr<const ScanProjection>& projection() const { return projection_; }
  // For files that were added.
  PieceMap MapOf(std::span<const FilePlace> file) const;

 private:
  void MakeProjection();

  ScanProjection asked_;  // Its groups, shapes and values are not used.
  // By output: which class it is of, numbered by first use.
  std::vector<uint32_t> group_, shape_, values_;
  std::shared_ptr<const ScanProjection> projection_;
};

}  // namespace dsi::internal
