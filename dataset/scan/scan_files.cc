#include "dsi/dataset/scan/scan_files_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/access_log.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {
namespace {

// Of files that the current window does not use, so many stay open.
constexpr size_t kIdleFiles = 8;

}  // namespace

Result<std::unique_ptr<ScanFiles>> ScanFiles::Make(const DatasetFiles* dataset,
                                                   const DatasetScanOptions& options,
                                                   bool wants_sessions, ScanWorkers* workers,
                                                   MemoryBudget* budget) {
  std::unique_ptr<ScanFiles> files(new ScanFiles(dataset, wants_sessions, workers, budget));
  DSI_ASSIGN_OR_RETURN(files->asked_, AskedOutputs::Make(*dataset, options));
  DSI_ASSIGN_OR_RETURN(files->joint_, files->asked_->NewProjection());
  if (!options.scan.filter.where.empty()) {
    DSI_ASSIGN_OR_RETURN(files->skipper_, FileSkipper::Make(*dataset, options.scan.filter));
  }
  if (!options.access_log.empty())
    DSI_RETURN_IF_ERROR(AppendAccess(options.access_log, files->asked_->StoredColumns()));
  return files;
}

Result<ScanFile*> ScanFiles::Open(size_t file) {
  const auto known = std::find_if(opened_.begin(), opened_.end(),
                                  [&](const Opened& opened) { return opened.file == file; });
  if (known != opened_.end()) {
    known->window = window_;
    return known->scanned.get();
  }
  DSI_ASSIGN_OR_RETURN(std::shared_ptr<const Reader> reader, dataset_->Acquire(file));
  FileRequest request = asked_->RequestOf(*dataset_, file);
  request.wants_sessions = wants_sessions_;
  auto opened =
      ScanFile::Open(std::move(reader), std::move(request), asked_->plan(), workers_, budget_);
  if (!opened.ok()) return opened.status().At(dataset_->files()[file].path);
  opened_.push_back({file, window_, std::move(*opened)});
  ScanFile* const scanned = opened_.back().scanned.get();
  if (joint_.Add(scanned->places())) {
    for (const Opened& other : opened_)
      other.scanned->SetMap(joint_.MapOf(other.scanned->places()));
  } else {
    scanned->SetMap(joint_.MapOf(scanned->places()));
  }
  return scanned;
}

void ScanFiles::CloseUnused() {
  size_t idle = 0;
  for (const Opened& opened : opened_) idle += opened.window != window_ ? 1 : 0;
  while (idle > kIdleFiles) {
    const auto oldest =
        std::min_element(opened_.begin(), opened_.end(),
                         [](const Opened& a, const Opened& b) { return a.window < b.window; });
    opened_.erase(oldest);
    --idle;
  }
}

}  // namespace dsi::internal
