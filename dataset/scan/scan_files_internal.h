// The files that a scan has open, and the projection that their batches share.
//
// Thread safety: one thread at a time, but for OpenAhead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/file_skipper_internal.h"
#include "dsi/dataset/scan/asked_outputs_internal.h"
#include "dsi/dataset/scan/joint_projection_internal.h"
#include "dsi/dataset/scan/scan_file_internal.h"

namespace dsi::internal {

class ScanFiles {
 public:
  // Finds out what `options` asks for; opens the files that it takes to tell. Dataset, budget and
  // workers outlive it. Errors: those of NewScan.
  static Result<std::unique_ptr<ScanFiles>> Make(const DatasetFiles* dataset,
                                                 const DatasetScanOptions& options,
                                                 bool wants_sessions, ScanWorkers* workers,
                                                 MemoryBudget* budget);

  // Stripes of files that are opened from now on are taken from it, and what a filter looks at from
  // the other; they must outlive these.
  void SetFetchers(StripeFetcher* fetcher, StripeFetcher* filter_fetcher) {
    fetcher_ = fetcher;
    filter_fetcher_ = filter_fetcher;
  }

  const DatasetFiles& dataset() const { return *dataset_; }
  const SchemasOfFiles& schemas() const { return asked_->schemas(); }
  // False: by what a manifest tells no row of the file passes the filter.
  bool MayPass(size_t file) const { return !skipper_.has_value() || skipper_->MayPass(file); }
  // The file with the overlays of the stripe that has this row of it. Opened when it is not; it
  // stays until CloseUnused. A file that is new may change the projection, not that of batches that
  // were filled.
  Result<ScanFile*> Open(size_t file, uint64_t row);
  // The same file before it is wanted, for many threads: only its projection and what is stored may
  // be looked at.
  Result<std::shared_ptr<ScanFile>> OpenAhead(size_t file, size_t variant);
  // False: so many were opened ahead that others are to be used first. Any thread.
  bool MayOpenAhead(size_t file);
  // Which stripes a filter wants. Any thread may look.
  const PassingGuess& guess() const { return guess_; }
  void BeginWindow() { ++window_; }
  // All that the window wants has been opened; of the others few stay.
  void CloseUnused();
  const std::shared_ptr<const ScanProjection>& projection() const { return joint_.projection(); }

 private:
  struct Opened {
    size_t file = 0;
    size_t variant = 0;
    uint64_t window = 0;  // In which it was used last.
    std::shared_ptr<ScanFile> scanned;
  };
  struct Opening {
    size_t file = 0;
    size_t variant = 0;
    std::shared_ptr<ScanFile> made;  // Null: a thread is at it.
    bool is_used = false;
  };

  Result<std::shared_ptr<ScanFile>> Make(size_t file, size_t variant);
  void SetUsed(size_t file, size_t variant);
  void Forget(size_t file, size_t variant);

  ScanFiles(const DatasetFiles* dataset, bool wants_sessions, ScanWorkers* workers,
            MemoryBudget* budget)
      : dataset_(dataset), wants_sessions_(wants_sessions), workers_(workers), budget_(budget) {}

  const DatasetFiles* dataset_;
  bool wants_sessions_;
  ComingRows coming_;
  ScanWorkers* workers_;
  MemoryBudget* budget_;
  std::unique_ptr<const AskedOutputs> asked_;
  JointProjection joint_;
  std::optional<FileSkipper> skipper_;       // None: no filter.
  StripeFetcher* fetcher_ = nullptr;         // Null: nothing is read ahead.
  StripeFetcher* filter_fetcher_ = nullptr;  // Null: nothing that only a filter looks at.
  PassingGuess guess_;
  std::vector<Opened> opened_;
  uint64_t window_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Opening> openings_;  // All that are opened, and those to come.
};

}  // namespace dsi::internal
