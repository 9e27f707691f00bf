// Overlays among the files of a dataset, each put beside the file that it is of (spec DS-040 …).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/file_facts_internal.h"

namespace dsi::internal {

struct OverlayFile {
  std::string path;
  FileFacts facts;
};

// An overlay where a file has it.
struct PlacedOverlay {
  uint32_t overlay = 0;           // Position in FileOverlays::overlays.
  std::vector<uint32_t> stripes;  // Of the file: of each stripe of the overlay, ascending.
};

class FileOverlays {
 public:
  // The rows fingerprint of a file that no footer was read of.
  using FingerprintOf = std::function<Result<uint64_t>(size_t file)>;

  // Takes the overlays out of the files. kBadInput: one's base is not among them, or has other rows
  // now; the message says which of both.
  static Result<FileOverlays> Take(std::vector<DatasetFile>* files, std::vector<FileFacts>* facts,
                                   const FingerprintOf& fingerprint_of);

  // In the order in which they stood among the files.
  std::span<const OverlayFile> overlays() const { return overlays_; }
  // Those of a file, the last of which has the say.
  std::span<const PlacedOverlay> of_file(size_t file) const {
    return file < of_file_.size() ? std::span(of_file_[file]) : std::span<const PlacedOverlay>();
  }

 private:
  std::vector<OverlayFile> overlays_;
  std::vector<std::vector<PlacedOverlay>> of_file_;  // Empty: there are none.
};

}  // namespace dsi::internal
