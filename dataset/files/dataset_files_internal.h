// The files of a dataset: where they are, how many rows they have, and readers of those in use.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class DatasetFiles {
 public:
  static Result<std::unique_ptr<DatasetFiles>> Open(std::span<const std::string> where,
                                                    const DatasetOptions& options);
  ~DatasetFiles();

  const DatasetOptions& options() const { return options_; }
  std::span<const DatasetFile> files() const { return files_; }
  uint64_t num_rows() const { return files_.empty() ? 0 : file_ends_.back(); }
  // Rows of the dataset up to the end of each file.
  std::span<const uint64_t> file_ends() const { return file_ends_; }
  // Rows of the dataset up to the end of each stripe, of all files.
  Result<std::span<const uint64_t>> StripeEnds() const;
  uint64_t snapshot() const { return snapshot_; }

  // A reader of file `i`, kept open while it is held. The file must be the one that the dataset was
  // made of (bytes, rows, fingerprint); kBadInput says what differs.
  Result<std::shared_ptr<const Reader>> Acquire(size_t i) const;

 private:
  DatasetFiles() = default;

  DatasetOptions options_;
  std::vector<DatasetFile> files_;
  std::vector<uint64_t> file_ends_;
  uint64_t snapshot_ = 0;
};

}  // namespace dsi::internal
